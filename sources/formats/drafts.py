"""Drafts and reports in Markdown or plain text, an assistant's too: links, notes, and the reference list at the end."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Author, Item, SourceRecord
from sources.core.extraction.bibliography import Entry, Shelf, entries_in, shelves
from sources.core.extraction.citation import looks_like_reference, read_citation
from sources.core.extraction.definitions import read_definition
from sources.core.extraction.marks import lost_keys, lost_marks, with_plain_marks
from sources.core.kinds import IdentifierType
from sources.core.records import Extraction, Reference
from sources.formats.format import Format, Head
from sources.formats.naming import ordered
from sources.formats.plain_text import Shape, shape_of, text_of
from sources.formats.reference_entries import enriched, record_of
from sources.formats.text_lists import record_of_reference

# A note's definition, its number taken off or not, that begins with a date.
_NOTE = re.compile(r"\s*(?:\[\^[^\]\s]{1,50}\])?:\s+(?=(?:19|20)\d\d(?:, [A-Z][a-z]{2}[a-z]* \d{1,2})?\. )")
_LONGEST_PUBLISHER = 8


def _recognises(head: Head) -> bool:
    return shape_of(head) is Shape.DRAFT


def _read(path: Path) -> Iterator[Item]:
    yield from read_text(text_of(path))


def read_text(text: str) -> list[Item]:
    """All references of a draft, entries of its reference list that name no address, and marks that lead nowhere."""
    lines = extract.lines_of(text)
    found = extract.extract("\n".join(with_plain_marks(lines)), shape=extract.Shape.DRAFT)
    if len(lines) > extract.MAX_LINES:
        return list(found.errors)
    clean = extract.printable(lines)
    entries = [(entry, shelf.heading) for shelf in shelves(lines) for entry in _references(clean, shelf)]
    items: list[Item] = list(_records(found, entries))
    items += [*lost_marks(lines), *lost_keys(lines)]
    if not items:
        return list(found.errors)
    items += [error for error in found.errors if error.message != extract.NOTHING_FOUND]
    return sorted(items, key=lambda item: item.line)


def placed(
    record: SourceRecord,
    *,
    section: str,
    version: str,
    details: tuple[tuple[str, str], ...],
    status: CitationStatus | None = None,
) -> SourceRecord:
    """`record` of a draft that is one part of a larger text: that part's section, version and details."""
    return replace(
        record,
        section=section or record.section,
        project_version=version,
        status=status or record.status,
        details=(*record.details, *details),
    )


def _references(lines: Sequence[str], shelf: Shelf) -> list[Entry]:
    """The entries of a list that are references by their wording; all of them where most are."""
    entries = entries_in(lines, shelf.start, shelf.end)
    likely = [entry for entry in entries if looks_like_reference(entry.text)]
    return entries if len(likely) * 2 >= len(entries) else likely


def _records(found: Extraction, entries: Sequence[tuple[Entry, str]]) -> Iterator[SourceRecord]:
    """Records of references as they stand; those inside an entry of the list carry what the entry says."""
    starts = [entry.line for entry, _ in entries]
    inside: dict[int, list[Reference]] = {}
    for reference in found.references:
        at = bisect_right(starts, reference.line) - 1
        if at >= 0 and reference.line <= entries[at][0].end:
            inside.setdefault(at, []).append(reference)
        else:
            yield record_of_reference(reference)
    authors: tuple[Author, ...] = ()
    for at, (entry, heading) in enumerate(entries):
        named = inside.get(at, [])
        if named and not entry.mended and _one_work(named) and (note := _NOTE.match(entry.text)):
            yield _defined(named, entry.text[note.end() :])
            continue
        told = read_citation(entry.text)
        if not named or entry.mended:
            record = record_of(entry, section=heading, status=CitationStatus.INCLUDED)
            yield replace(record, authors=record.authors or (authors if entry.repeats_author else ()))
        elif _one_work(named):
            record = record_of_reference(named[0])
            first = enriched(record, told, authors if entry.repeats_author else ())
            if record.title and f"[{record.title}](" in entry.text:  # the words of a link are its writer's own title
                first = replace(first, title=record.title)
            yield replace(first, identities=ordered(reference.identity for reference in named))
        else:
            yield from map(record_of_reference, named)
        authors = told.authors or authors


def _defined(named: Sequence[Reference], text: str) -> SourceRecord:
    """The record of a note's definition, `[^1]: 2024, Apr 25. [Title](https://…). Publisher. Published: 2024-04-25`."""
    told = read_definition(text)
    record = record_of_reference(named[0])
    return replace(
        record,
        title=told.title or record.title,
        publisher=told.publisher if len(told.publisher.split()) <= _LONGEST_PUBLISHER else "",
        published_date=told.published_date,
        identities=ordered(reference.identity for reference in named),
    )


def _one_work(named: Sequence[Reference]) -> bool:
    """Several addresses of pages are several works; an identifier beside one address is the same work."""
    return sum(reference.identity.type is IdentifierType.URL for reference in named) <= 1


# Prose has no entries that could be counted a second way.
FORMAT = Format(name="draft", label="Draft or report with links and notes", recognises=_recognises, read=_read)
