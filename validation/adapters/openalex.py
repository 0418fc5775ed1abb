"""OpenAlex: one work by its DOI, works by a title (https://docs.openalex.org/)."""

from typing import Any
from urllib.parse import quote

from provenance_site.kit.outbound import OutboundClient
from validation.adapters import works
from validation.core.ports import NoWork, Unavailable, Work, WorkAnswer, WorksAnswer

_FIELDS = "id,doi,display_name,publication_year,authorships,primary_location"
_RESOLVER = "https://doi.org/"


class OpenAlexRegistry:
    """The Registry at OpenAlex."""

    name = "openalex"

    def __init__(self, base_url: str, client: OutboundClient, *, mailto: str = "") -> None:
        self._url = f"{base_url.rstrip('/')}/works"
        self._client = client
        self._mailto = mailto

    async def by_doi(self, doi: str) -> WorkAnswer:
        """The record of `doi`."""
        found = await works.ask(
            self._client,
            f"{self._url}/doi:{quote(doi, safe='')}",
            {"select": _FIELDS},
            provider=self.name,
            mailto=self._mailto,
        )
        return found if isinstance(found, NoWork | Unavailable) else _work(found)

    async def by_title(self, title: str, *, author: str = "", limit: int) -> WorksAnswer:
        """At most `limit` works, best first. Its search reads titles and abstracts, so an author's name stays out."""
        params = {"search": title, "per-page": str(limit), "select": _FIELDS}
        found = await works.ask(self._client, self._url, params, provider=self.name, mailto=self._mailto)
        if isinstance(found, NoWork):
            return ()
        if isinstance(found, Unavailable):
            return found
        return tuple(_work(record) for record in works.objects_of(found.get("results")))[:limit]


def _work(record: dict[str, Any]) -> Work:
    doi = works.text_of(record.get("doi")).lower().removeprefix(_RESOLVER)
    names = []
    for one in works.objects_of(record.get("authorships")):
        match one:
            case {"author": {"display_name": str(name)}} if name:
                names.append(name)
    match record:
        case {"primary_location": {"landing_page_url": url}}:
            landing = works.web_address(url)
        case _:
            landing = ""
    year = record.get("publication_year")
    return Work(
        doi=doi if doi.startswith("10.") else "",
        title=works.plain_title(record.get("display_name")),
        provider=OpenAlexRegistry.name,
        authors=tuple(names),
        year=year if isinstance(year, int) else None,
        # A work without a page of its own is given its DOI's address there, which says nothing new.
        landing_url="" if landing.lower().startswith(_RESOLVER) else landing,
    )
