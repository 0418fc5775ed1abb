"""Master-Sources.md over all versions of a deal, in the memo layout and by verdict; Best-Sources of one section."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Item, ProjectRecord, SourceRecord
from sources.core.extraction.gathering import row_error
from sources.core.extraction.spans import SpanKind, spans_in
from sources.core.extraction.targets import unescaped
from sources.core.listing import Shelf
from sources.core.records import RowError
from sources.core.retraction import told_by
from sources.formats.description import NOTHING_NAMED
from sources.formats.format import Format, Head
from sources.formats.memo.catalog import LABELS, ListEntry, entries_of, head_of, is_left_out, plain_heading, status_of
from sources.formats.naming import identities_of
from sources.formats.plain_text import MASTER_LIST, text_of

_OPENING = re.compile(r"(?m)^ ?[-*+] +(?:\*\*|\[)")
_ID = re.compile(r"src-\d{3,9}")
_SHELVES = {str(shelf).lower(): shelf for shelf in Shelf}
_PLACES = ("sections", "also in", "versions", "variants", "found again")
NOT_READ = "This heading is none of a master list; name it “Verified”, “Dropped”, “Included in Final Draft”, …"
_BEST = re.compile(r"Best Source", re.IGNORECASE)


def read_text(text: str, *, file: str = "") -> Iterator[Item]:
    """The deal, then one record for each entry.

    Sections, versions and variants stand in `details`, one pair each (`section`, `version`, `variant`); `section` and
    `project_version` are the first section and the last version. In the layout by verdict what stands under “Dropped”
    is rejected: because of the reason that a person gave, else of the verdict's. An entry found again at another
    address is the work of its original address, and carries the other as a variant.
    """
    lines = extract.lines_of(text)
    head = head_of(lines)
    found = MASTER_LIST.match(text.removeprefix("\ufeff"))
    deal = (head.title.partition("—")[2] or (found[1] if found else "")).strip()
    section = ""
    if _BEST.match(head.title):
        deal, _, section = (part.strip() for part in deal.rpartition(" — "))
    merged = head.fields.get("versions merged", "")
    yield ProjectRecord(
        line=1,
        name=deal[:300] or "Unnamed",
        firm=head.fields.get("firm", "").strip("—– "),
        versions=tuple(part.strip() for part in merged.split(", ") if part.strip()),
    )
    for entry in entries_of(lines):
        shelf = _SHELVES.get(plain_heading(entry.heading))
        if shelf is None and status_of(entry.heading) is None and not is_left_out(entry.heading):
            shown = entry.address or entry.title
            yield row_error(entry.line, shown, f"“{entry.heading[:80]}”: {NOT_READ}")
            continue
        yield _record(entry, shelf=shelf, section=section, file=file)


def _record(entry: ListEntry, *, shelf: Shelf | None, section: str, file: str) -> SourceRecord | RowError:
    address = entry.told("original") or entry.address
    sections, versions = entry.several("sections"), entry.several("versions")
    sections = (section, *entry.several("also in")) if section else sections
    found_again = entry.told("found again") or (entry.address if entry.told("original") else "")
    variants = [*entry.several("variants"), *([found_again] if found_again else [])]
    identities, warnings = identities_of([address, *variants])
    title = _title(entry, address)
    if not identities and not title:
        return row_error(entry.line, address, warnings[0] if warnings else NOTHING_NAMED)
    status, retraction_note = entry.retraction
    retracted, finer = told_by(status)
    verdict = entry.told("verdict")
    passed = {*_PLACES, *LABELS, "retraction", "original", "id"}
    kept = [(name, unescaped(value).strip()) for name, _, value in entry.fields if name not in passed]
    left_out = shelf is Shelf.DROPPED or (shelf is None and is_left_out(entry.heading))
    return SourceRecord(
        line=entry.line,
        spelling=(address or entry.title)[:200],
        ref=found[0] if (found := _ID.search(entry.told("id"))) else "",
        identities=identities,
        title=title,
        section=sections[0] if sections else "",
        project_version=versions[-1] if versions else "",
        status=status_of(entry.heading) or CitationStatus.FOUND_IN_RESEARCH,
        retracted=retracted,
        retraction_note=retraction_note,
        rejected_because=_reason(entry, verdict) if left_out else "",
        details=(
            *(("section", section) for section in sections),
            *(("version", version) for version in versions),
            *(("variant", variant) for variant in variants),
            *kept,
            *finer,
            *((("file", file),) if file else ()),
        ),
        warnings=warnings,
    )


def _title(entry: ListEntry, address: str) -> str:
    """An entry without a title stands under its address, which is none."""
    spans = spans_in(entry.title, markdown=False)
    bare = len(spans) == 1 and spans[0].kind is not SpanKind.LINK and spans[0].spelling == entry.title
    return "" if bare or entry.title == address else entry.title


def _reason(entry: ListEntry, verdict: str) -> str:
    """Why a dropped entry was dropped: a person's words before the machine's."""
    reason = next((unescaped(reason) for name, reason, _ in entry.fields if name == "decision" and reason), "")
    return (reason or verdict or entry.heading)[:2_000]


def _recognises(head: Head) -> bool:
    return bool(MASTER_LIST.match(head.text))


def _read(path: Path) -> Iterator[Item]:
    yield from read_text(text_of(path))


def _count(path: Path) -> int:
    """Lines that open an entry in bold, and the deal."""
    return len(_OPENING.findall(text_of(path))) + 1


FORMAT = Format(
    name="master-sources",
    label="Master-Sources.md or Best-Sources",
    recognises=_recognises,
    read=_read,
    count=_count,
)
