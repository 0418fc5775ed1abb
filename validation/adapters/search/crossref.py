"""Crossref as a search of works by words (https://github.com/CrossRef/rest-api-doc)."""

from typing import Any

from provenance_site.kit.outbound import OutboundClient
from validation.adapters import works
from validation.adapters.answers import score_of
from validation.core.ports import ANYWHERE, Domains, Hit, NoWork, SearchAnswer, Unavailable

_FIELDS = "DOI,title,publisher,container-title,abstract,issued,resource,score"
_LONGEST = 2_000


class CrossrefSearch:
    """The Search over Crossref's records. A hit leads to the work's DOI."""

    name = "crossref"

    def __init__(
        self, base_url: str, client: OutboundClient, *, mailto: str = "", heard: works.Heard = works.unheard
    ) -> None:
        """`heard` is told each answer: its headers say how fast one may ask."""
        self._url = f"{base_url.rstrip('/')}/works"
        self._client = client
        self._mailto = mailto
        self._heard = heard

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` works, best first. Its records are of no domain and its filters know none: `domains` is
        compared here with the page that a work is registered for."""
        params = {"query.bibliographic": query, "rows": str(limit), "select": _FIELDS}
        found = await works.ask(
            self._client, self._url, params, provider=self.name, mailto=self._mailto, heard=self._heard
        )
        if isinstance(found, NoWork):
            return ()
        if isinstance(found, Unavailable):
            return found
        message = found.get("message")
        records = works.objects_of(message.get("items") if isinstance(message, dict) else None)
        return tuple(hit for record in records if (hit := _hit(record, domains)) is not None)[:limit]


def _hit(record: dict[str, Any], domains: Domains) -> Hit | None:
    """None for a record without a DOI, and for a work outside of `domains`."""
    doi = works.text_of(record.get("DOI")).lower()
    match record:
        case {"resource": {"primary": {"URL": str(landing)}}}:
            pass
        case _:
            landing = ""
    if not doi.startswith("10.") or (domains != ANYWHERE and not domains.allow(landing)):
        return None
    match record:
        case {"issued": {"date-parts": [[int(), *_] as parts, *_]}}:
            issued = "-".join(f"{part:02d}" for part in parts[:3] if isinstance(part, int))
        case _:
            issued = ""
    return Hit(
        url=f"https://doi.org/{doi}",
        title=works.plain_title(record.get("title")),
        provider=CrossrefSearch.name,
        snippet=works.plain_text(record.get("abstract"))[:_LONGEST],
        score=score_of(record.get("score")),
        published=issued,
        publisher=works.plain_title(record.get("container-title")) or works.plain_title(record.get("publisher")),
    )
