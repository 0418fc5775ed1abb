"""Tavily's search: POST /search with a bearer key."""

from typing import Any

from provenance_site.kit.outbound import Bearer, OutboundClient
from validation.adapters.answers import hits_in
from validation.adapters.search.keyed import ask, without_site
from validation.core.ports import ANYWHERE, Domains, SearchAnswer, Unavailable


class TavilySearch:
    """The Search of one Tavily account."""

    name = "tavily"

    def __init__(self, base_url: str, key: str, client: OutboundClient, *, told_as: str = "DESK_TAVILY_KEY") -> None:
        """`told_as` names, to who must act, where the key was entered."""
        self._url = f"{base_url.rstrip('/')}/search"
        self._bearer = Bearer(base_url, key)
        self._client = client
        self._told_as = told_as

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` hits, best first; a `site:` of the query becomes `include_domains`, which Tavily knows."""
        words, hosts = without_site(query)
        payload: dict[str, Any] = {"query": words, "max_results": limit}
        if include := [*hosts, *domains.include]:
            payload["include_domains"] = include
        if domains.exclude:
            payload["exclude_domains"] = list(domains.exclude)
        found = await ask(
            self._client, self._url, payload, bearer=self._bearer, provider=self.name, entered_as=self._told_as
        )
        if isinstance(found, Unavailable):
            return found
        return hits_in(found.get("results"), self.name, domains=domains, published="published_date")[:limit]
