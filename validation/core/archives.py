"""Captures in web archives: they prove what they show, and some show only the error page of the day.

Memento (RFC 7089) replays put the captured answer's own headers behind `x-archive-orig-`; the address of the captured
page stands whole in the replay's path.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from sources.core.findings import Cause, Verdict
from validation.core.reading import PageText
from validation.core.rulings import Ruling

HOSTS = frozenset(
    {
        "web.archive.org",
        "wayback.archive-it.org",
        "arquivo.pt",
        "webarchive.org.uk",
        "webarchive.nationalarchives.gov.uk",
        "webarchive.loc.gov",
        "wayback.vefsafn.is",
    }
)
_CAPTURE = re.compile(r"/(?:\d{4,14}|\*)(?:[a-z]{2}_)?/(https?):/{1,2}(.+)$", re.IGNORECASE)
_STATUS_HEADERS = ("x-archive-orig-status", "x-archive-orig-:status")
_STATUS = re.compile(r"\b([1-5]\d\d)\b")
_AT_CRAWL = re.compile(r"\bgot an http ([45]\d\d) response at crawl time", re.IGNORECASE)
_LEAD_BLOCKS = 12
_DEAD = frozenset({404, 410})


def archived_url(url: str) -> str:
    """The address whose capture `url` is: `http://a.org/b` in `https://web.archive.org/web/2020/http://a.org/b`.

    '' where `url` is no capture.
    """
    if "/http" not in url.lower():  # asked of every page, some times: a tenth of taking the address apart
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if (parts.hostname or "").lower().removeprefix("www.") not in HOSTS:
        return ""
    found = _CAPTURE.search(f"{parts.path}?{parts.query}" if parts.query else parts.path)
    return f"{found.group(1).lower()}://{found.group(2)}" if found else ""


def captured_error(url: str, headers: Mapping[str, str], text: PageText) -> Ruling | None:
    """A ruling where `url` is a capture of an error page, by the replay's headers or its notice. A captured 404 or 410
    is a dead page; any other error proves nothing. `headers` have lower-case names.
    """
    if not archived_url(url):
        return None
    said = next((headers[name] for name in _STATUS_HEADERS if name in headers), "")
    found = _STATUS.search(said) if said else _by_notice(text)
    if found is None or int(found.group(1)) < 400:
        return None
    status = int(found.group(1))
    verdict = Verdict.HARD_404 if status in _DEAD else Verdict.FETCH_FAILED
    return Ruling(verdict, Cause.ARCHIVED_ERROR, "captured-error", found.string, f"HTTP {status} when captured")


def _by_notice(text: PageText) -> re.Match[str] | None:
    return next((found for block in text.blocks[:_LEAD_BLOCKS] if (found := _AT_CRAWL.search(block.text))), None)
