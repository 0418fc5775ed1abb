"""SearXNG, the search engine that an installation can run for itself (its search API, `format=json`)."""

from urllib.parse import urlencode

from provenance_site.kit.outbound import NoAnswer, OutboundClient, Trouble
from validation.adapters.answers import hits_in, json_object
from validation.core.ports import ANYWHERE, Domains, SearchAnswer, Unavailable

_ADD_JSON = "it does not answer in JSON; add `json` to `search.formats` in its settings.yml"


class SearxngSearch:
    """The Search of one SearXNG instance."""

    name = "searxng"

    def __init__(self, base_url: str, client: OutboundClient) -> None:
        self._base_url = base_url.rstrip("/")
        self._client = client

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` hits, best first. Unavailable, with a reason that its operator can act on, where the instance
        cannot be asked or none of its engines answered: that nothing was found is then not known.

        Its API has no field for domains; what its engines know are the operators `site:` and `-site:`.
        """
        asked = " ".join([query, *_operators(domains)])
        url = f"{self._base_url}/search?{urlencode({'q': asked, 'format': 'json'})}"
        answer = await self._client.get(url, headers={"Accept": "application/json"})
        if isinstance(answer, NoAnswer):
            # The detail would name the host, which may be an admin's secret.
            inside = answer.trouble is Trouble.BLOCKED_ADDRESS
            return Unavailable(self.name, "its address is private or reserved" if inside else answer.detail)
        if answer.status == 403:
            return Unavailable(self.name, _ADD_JSON)
        if answer.status == 429:
            return Unavailable(
                self.name, "its limiter refuses us; allow this host in its limiter.toml", answer.retry_after_s
            )
        found = json_object(answer)
        if answer.status != 200:
            return Unavailable(self.name, f"it answered with status {answer.status}", answer.retry_after_s)
        if found is None:
            return Unavailable(self.name, _ADD_JSON)
        hits = hits_in(found.get("results"), self.name, domains=domains, published="publishedDate")
        if not hits and found.get("unresponsive_engines"):
            return Unavailable(self.name, "none of its engines answered; see its /stats page")
        return hits[:limit]


def _operators(domains: Domains) -> list[str]:
    kept_to = " OR ".join(f"site:{one}" for one in domains.include)
    return [part for part in (kept_to, *(f"-site:{one}" for one in domains.exclude)) if part]
