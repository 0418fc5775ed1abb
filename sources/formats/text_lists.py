"""Lists of addresses and identifiers, one source a line, with a bullet, number or title around it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Item, SourceRecord
from sources.core.extraction.bibliography import Entry
from sources.core.extraction.citation import looks_like_reference, read_citation
from sources.core.extraction.marks import without_marks
from sources.core.extraction.wording import without_bullet
from sources.core.identifiers import NOTHING_NAMED
from sources.core.records import Reference
from sources.formats.format import Format, Head
from sources.formats.plain_text import Shape, shape_of, text_of
from sources.formats.reference_entries import enriched, record_of

_HEADING = re.compile(r"\s*#|\s*[^:]{1,80}:\s*$|\s*(?:\*\*[^*]{1,80}\*\*|__[^_]{1,80}__):?\s*$")
_NO_ENTRY = re.compile(r"[-*_=~+#|:\s]*")
_ADDRESS = re.compile(r"https?://[^\s<>\"”]+|(?<![\w/.])10\.\d{4,9}/[^\s<>\"”]+", re.IGNORECASE)
_RESOLVER = re.compile(r"https?://(?:www\.)?(?:dx\.)?(?:doi\.org/)?", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")


def record_of_reference(reference: Reference) -> SourceRecord:
    """What a text says of one source, as a record; assistants' marks are taken out of its words."""
    return SourceRecord(
        line=reference.line,
        spelling=reference.spelling[:200],
        identities=(reference.identity,),
        title=without_marks(reference.title),
        section=without_marks(reference.section),
        status=reference.status,
        context=without_marks(reference.context),
    )


def _recognises(head: Head) -> bool:
    return shape_of(head) is Shape.LIST


def _read(path: Path) -> Iterator[Item]:
    text = text_of(path)
    lines = extract.lines_of(text)
    found = extract.extract(text, shape=extract.Shape.LIST)
    items: list[Item] = []
    for error in found.errors:
        line = lines[error.line - 1]
        if error.message == NOTHING_NAMED and looks_like_reference(without_bullet(line)):
            entry = Entry(line=error.line, end=error.line, text=without_bullet(line).strip())
            items.append(record_of(entry, status=CitationStatus.FOUND_IN_RESEARCH))
        else:
            items.append(error)
    items += [_told(reference, lines[reference.line - 1]) for reference in found.references]
    yield from sorted(items, key=lambda item: item.line)


def _told(reference: Reference, line: str) -> SourceRecord:
    record = record_of_reference(reference)
    entry = without_bullet(line)[:4_000]
    if reference.title or not looks_like_reference(entry):
        return record
    told = read_citation(entry)
    return enriched(record, told) if told.is_clear else replace(record, published_date=told.published_date)


def _count(path: Path) -> int:
    """Lines that are neither blank, a rule nor a heading; a line with several addresses counts for each of them. One
    where nothing else counts, or where the list is too long to be read: the sentence that says so."""
    text = text_of(path)
    lines = _LINE_END.split(text)
    if len(lines) > extract.MAX_LINES:
        return 1
    count = 0
    for line in lines:
        if _NO_ENTRY.fullmatch(line):
            continue
        named = {_RESOLVER.sub("", found[0]).rstrip("/.,;:)]").lower() for found in _ADDRESS.finditer(line)}
        if not named and _HEADING.match(line):
            continue
        count += max(1, len(named))
    return count or int(bool(text.strip()))


FORMAT = Format(
    name="list",
    label="List of addresses and identifiers",
    recognises=_recognises,
    read=_read,
    count=_count,
)
