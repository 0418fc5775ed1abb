"""Firecrawl's search: POST /v1/search with a bearer key."""

from provenance_site.kit.outbound import Bearer, OutboundClient
from validation.adapters.answers import hits_in
from validation.adapters.search.keyed import ask
from validation.core.ports import SearchAnswer, Unavailable


class FirecrawlSearch:
    """The Search of one Firecrawl account, or of an instance that runs elsewhere."""

    name = "firecrawl"

    def __init__(self, base_url: str, key: str, client: OutboundClient, *, told_as: str = "DESK_FIRECRAWL_KEY") -> None:
        """`told_as` names, to who must act, where the key was entered."""
        self._url = f"{base_url.rstrip('/')}/v1/search"
        self._bearer = Bearer(base_url, key)
        self._client = client
        self._told_as = told_as

    async def search(self, query: str, *, limit: int) -> SearchAnswer:
        """At most `limit` hits, best first. It knows `site:` and quoted phrases."""
        found = await ask(
            self._client,
            self._url,
            {"query": query, "limit": limit},
            bearer=self._bearer,
            provider=self.name,
            entered_as=self._told_as,
        )
        if isinstance(found, Unavailable):
            return found
        if found.get("success") is False:
            return Unavailable(self.name, "it could not search")
        return hits_in(found.get("data"), self.name)[:limit]
