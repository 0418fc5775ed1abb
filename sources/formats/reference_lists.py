"""Reference lists as people write them: APA, MLA, Chicago, Harvard, IEEE, Vancouver, numbered or not."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Item
from sources.core.extraction.bibliography import all_entries
from sources.formats.format import Format, Head
from sources.formats.plain_text import Shape, shape_of, text_of
from sources.formats.reference_entries import records_of

_NUMBER = re.compile(r"\s{0,12}(?:\[(\d{1,6})\]:?|\((\d{1,6})\)|(\d{1,6})[.)])\s*\S")
_LETTER = re.compile(r"[^\W\d_]")
_LINE_END = re.compile(r"\r\n?|\n")
_HEADING = re.compile(r"#.*|[^\W\d_]+(?: [^\W\d_]+){0,2}:?")
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")


def _recognises(head: Head) -> bool:
    return shape_of(head) is Shape.REFERENCES


def _read(path: Path) -> Iterator[Item]:
    lines = extract.lines_of(text_of(path))
    entries = all_entries(lines, extract.printable(lines))
    yield from records_of(entries, status=CitationStatus.FOUND_IN_RESEARCH)


def _count(path: Path) -> int:
    """Openings of entries: numbers at line beginnings that count up; else paragraphs; else lines at the margin."""
    lines = [line.rstrip() for line in _LINE_END.split(text_of(path)) if not _HEADING.fullmatch(line.strip())]
    written = [line for line in lines if _LETTER.search(line)]
    if written and _NUMBER.match(written[0]):
        return _numbered(written)
    paragraphs = sum(
        bool(_LETTER.search(line)) and (not at or not lines[at - 1].strip()) for at, line in enumerate(lines)
    )
    if paragraphs > 1:
        return paragraphs
    margin = min((len(line) - len(line.lstrip()) for line in written), default=0)
    flush = sum(len(line) - len(line.lstrip()) == margin for line in written)
    dated = sum(bool(_YEAR.search(line)) for line in written)
    return flush if flush < len(written) or dated * 10 >= len(written) * 8 else dated


def _numbered(lines: list[str]) -> int:
    """A bare `2003.` opens an entry only where it follows the number before it."""
    count = last = 0
    for line in lines:
        found = _NUMBER.match(line)
        if found and (found[1] or not count or last < int(found[2] or found[3]) <= last + 5):
            last = int(found[1] or found[2] or found[3])
            count += 1
    return count


FORMAT = Format(
    name="reference-list",
    label="Reference list",
    recognises=_recognises,
    read=_read,
    count=_count,
)
