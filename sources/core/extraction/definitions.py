"""Citation definitions of memo sections: `[^1]: 2024, Apr 25. [Title](https://…). Publisher. Published: 2024-04-25`."""

import re
from dataclasses import dataclass

from sources.core.extraction.spans import SpanKind, spans_in
from sources.core.extraction.wording import plain

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"\s*((?:19|20)\d\d)(?:,? ([A-Z][a-z]{2,8})\.?(?: (\d{1,2}))?)?\s*[.,]\s+")
_PUBLISHED = re.compile(r"\bPublished: ?((?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)")
_FIELDS = re.compile(r"\s*\|?\s*\b(?:Published|Updated|Accessed): ?[^|]*")
_NAME_OF_IDENTIFIER = re.compile(r"\b(?:doi|arxiv|pmid|isbn|handle|hdl)$", re.IGNORECASE)
_LONGEST = 4_000
_ADDRESSES = frozenset({SpanKind.LINK, SpanKind.BARE, SpanKind.BROKEN, SpanKind.IDENTIFIER})


@dataclass(frozen=True, slots=True)
class Definition:
    """What a definition says; '' for what it does not. `published_date` is YYYY, YYYY-MM or YYYY-MM-DD."""

    title: str
    address: str
    publisher: str
    published_date: str


def read_definition(text: str) -> Definition:
    """The parts of a definition, without its `[^n]:`. Total; reads at most 4,000 characters."""
    text = " ".join(text[:_LONGEST].split())
    dated = _DATE.match(text)
    body = text[dated.end() :] if dated else text
    published = _PUBLISHED.search(body)
    date = published[1] if published else _date(dated)
    body = _FIELDS.sub("", body)
    span = next((each for each in spans_in(body) if each.kind in _ADDRESSES), None)
    if span is None:
        title, _, rest = body.partition(". ")
        return Definition(plain(title).rstrip("."), "", plain(rest).strip(" ."), date)
    before = _NAME_OF_IDENTIFIER.sub("", plain(body[: span.start]).strip(" .:—-"))
    title = plain(span.text) or span.title or before.strip(" .:—-")
    return Definition(title, span.target, plain(body[span.end :]).strip(" .,;"), date)


def _date(found: re.Match[str] | None) -> str:
    if not found:
        return ""
    month = (found[2] or "")[:3].lower()
    if month not in _MONTHS:
        return found[1]
    day = f"-{int(found[3]):02d}" if found[3] and 1 <= int(found[3]) <= 31 else ""
    return f"{found[1]}-{_MONTHS.index(month) + 1:02d}{day}"
