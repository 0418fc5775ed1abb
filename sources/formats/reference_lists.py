"""Reference lists as people write them: APA, MLA, Chicago, Harvard, IEEE, Vancouver, numbered or not."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Item
from sources.core.extraction.bibliography import entries_in, shelves
from sources.formats.format import Format, Head
from sources.formats.plain_text import Shape, shape_of, text_of
from sources.formats.reference_entries import records_of

_NUMBER = re.compile(r"\s{0,12}(?:\[\d{1,6}\]:?|\(\d{1,6}\)|\d{1,6}[.)])\s*\S")
_LETTER = re.compile(r"[^\W\d_]")
_LINE_END = re.compile(r"\r\n?|\n")
_HEADING = re.compile(r"#.*|[^\W\d_]+(?: [^\W\d_]+){0,2}:?")
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")


def _recognises(head: Head) -> bool:
    return shape_of(head) is Shape.REFERENCES


def _read(path: Path) -> Iterator[Item]:
    written = extract.lines_of(text_of(path))
    parts, lines = shelves(written), extract.printable(written)
    at = 0
    for part in parts:
        yield from records_of(entries_in(lines, at, max(at, part.start - 1)), status=CitationStatus.FOUND_IN_RESEARCH)
        yield from records_of(
            entries_in(lines, part.start, part.end), section=part.heading, status=CitationStatus.FOUND_IN_RESEARCH
        )
        at = part.end
    yield from records_of(entries_in(lines, at, len(lines)), status=CitationStatus.FOUND_IN_RESEARCH)


def _count(path: Path) -> int:
    """Openings of entries: numbers at line beginnings; else paragraphs; else lines at the margin that hold a letter."""
    lines = [line.rstrip() for line in _LINE_END.split(text_of(path)) if not _HEADING.fullmatch(line.strip())]
    written = [line for line in lines if _LETTER.search(line)]
    numbers = sum(bool(_NUMBER.match(line)) for line in written)
    if written and _NUMBER.match(written[0]):
        return numbers
    paragraphs = sum(
        bool(_LETTER.search(line)) and (not at or not lines[at - 1].strip()) for at, line in enumerate(lines)
    )
    if paragraphs > 1:
        return paragraphs
    margin = min((len(line) - len(line.lstrip()) for line in written), default=0)
    flush = [line for line in written if len(line) - len(line.lstrip()) == margin]
    return len(flush) if len(flush) < len(written) else sum(bool(_YEAR.search(line)) for line in written)


FORMAT = Format(
    name="reference-list",
    label="Reference list",
    recognises=_recognises,
    read=_read,
    count=_count,
)
