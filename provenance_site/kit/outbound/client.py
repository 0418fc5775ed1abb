"""One GET with everything around it: redirects by hand, a jar for the chain, one retry, two caps, one deadline.

And one POST of JSON, for providers that take their questions so: no redirect, no cookie, no retry.
"""

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import aiohttp

from provenance_site.kit.outbound.answers import Answer, NoAnswer, Outcome, Step, Trouble
from provenance_site.kit.outbound.credentials import Bearer
from provenance_site.kit.outbound.decoding import BodyReader
from provenance_site.kit.outbound.policy import OutboundPolicy
from provenance_site.kit.outbound.resolving import Lookup, PinnedResolver, system_lookup
from provenance_site.kit.outbound.retrying import is_to_be_left_alone, retry_after_s, wait_before_retry
from provenance_site.kit.outbound.targets import Target, UnusableTarget, joined, target_of
from provenance_site.kit.outbound.transport import OpenSocket, PinnedTransport, open_socket, trusted_certificates
from provenance_site.kit.outbound.trips import Onward, Sink, Trip
from provenance_site.kit.outbound.troubles import NETWORK_ERRORS, trouble_of
from provenance_site.kit.outbound.turns import HostParked, NoTurns, Turns

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OK = 200
_LOOKUP_THREADS = 16

Sign = Callable[[bytes], Mapping[str, str]]


def _stay(answer: Answer) -> str | None:
    return None


class OutboundClient:
    """An HTTP client, to be used as an async context manager; one event loop, any number of requests at once."""

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        turns: Turns | None = None,
        lookup: Lookup | None = None,
        tls: ssl.SSLContext | None = None,
        dial: OpenSocket = open_socket,
    ) -> None:
        """`turns` paces requests by host; `lookup`, `tls`, `dial` stand in for name server, authorities, sockets."""
        self._policy = policy
        self._turns = turns or NoTurns()
        self._threads = ThreadPoolExecutor(_LOOKUP_THREADS, thread_name_prefix="lookup")
        resolver = PinnedResolver(policy, lookup or system_lookup(self._threads, within_s=policy.lookup_s))
        self._transport = PinnedTransport(policy, resolver, tls=tls or trusted_certificates(), dial=dial)

    @property
    def policy(self) -> OutboundPolicy:
        """What this client may do."""
        return self._policy

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        onward: Onward = _stay,
        within_s: float | None = None,
        sink: Sink | None = None,
    ) -> Outcome:
        """The answer at the end of the redirects, or why there is none. Never raises for what a network does.

        `headers` go to every hop (nothing secret belongs into them); the identity and the encodings are added here.
        `onward` may name another address that an answer sends its reader to (a refresh); it is followed under the same
        guard and hop budget. `within_s` shortens the policy's deadline. `sink` takes the body of an answer of status
        200 as it comes, under the same caps; the answer's own is empty then.

        One answer of 408, 425, 429 or 503 is tried again when the server asks for no more than the policy's
        `max_retry_wait_s`; else it is the answer. A 429 or 503 that asks for more parks its host: until then
        requests to it end as rate-limited, without a connection.
        """
        trip = Trip(
            requested_url=url,
            left_s=min(self._policy.deadline_s, within_s if within_s is not None else self._policy.deadline_s),
            headers={"User-Agent": self._policy.user_agent, "Accept-Encoding": "gzip, deflate", **headers},
            onward=onward,
            sink=sink,
        )
        return await self._told(trip, self._walk(trip))

    async def post_json(
        self,
        url: str,
        *,
        payload: Mapping[str, Any],
        bearer: Bearer | None = None,
        sign: Sign | None = None,
        within_s: float | None = None,
    ) -> Outcome:
        """The answer to a POST of `payload` as JSON (RFC 8259), or why there is none. Never raises for a network.

        A redirect is the answer: neither the payload nor the key of `bearer` goes anywhere else. No cookies, and no
        second try, since a provider may charge for each. Nothing of it is logged. `sign` gives headers for the exact
        bytes that are sent.
        """
        content = json.dumps(payload).encode()
        trip = Trip(
            requested_url=url,
            left_s=min(self._policy.deadline_s, within_s if within_s is not None else self._policy.deadline_s),
            headers={
                "User-Agent": self._policy.user_agent,
                "Accept-Encoding": "gzip, deflate",
                "Accept": "application/json",
                "Content-Type": "application/json",
                **(sign(content) if sign else {}),
            },
            onward=_stay,
        )
        return await self._told(trip, self._post(trip, content, bearer))

    async def _told(self, trip: Trip, asking: Coroutine[Any, Any, Outcome]) -> Outcome:
        """What `asking` came to, with what the network did as a value."""
        try:
            outcome = await asking
        except TimeoutError:
            outcome = trip.no_answer(Trouble.DEADLINE, "the time allowed for the whole answer is over")
        except HostParked as parked:
            outcome = replace(
                trip.no_answer(Trouble.RATE_LIMITED, str(parked)), body=b"", retry_after_s=parked.retry_after_s
            )
        except NETWORK_ERRORS as error:
            outcome = trip.no_answer(*trouble_of(error))
        return replace(outcome, elapsed_ms=round(trip.spent_s * 1000))

    async def _post(self, trip: Trip, content: bytes, bearer: Bearer | None) -> Outcome:
        target = target_of(trip.requested_url)
        key = {"Authorization": bearer.header_for(target, self._policy)} if bearer else {}
        headers = {**trip.headers, **key}
        async with self._turns.turn(target.host):
            started = time.monotonic()
            try:
                async with asyncio.timeout(trip.left_s):
                    response = await self._transport.send("POST", target, headers=headers, content=content)
                    try:
                        trip.steps.append(Step(target.text, response.status))
                        answer = await self._read(target, response, trip)
                    finally:
                        await self._transport.release(response)
            finally:
                trip.spend(time.monotonic() - started)
        self._respect(target, answer)
        return answer

    def _respect(self, target: Target, answer: Answer) -> None:
        """Parks a host that asks to be left alone."""
        if answer.retry_after_s and is_to_be_left_alone(answer, self._policy):
            self._turns.park(target.host, asyncio.get_running_loop().time() + answer.retry_after_s)

    async def _walk(self, trip: Trip) -> Outcome:
        target = target_of(trip.requested_url)
        may_retry = True
        while True:
            target, found = await self._visit(target, trip)
            if isinstance(found, NoAnswer):
                return found
            if isinstance(found, Answer):
                self._respect(target, found)
            wait_s = wait_before_retry(found, self._policy) if may_retry and isinstance(found, Answer) else None
            if wait_s is not None and wait_s < trip.left_s:
                may_retry = False
                if isinstance(found, Answer) and found.retry_after_s:
                    self._turns.hold(target.host, asyncio.get_running_loop().time() + wait_s)
                await asyncio.sleep(wait_s)
                trip.spend(wait_s)
                continue
            trip.leave()
            if isinstance(found, Answer):
                onward = _refreshed(target, trip.onward(found))
                if onward is None:
                    return found
                found = onward
            target = found

    async def _visit(self, target: Target, trip: Trip) -> tuple[Target, Outcome | Target]:
        """One turn at a host: what was asked last, and its answer, or the target of a redirect to another host.

        A redirect within the host is followed in the same turn, where the turns allow it: the host itself sends its
        reader there, browsers go at once, and the place stays taken, so that there are never more at once.
        """
        if astray := trip.reach(target, self._policy.max_hops):
            return target, astray
        async with self._turns.turn(target.host):
            while True:
                found = await self._ask(target, trip)
                if not isinstance(found, Target) or found.host != target.host or not self._turns.goes_on(found.host):
                    return target, found
                trip.leave()
                target = found
                if astray := trip.reach(target, self._policy.max_hops):
                    return target, astray

    async def _ask(self, target: Target, trip: Trip) -> Answer | Target:
        """One request: the answer, or the target of its redirect. Raises what the network does."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(trip.left_s):
                return await self._exchange(target, trip)
        finally:
            trip.spend(time.monotonic() - started)

    async def _exchange(self, target: Target, trip: Trip) -> Answer | Target:
        trip.reader = None
        cookies = trip.cookies.header(target.host, secure=target.is_secure)
        headers = {**trip.headers, "Cookie": cookies} if cookies else trip.headers
        response = await self._transport.send("GET", target, headers=headers)
        try:
            status = response.status
            trip.steps.append(Step(target.text, status))
            self._turns.heard(target.host, status)
            for line in response.headers.getall("Set-Cookie", ()):
                trip.cookies.remember(target.host, line, now=datetime.now(UTC))
            if status in _REDIRECTS:
                location = next((value for name, value in response.raw_headers if name.lower() == b"location"), b"")
                if location:
                    return joined(target, location)
            return await self._read(target, response, trip)
        finally:
            await self._transport.release(response)

    async def _read(self, target: Target, response: aiohttp.ClientResponse, trip: Trip) -> Answer:
        headers = _joined(response.raw_headers)
        coding = headers.get("content-encoding", "")
        policy = self._policy
        reader = BodyReader(
            coding,
            max_raw=policy.max_raw,
            max_body=policy.max_body,
            max_document=policy.max_document,
            sink=trip.sink if response.status == _OK else None,
        )
        trip.reader = reader
        async with aclosing(self._transport.chunks(response)) as chunks:
            async for chunk in chunks:
                reader.feed(chunk)
                if reader.truncated:
                    break
            else:
                reader.finish()
        return Answer(
            requested_url=trip.requested_url,
            final_url=target.text,
            status=response.status,
            headers=headers,
            body=reader.body,
            steps=tuple(trip.steps),
            truncated=reader.truncated,
            retry_after_s=retry_after_s(headers.get("retry-after", ""), now=datetime.now(UTC)),
        )


def _refreshed(target: Target, named: str | None) -> Target | None:
    """Where an answer sends its reader on to; None where nowhere else, or to something that is no web address."""
    if named is None:
        return None
    try:
        onward = joined(target, named.encode("utf-8", "replace"))
    except UnusableTarget:
        return None
    return None if onward.text == target.text else onward


def _joined(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name, repeated ones joined by a comma (RFC 9110, 5.3); not UTF-8: read as Latin-1."""
    found: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name = raw_name.decode("latin-1").lower()
        try:
            value = raw_value.decode("utf-8")
        except UnicodeDecodeError:
            value = raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found
