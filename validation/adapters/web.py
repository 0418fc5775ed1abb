"""Fetches pages as a careful reader would: GET only, honest about who asks, polite to hosts, a URL once at a time."""

import asyncio
from collections.abc import Callable
from typing import assert_never

from provenance_site.kit.outbound import Answer, NoAnswer, OutboundClient, Outcome, Trouble
from sources.core.findings import Cause, Hop
from validation.core.fetching import Failure, FetchResult, Page
from validation.core.metadata import refresh_target
from validation.core.reading import meta_refresh_target

# The first profile asks for pages; the second is for servers that refuse its Accept or its languages. Both go out
# under the client's one name.
_FIRST = {
    "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8",
    "Accept-Language": "en,*;q=0.5",
}
_SECOND = {"Accept": "*/*", "Accept-Language": "en-US,en;q=0.9"}

_NEGOTIABLE = frozenset({403, 406})
_NOT_FOUND = 404
_MOST_HOSTS = 20_000

_CAUSES = {
    Trouble.BLOCKED_ADDRESS: Cause.BLOCKED_ADDRESS,
    Trouble.UNUSABLE_URL: Cause.UNUSABLE_URL,
    Trouble.DNS: Cause.DNS,
    Trouble.DNS_TEMPORARY: Cause.DNS_TEMPORARY,
    Trouble.CONNECTION: Cause.CONNECTION,
    Trouble.TIMEOUT: Cause.TIMEOUT,
    Trouble.TLS: Cause.TLS,
    Trouble.TLS_CHAIN: Cause.TLS_CHAIN,
    Trouble.TLS_EXPIRED: Cause.TLS_EXPIRED,
    Trouble.TLS_NAME: Cause.TLS_NAME,
    Trouble.TLS_UNTRUSTED: Cause.TLS_UNTRUSTED,
    Trouble.RATE_LIMITED: Cause.RATE_LIMITED,
    Trouble.HANG_UP: Cause.HANG_UP,
    Trouble.DEADLINE: Cause.DEADLINE,
    Trouble.UNDECODABLE: Cause.UNDECODABLE,
    Trouble.REDIRECT_LOOP: Cause.REDIRECT_LOOP,
}


class WebFetcher:
    """The Fetcher of the open web. One event loop; any number of `fetch`es at once."""

    def __init__(self, client: OutboundClient, *, reroute: Callable[[str], str] | None = None) -> None:
        """`reroute` may give another address to ask in place of a URL (the sample publishers' DOIs)."""
        self._client = client
        self._reroute = reroute
        self._under_way: dict[str, asyncio.Task[FetchResult]] = {}
        self._answering: set[str] = set()

    async def fetch(self, url: str) -> FetchResult:
        """The page at the end of the redirects, or why there is none. Never raises for what a network does.

        Ends within the client's deadline, time spent waiting for a turn at a host not counted. A URL that is already
        being fetched is not asked for again: both callers get the one result.
        """
        task = self._under_way.get(url)
        if task is None:
            task = asyncio.create_task(self._fetch(url))
            self._under_way[url] = task
            task.add_done_callback(lambda _: self._under_way.pop(url, None))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Gives up fetches that nobody waits for any more."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch(self, url: str) -> FetchResult:
        asked = self._reroute(url) if self._reroute else url
        first = await self._client.get(asked, headers=_FIRST, onward=onward)
        if isinstance(first, Answer) and 200 <= first.status < 300:
            self._note_answering(first.final_url)
        if not (isinstance(first, Answer) and self._is_worth_asking_otherwise(first)):
            return _result(url, first)
        left_s = self._client.policy.deadline_s - first.elapsed_ms / 1000
        second = await self._client.get(asked, headers=_SECOND, onward=onward, within_s=left_s)
        better = isinstance(second, Answer) and (200 <= second.status < 300 or first.status in _NEGOTIABLE)
        return _result(url, second if better else first, earlier=first if better else None)

    def _is_worth_asking_otherwise(self, answer: Answer) -> bool:
        """403 and 406 may be about the request's headers; a 404 only where the host never liked the first ones."""
        if answer.status == _NOT_FOUND:
            return _host(answer.final_url) not in self._answering
        return answer.status in _NEGOTIABLE

    def _note_answering(self, url: str) -> None:
        if len(self._answering) < _MOST_HOSTS:
            self._answering.add(_host(url))


def onward(answer: Answer) -> str | None:
    """The address that a page sends its reader on to by a Refresh header or a meta refresh; None for most pages.

    Only of pages that were found: a 404 page that leads home after a few seconds is still a 404.
    """
    if not 200 <= answer.status < 300:
        return None
    # HTML gives the header and the element one syntax, so one reader serves both.
    as_element = {"http-equiv": "refresh", "content": answer.headers.get("refresh", "")}
    return refresh_target([as_element]) or meta_refresh_target(answer.body, answer.headers.get("content-type", ""))


def _host(url: str) -> str:
    return url.split("/", 3)[2]


def _result(url: str, outcome: Outcome, *, earlier: Answer | None = None) -> FetchResult:
    """The outcome in the words of validation; with `earlier`, the answer to the first profile stands before it."""
    steps = (*(earlier.steps if earlier else ()), *outcome.steps)
    hops = tuple(Hop(url=step.url, status=step.status) for step in steps)
    elapsed_ms = outcome.elapsed_ms + (earlier.elapsed_ms if earlier else 0)
    match outcome:
        case Answer():
            return Page(
                requested_url=url,
                final_url=outcome.final_url,
                status=outcome.status,
                headers=outcome.headers,
                body=outcome.body,
                hops=hops,
                truncated=outcome.truncated,
                elapsed_ms=elapsed_ms,
                retry_after_s=outcome.retry_after_s,
            )
        case NoAnswer():
            return Failure(
                requested_url=url,
                cause=_CAUSES[outcome.trouble],
                detail=outcome.detail,
                hops=hops,
                elapsed_ms=elapsed_ms,
                body=outcome.body,
                retry_after_s=outcome.retry_after_s,
            )
        case _:
            assert_never(outcome)
