"""Perplexity's search: POST /chat/completions with a bearer key, of which only `search_results` is read.

Those are the pages that it really retrieved. Addresses that its prose names are a model's guess, and so may be
`citations` of older answers: neither is read.
"""

from typing import Any

from provenance_site.kit.outbound import Bearer, OutboundClient
from validation.adapters.answers import hits_in
from validation.adapters.search.keyed import ask, without_site
from validation.core.ports import ANYWHERE, Domains, SearchAnswer, Unavailable

_MODEL = "sonar"
# The prose is thrown away; a few tokens keep it cheap.
_TOKENS = 16
_MOST_DOMAINS = 20


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

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` hits, in the order in which they were retrieved.

        The filter takes names to keep to or, with a minus, names to leave out, never both, and at most 20
        (docs.perplexity.ai, search domain filters): where both are asked for, it is told the first and the rest is left
        out here.
        """
        words, hosts = without_site(query)
        payload: dict[str, Any] = {
            "model": _MODEL,
            "messages": [{"role": "user", "content": words}],
            "max_tokens": _TOKENS,
        }
        if told := [*hosts, *domains.include] or [f"-{one}" for one in domains.exclude]:
            payload["search_domain_filter"] = told[:_MOST_DOMAINS]
        found = await ask(
            self._client, self._url, payload, bearer=self._bearer, provider=self.name, entered_as=self._told_as
        )
        if isinstance(found, Unavailable):
            return found
        results = found.get("search_results")
        return hits_in(results, self.name, domains=domains, snippet="snippet", published="date")[:limit]
