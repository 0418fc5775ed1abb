"""Firecrawl's search: POST /v1/search with a bearer key; with domains POST /v2/search, which has fields for them."""

from typing import Any

from provenance_site.kit.outbound import Bearer, OutboundClient
from validation.adapters.answers import hits_in
from validation.adapters.search.keyed import ask
from validation.core.ports import ANYWHERE, Domains, SearchAnswer, Unavailable


class FirecrawlSearch:
    """The Search of one Firecrawl account, or of an instance that runs elsewhere."""

    name = "firecrawl"

    def __init__(self, base_url: str, key: str, client: OutboundClient, *, told_as: str = "DESK_FIRECRAWL_KEY") -> None:
        """`told_as` names, to who must act, where the key was entered."""
        self._base_url = base_url.rstrip("/")
        self._bearer = Bearer(base_url, key)
        self._client = client
        self._told_as = told_as

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` hits, best first. It knows `site:` and quoted phrases.

        Its second version takes hosts to keep to or hosts to leave out, never both: where both are asked for, it is
        told the first and the rest is left out here.
        """
        payload: dict[str, Any] = {"query": query, "limit": limit}
        if domains.include:
            payload["includeDomains"] = list(domains.include)
        elif domains.exclude:
            payload["excludeDomains"] = list(domains.exclude)
        version = "v1" if domains == ANYWHERE else "v2"
        found = await ask(
            self._client,
            f"{self._base_url}/{version}/search",
            payload,
            bearer=self._bearer,
            provider=self.name,
            entered_as=self._told_as,
        )
        if isinstance(found, Unavailable):
            return found
        if found.get("success") is False:
            return Unavailable(self.name, "it could not search")
        data = found.get("data")
        results = data.get("web") if isinstance(data, dict) else data
        return hits_in(results, self.name, domains=domains, snippet="description")[:limit]
