"""A section's Complete Source List of a memo run."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Item, SourceRecord
from sources.core.extraction.definitions import Definition, read_definition
from sources.core.extraction.gathering import row_error
from sources.core.extraction.wording import MAX_CONTEXT, plain
from sources.core.records import RowError
from sources.core.retraction import told_by
from sources.formats.description import NOTHING_NAMED
from sources.formats.format import Format, Head
from sources.formats.memo.catalog import LABELS, ListEntry, entries_of, head_of, is_left_out, status_of
from sources.formats.naming import identities_of
from sources.formats.plain_text import MASTER_LIST, SOURCE_LIST, text_of

_OPENING = re.compile(r"(?m)^ ?[-*+] +(?:\*\*|\[)")
NOT_READ = "This heading is none of the seven that a source list has; name it “Included”, “Valid but Not Cited”, …"


def read_text(text: str, *, section: str = "", version: str = "", file: str = "") -> Iterator[Item]:
    """One record for each entry that the run kept, one `RowError` for each that it left out.

    What is left out leaves only this run: no record is made of it, so that nothing stands against the same source in
    another list. `section` is the list's own title where none is given; `file` goes into `details`.
    """
    lines = extract.lines_of(text)
    section = section or section_in(text)
    for entry in entries_of(lines):
        status = status_of(entry.heading)
        shown = entry.address or entry.title
        if status is not None:
            yield record_of(entry, status=status, section=section, version=version, file=file)
        elif is_left_out(entry.heading):
            why = (
                f"The run left it out ({plain(entry.heading)}), so it was not taken from this list. "
                "Add it by hand if you know better."
            )
            yield row_error(entry.line, shown, why)
        else:
            yield row_error(entry.line, shown, f"“{plain(entry.heading)[:80]}”: {NOT_READ}")


def record_of(
    entry: ListEntry, *, status: CitationStatus, section: str, version: str = "", file: str = ""
) -> SourceRecord | RowError:
    """The record of an entry under one of the four headings of what a run kept; an error where nothing names a work."""
    written = next((value for name, _, value in entry.fields if name == "definition"), "")
    told = read_definition(written) if written else Definition("", "", "", "")
    identities, warnings = identities_of([entry.address or told.address])
    title = entry.title or told.title
    if not identities and not title:
        return row_error(entry.line, entry.address, warnings[0] if warnings else NOTHING_NAMED)
    passed = {"definition", "retraction", *LABELS}
    kept = [(name, value.strip()) for name, _, value in entry.fields if name not in passed and value.strip()]
    status_told, retraction_note = entry.retraction
    retracted, finer = told_by(status_told)
    return SourceRecord(
        line=entry.line,
        spelling=(entry.address or entry.title)[:200],
        identities=identities,
        title=title,
        publisher=told.publisher,
        published_date=told.published_date,
        section=section,
        project_version=version,
        status=status,
        context=plain(written)[:MAX_CONTEXT],
        retracted=retracted,
        retraction_note=retraction_note,
        details=(*kept, *finer, *((("file", file),) if file else ())),
        warnings=warnings,
    )


def section_in(text: str) -> str:
    """The section that a list names in its title line, '' where it has none."""
    found = SOURCE_LIST.match(text)
    return plain(found[1])[:300] if found else ""


def company_in(text: str) -> str:
    """The deal that a list names under its title, '' where it does not."""
    return head_of(extract.lines_of(text[:20_000])).fields.get("company", "")


def _recognises(head: Head) -> bool:
    return bool(SOURCE_LIST.match(head.text)) and not MASTER_LIST.match(head.text)


def _read(path: Path) -> Iterator[Item]:
    yield from read_text(text_of(path))


def _count(path: Path) -> int:
    """Lines that open an entry in bold."""
    return len(_OPENING.findall(text_of(path)))


FORMAT = Format(
    name="source-list",
    label="Complete Source List of a memo section",
    recognises=_recognises,
    read=_read,
    count=_count,
)
