"""Crossref's REST API: one work by its DOI, works by a title (https://github.com/CrossRef/rest-api-doc)."""

from functools import partial
from typing import Any
from urllib.parse import quote

from provenance_site.kit.outbound import Answer, OutboundClient
from validation.adapters import works
from validation.adapters.hostlimit import HostLimit
from validation.core.pacing import Manners
from validation.core.ports import NoWork, Unavailable, Work, WorkAnswer, WorksAnswer
from validation.core.rates import slowest, told_manners

_FIELDS = "DOI,title,author,issued,resource"


class ToldPace:
    """Keeps the turns of one client at the pace that Crossref's answers tell. One event loop.

    Records and lists have limits of their own; one queue serves both, so it goes by the slower one.
    """

    def __init__(self, limit: HostLimit, *, guest: Manners, workers: int) -> None:
        """`guest` are the manners of all `workers` together, as long as nothing else was told."""
        self._limit = limit
        self._guest = guest
        self._workers = workers
        self._told: dict[str, Manners] = {}

    def heard(self, kind: str, answer: Answer) -> None:
        """Goes by the headers of an answer to a question of this kind from now on."""
        self._told[kind] = told_manners(
            answer.headers, guest=self._guest, workers=self._workers, answered_in_s=answer.elapsed_ms / 1000
        )
        self._limit.change_manners(slowest(self._told.values()))


class CrossrefRegistry:
    """The Registry at Crossref."""

    name = "crossref"

    def __init__(
        self, base_url: str, client: OutboundClient, *, mailto: str = "", pace: ToldPace | None = None
    ) -> None:
        """`pace` steers the turns of `client` by what the answers allow; without it they stay as they are."""
        self._url = f"{base_url.rstrip('/')}/works"
        self._client = client
        self._mailto = mailto
        self._heard_one: works.Heard = partial(pace.heard, "one") if pace else works.unheard
        self._heard_list: works.Heard = partial(pace.heard, "list") if pace else works.unheard

    async def by_doi(self, doi: str) -> WorkAnswer:
        """The record of `doi`, which is one path segment in the question: some hold `/`, `#`, `?` and commas."""
        found = await works.ask(
            self._client,
            f"{self._url}/{quote(doi, safe='')}",
            {},
            provider=self.name,
            mailto=self._mailto,
            heard=self._heard_one,
        )
        if isinstance(found, NoWork | Unavailable):
            return found
        record = found.get("message")
        work = _work(record) if isinstance(record, dict) else None
        return work or Unavailable(self.name, "its answer cannot be read")

    async def by_title(self, title: str, *, author: str = "", limit: int) -> WorksAnswer:
        """At most `limit` works, best first."""
        params = {"query.bibliographic": f"{title} {author}".strip(), "rows": str(limit), "select": _FIELDS}
        found = await works.ask(
            self._client, self._url, params, provider=self.name, mailto=self._mailto, heard=self._heard_list
        )
        if isinstance(found, NoWork):
            return ()
        if isinstance(found, Unavailable):
            return found
        message = found.get("message")
        items = message.get("items") if isinstance(message, dict) else None
        records = (_work(record) for record in works.objects_of(items))
        return tuple(work for work in records if work is not None)[:limit]


def _work(record: dict[str, Any]) -> Work | None:
    """None for a record without a DOI. `issued` may hold a year alone, or null in the year's place."""
    doi = works.text_of(record.get("DOI")).lower()
    if not doi.startswith("10."):
        return None
    authors = (
        " ".join(part for part in (works.text_of(one.get("given")), works.text_of(one.get("family"))) if part)
        or works.text_of(one.get("name"))
        for one in works.objects_of(record.get("author"))
    )
    match record:
        case {"issued": {"date-parts": [[int(year), *_], *_]}}:
            issued: int | None = year
        case _:
            issued = None
    match record:
        case {"resource": {"primary": {"URL": url}}}:
            landing = works.web_address(url)
        case _:
            landing = ""
    return Work(
        doi=doi,
        title=works.plain_title(record.get("title")),
        provider=CrossrefRegistry.name,
        authors=tuple(name for name in authors if name),
        year=issued,
        landing_url=landing,
    )
