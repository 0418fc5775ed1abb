"""The Wayback Machine: the newest copy of an address that was a success when it was captured.

Two of its doors: `/wayback/available` is quick and gives the newest copy with its status; where that one is a capture
of an error, the index (`/cdx/search/cdx`, wayback-cdx-server) is asked for the newest whose status was 2xx.
"""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from provenance_site.kit.outbound import Answer, NoAnswer, OutboundClient
from validation.adapters.answers import json_list, json_object
from validation.core.ports import Capture, CaptureAnswer, NoCapture, Unavailable

_COPY = re.compile(r"https?://[^/]+/web/(?P<at>\d{14})[a-z_]*/(?P<original>https?:.*)", re.IGNORECASE)


class WaybackArchive:
    """The Archive at the Wayback Machine. `index_url` is where its index answers, if that is another host."""

    name = "wayback"

    def __init__(self, base_url: str, client: OutboundClient, *, index_url: str = "") -> None:
        self._base_url = base_url.rstrip("/")
        self._index_url = (index_url or base_url).rstrip("/")
        self._client = client

    async def newest(self, url: str) -> CaptureAnswer:
        """The newest copy whose own status was 2xx: a copy of an error page proves nothing."""
        answer = await self._get(f"{self._base_url}/wayback/available?{urlencode({'url': url})}")
        if isinstance(answer, Unavailable):
            return answer
        found = json_object(answer)
        if found is None or not isinstance(found.get("archived_snapshots"), dict):
            return Unavailable(self.name, "its answer cannot be read")
        closest = found["archived_snapshots"].get("closest")
        if not isinstance(closest, dict) or not closest.get("available"):
            return NoCapture(self.name)
        status = _number(closest.get("status"))
        copy = _COPY.fullmatch(str(closest.get("url", "")))
        if 200 <= status < 300 and copy is not None:
            return self._capture(at=copy["at"], original=copy["original"], status=status)
        return await self._from_index(url)

    async def _from_index(self, url: str) -> CaptureAnswer:
        """The index gives a list of rows, its first the names of the columns; `limit=-1` means the last row."""
        params = {
            "url": url,
            "output": "json",
            "fl": "timestamp,original,statuscode",
            "filter": "statuscode:2..",
            "limit": "-1",
        }
        answer = await self._get(f"{self._index_url}/cdx/search/cdx?{urlencode(params)}")
        if isinstance(answer, Unavailable):
            return answer
        match json_list(answer):
            case None:
                return Unavailable(self.name, "its answer cannot be read")
            case [*_, [str(at), str(original), str(status)]] if re.fullmatch(r"\d{14}", at) and status.isdigit():
                return self._capture(at=at, original=original, status=int(status))
            case _:
                return NoCapture(self.name)

    async def _get(self, url: str) -> Answer | Unavailable:
        answer = await self._client.get(url, headers={"Accept": "application/json"})
        if isinstance(answer, NoAnswer):
            return Unavailable(self.name, answer.detail, answer.retry_after_s)
        if answer.status == 429:
            return Unavailable(self.name, "it asks us to slow down", answer.retry_after_s)
        if answer.status != 200:
            return Unavailable(self.name, f"it answered with status {answer.status}", answer.retry_after_s)
        return answer

    def _capture(self, *, at: str, original: str, status: int) -> CaptureAnswer:
        try:
            moment = datetime.strptime(at, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            return Unavailable(self.name, "its answer cannot be read")
        return Capture(
            archived_url=f"https://web.archive.org/web/{at}/{original}",
            original_url=original,
            status=status,
            at=moment,
            provider=self.name,
        )


def _number(value: Any) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) == 3 else 0
