"""OpenAlex as a search of works by words (https://docs.openalex.org/)."""

from typing import Any

from provenance_site.kit.outbound import OutboundClient
from validation.adapters import works
from validation.adapters.answers import score_of
from validation.core.ports import ANYWHERE, Domains, Hit, NoWork, SearchAnswer, Unavailable

_FIELDS = "id,doi,display_name,publication_date,primary_location,relevance_score"
_RESOLVER = "https://doi.org/"


class OpenAlexSearch:
    """The Search over OpenAlex' works. A hit leads to the work's DOI, to its page where it has none."""

    name = "openalex"

    def __init__(self, base_url: str, client: OutboundClient, *, mailto: str = "") -> None:
        self._url = f"{base_url.rstrip('/')}/works"
        self._client = client
        self._mailto = mailto

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` works, best first. Its filters know no domain: `domains` is compared here with the page of
        the work."""
        params = {"search": query, "per-page": str(limit), "select": _FIELDS}
        found = await works.ask(self._client, self._url, params, provider=self.name, mailto=self._mailto)
        if isinstance(found, NoWork):
            return ()
        if isinstance(found, Unavailable):
            return found
        records = works.objects_of(found.get("results"))
        return tuple(hit for record in records if (hit := _hit(record, domains)) is not None)[:limit]


def _hit(record: dict[str, Any], domains: Domains) -> Hit | None:
    """None for a work without any address, and for one outside of `domains`."""
    place = record.get("primary_location")
    place = place if isinstance(place, dict) else {}
    landing = works.web_address(place.get("landing_page_url"))
    doi = works.text_of(record.get("doi")).lower().removeprefix(_RESOLVER)
    url = f"{_RESOLVER}{doi}" if doi.startswith("10.") else landing
    if not url or (domains != ANYWHERE and not domains.allow(landing)):
        return None
    journal = place.get("source")
    return Hit(
        url=url,
        title=works.plain_title(record.get("display_name")),
        provider=OpenAlexSearch.name,
        score=score_of(record.get("relevance_score")),
        published=works.text_of(record.get("publication_date"))[:10],
        publisher=works.plain_title(journal.get("display_name")) if isinstance(journal, dict) else "",
    )
