"""An Atom feed (RFC 4287) of what it is given. Pure: no database, no clock."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from provenance_site.kit.text import for_xml

CONTENT_TYPE = "application/atom+xml; charset=utf-8"
_ATOM = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of news: `id` is an IRI that stays the same, `url` an absolute address."""

    id: str
    title: str
    text: str
    url: str
    at: datetime


def feed(*, id: str, title: str, url: str, author: str, at: datetime, entries: Sequence[Entry]) -> bytes:
    """The feed as UTF-8, the same bytes for the same news. `at` is when it began, for a feed without entries."""
    ET.register_namespace("", _ATOM)
    root = ET.Element(f"{{{_ATOM}}}feed")
    updated = max((entry.at for entry in entries), default=at)
    _head(root, id=id, title=title, url=url, at=updated)
    _text(ET.SubElement(root, f"{{{_ATOM}}}author"), "name", author)
    for entry in entries:
        part = ET.SubElement(root, f"{{{_ATOM}}}entry")
        _head(part, id=entry.id, title=entry.title or "News", url=entry.url, at=entry.at)
        _text(part, "summary", entry.text, type="text")
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _head(part: ET.Element, *, id: str, title: str, url: str, at: datetime) -> None:
    _text(part, "id", id)
    _text(part, "title", title, type="text")
    _text(part, "updated", at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    ET.SubElement(part, f"{{{_ATOM}}}link", {"rel": "alternate", "type": "text/html", "href": url})


def _text(part: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(part, f"{{{_ATOM}}}{name}", attributes).text = for_xml(text)
