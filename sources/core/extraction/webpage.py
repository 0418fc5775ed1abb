"""Reading a saved web page or a browser's bookmark file: its links to other places, under their headings."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from sources.core.catalog import CitationStatus
from sources.core.extraction.gathering import row_error
from sources.core.extraction.wording import MAX_CONTEXT, MAX_TITLE, title_of_link
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.records import Extraction, Reference, RowError

_BEGINNING = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,2000}-->\s*)*<(?:!doctype\s+(?:html|netscape)|html)\b", re.I
)
_ELSEWHERE = re.compile(r"\s*(?:https?:|doi:|urn:|ftp:)", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4")
# How far ahead of the last link the next one is looked for; a link that is not found keeps the last one's line.
_REACH = 200_000
# Parts of a link or heading that are read for its words: unclosed headings nest, and each would hold all that follows.
_PARTS = 40


def is_web_page(lines: Sequence[str]) -> bool:
    """True when the text begins as an HTML document or a bookmark file does."""
    return _BEGINNING.match("\n".join(lines[:20])[:4_000]) is not None


def read_web_page(lines: Sequence[str]) -> Extraction:
    """References to other places, each once per line; links within the site, scripts and mail addresses are none.

    A link that leads elsewhere and cannot be used is an error with its line.
    """
    text = "\n".join(lines)
    references: dict[tuple[int, str], Reference] = {}
    errors: list[RowError] = []
    for tag, line, section in _links(text, lines):
        href = " ".join(str(tag.get("href", "")).split())
        try:
            identity = identify(href)
        except (UnusableUrl, BadIdentifier) as error:
            errors.append(row_error(line, href, str(error)))
            continue
        words = _words_of(tag)
        reference = Reference(
            line=line,
            spelling=href,
            identity=identity,
            title=title_of_link(words[:MAX_TITLE]),
            section=section,
            status=CitationStatus.FOUND_IN_RESEARCH,
            context=words[:MAX_CONTEXT],
        )
        references.setdefault((line, identity.key), reference)
    return Extraction(tuple(references.values()), tuple(errors))


def _links(text: str, lines: Sequence[str]) -> Iterator[tuple[Tag, int, str]]:
    """Links that lead elsewhere, with their line (from 1) and the heading above them, in reading order."""
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    at, section = 0, ""
    for tag in BeautifulSoup(text, "lxml").find_all(["a", *_HEADINGS]):
        if tag.name in _HEADINGS:
            section = _words_of(tag)[:MAX_TITLE]
            continue
        href = str(tag.get("href", ""))
        if not _ELSEWHERE.match(href):
            continue
        places = [text.find(written, at, at + _REACH) for written in {href, escape(href), escape(href, quote=False)}]
        found = min((place for place in places if place >= 0), default=None)
        if found is not None:
            # The same address may come again: the next one stands behind this one.
            at = found + 1
        yield tag, bisect_right(starts, at), section


def _words_of(tag: Tag) -> str:
    """The words inside a tag. Walks by hand: `descendants` looks for its end first, quadratic where tags nest."""
    words: list[str] = []
    waiting = list(reversed(tag.contents[:_PARTS]))
    for _ in range(_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, NavigableString):
            words.append(part)
        elif isinstance(part, Tag):
            waiting.extend(reversed(part.contents[:_PARTS]))
    return " ".join(" ".join(words).split())
