"""Perplexity's search: POST /chat/completions with a bearer key, of which only `search_results` is read.

Those are the pages that it really retrieved. Addresses that its prose names are a model's guess, and so may be
`citations` of older answers: neither is read.
"""

from typing import Any

from provenance_site.kit.outbound import Bearer, OutboundClient
from validation.adapters.answers import hits_in
from validation.adapters.search.keyed import ask, without_site
from validation.core.ports import SearchAnswer, Unavailable

_MODEL = "sonar"
# The prose is thrown away; a few tokens keep it cheap.
_TOKENS = 16


class PerplexitySearch:
    """The Search of one Perplexity account."""

    name = "perplexity"

    def __init__(
        self, base_url: str, key: str, client: OutboundClient, *, told_as: str = "DESK_PERPLEXITY_KEY"
    ) -> None:
        """`told_as` names, to who must act, where the key was entered."""
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._bearer = Bearer(base_url, key)
        self._client = client
        self._told_as = told_as

    async def search(self, query: str, *, limit: int) -> SearchAnswer:
        """At most `limit` hits, in the order in which they were retrieved."""
        words, hosts = without_site(query)
        payload: dict[str, Any] = {
            "model": _MODEL,
            "messages": [{"role": "user", "content": words}],
            "max_tokens": _TOKENS,
        }
        if hosts:
            payload["search_domain_filter"] = hosts
        found = await ask(
            self._client, self._url, payload, bearer=self._bearer, provider=self.name, entered_as=self._told_as
        )
        return found if isinstance(found, Unavailable) else hits_in(found.get("search_results"), self.name)[:limit]
