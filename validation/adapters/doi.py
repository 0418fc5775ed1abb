"""DOI look-ups at a handle proxy (https://doi.org/, whose REST interface is described in the DOI Handbook, ch. 4)."""

from typing import Any
from urllib.parse import quote

from provenance_site.kit.outbound import NoAnswer, OutboundClient
from validation.adapters.answers import json_object
from validation.core.ports import HandleAnswer, NotRegistered, Registered, Unavailable

_PROVIDER = "doi"


class HandleApi:
    """The HandleLookup of one handle proxy."""

    def __init__(self, base_url: str, client: OutboundClient) -> None:
        self._base_url = base_url.rstrip("/")
        self._client = client

    async def lookup(self, doi: str) -> HandleAnswer:
        """Whether `doi` is registered; `Registered.url` is '' for one without an address.

        Unavailable for everything that is neither a yes nor a no: a look-up that failed proves nothing.
        """
        if any(part in {".", ".."} for part in doi.split("/")):
            return Unavailable(_PROVIDER, "a DOI with this path cannot be asked for")
        url = f"{self._base_url}/api/handles/{quote(doi, safe='/')}"
        answer = await self._client.get(url, headers={"Accept": "application/json"})
        if isinstance(answer, NoAnswer):
            return Unavailable(_PROVIDER, answer.detail)
        found = json_object(answer)
        if found is None or answer.status >= 500:
            return Unavailable(_PROVIDER, f"status {answer.status} without a usable answer", answer.retry_after_s)
        match str(found.get("responseCode")):
            case "1":  # success
                return Registered(doi=doi, url=_address(found.get("values")))
            case "100":  # no such handle; the status is 404
                return NotRegistered(doi=doi)
            case code:
                return Unavailable(_PROVIDER, f"answered with code {code[:20]}", answer.retry_after_s)


def _address(values: Any) -> str:
    """The text of the first value of type URL (Handle values are `{"type", "data": {"format", "value"}}`)."""
    for value in values if isinstance(values, list) else ():
        if isinstance(value, dict) and value.get("type") == "URL":
            data = value.get("data")
            text = data.get("value") if isinstance(data, dict) else data
            if isinstance(text, str):
                return text
    return ""
