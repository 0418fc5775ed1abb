"""Retraction Watch's export, a CSV of one notice and one work a row; pure, and never holding more than a row.

The format as measured: 20 named columns and an empty 21st, dates `M/D/YYYY H:MM` month first, `0` and `unavailable` for
identifiers that are not there, reasons that end in `;`, line ends inside quotes, rows without anything at the end, and
lines that are not UTF-8. Record ID is the key: a work has many rows, and a notice covers up to hundreds of works.
"""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from sources.core.records import RowError
from sources.core.retraction_status import Nature, Provider
from validation.core.retraction_ids import Unusable, WorkId, doi_of, pmid_of
from validation.core.retraction_statements import Statement
from validation.core.retraction_words import watch_nature

NEEDED = (
    "Record ID",
    "RetractionDate",
    "RetractionDOI",
    "OriginalPaperDate",
    "OriginalPaperDOI",
    "OriginalPaperPubMedID",
    "RetractionNature",
    "Reason",
)
_KNOWN = (
    *NEEDED, "RetractionPubMedID", "Title", "Subject", "Institution", "Journal", "Publisher", "Country", "Author",
    "URLS", "ArticleType", "Paywalled", "Notes",
)  # fmt: skip
# Real rows have a few thousand characters. What goes on beyond these is a quote that nobody closed.
LONGEST_ROW = 65_536
_MOST_LINES = 60
_RECORD_ID = re.compile(r"[0-9]{1,12}", re.ASCII)
_DATE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})(?:\s+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?", re.ASCII)
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ].*)?", re.ASCII)
_SHRINK_PERCENT = 2


class NotASnapshot(ValueError):
    """The file is not taken in, nothing of it; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class WatchRow:
    """One row. `works` are the identifiers of the work it is about, none where only a title names it; `problems` are
    what could not be used of it, in words."""

    line: int
    record_id: str
    title: str
    works: tuple[WorkId, ...]
    nature: Nature
    raw_nature: str
    notice: WorkId | None
    notice_date: str
    original_date: str
    reasons: tuple[str, ...]
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class _Record:
    line: int
    text: str


@dataclass(slots=True)
class WatchReader:
    """Reads an export from its `lines` (bytes, each with its line end); iterate over it once.

    The header is read at once: raises NotASnapshot where a needed column is missing. `other_encoding` counts lines that
    were no UTF-8 and were read as Latin-1, `blank` rows that hold nothing, `missing` names columns that are expected
    and not needed, `added` names new ones. All are complete when the iteration has ended.
    """

    lines: Iterable[bytes]
    other_encoding: int = 0
    blank: int = 0
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    _records: Iterator[_Record | RowError] = field(init=False, repr=False)
    _at: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._records = self._split()
        first = next(self._records, None)
        names = _cells(first.text) if isinstance(first, _Record) else []
        self._at = {name.strip(): place for place, name in reversed(list(enumerate(names))) if name.strip()}
        lost = [name for name in NEEDED if name not in self._at]
        if lost:
            raise NotASnapshot(
                f"This is no export of Retraction Watch: its first line has no column “{'”, “'.join(lost)}”. Where the "
                "columns were renamed, nothing is taken in until this program knows the new names."
            )
        self.missing = tuple(name for name in _KNOWN if name not in self._at)
        self.added = tuple(name for name in self._at if name not in _KNOWN)

    def __iter__(self) -> Iterator[WatchRow | RowError]:
        """The rows in their order, and in the place of each that cannot be read why. Blank rows are left out."""
        for found in self._whole():
            yield found if isinstance(found, RowError) else self._row(*found)

    def record_ids(self) -> Iterator[int | RowError]:
        """In the place of each row only its Record ID: what a first reading counts, in half the time."""
        at = self._at["Record ID"]
        for found in self._whole():
            yield found if isinstance(found, RowError) else int(found[1][at])

    def _whole(self) -> Iterator[tuple[_Record, list[str]] | RowError]:
        """The cells of rows that have a Record ID and reach to their nature."""
        name, last = self._at["Record ID"], self._at["RetractionNature"]
        for record in self._records:
            if isinstance(record, RowError):
                yield record
                continue
            cells = _cells(record.text)
            record_id = cells[name].strip() if name < len(cells) else ""
            if not record_id and not any(cell.strip() for cell in cells):
                self.blank += 1
            elif not _RECORD_ID.fullmatch(record_id):
                yield _left_out(record.line, f"“{record_id[:30]}” is no Record ID, which is a number", record.text)
            elif len(cells) <= last:
                yield _left_out(record.line, f"The row of record {record_id} ends too early", record.text)
            else:
                yield record, cells

    def _row(self, record: _Record, cells: list[str]) -> WatchRow:
        told = {name: cells[place].strip() if place < len(cells) else "" for name, place in self._at.items()}
        record_id = told["Record ID"]
        problems: list[str] = []
        works = []
        for column, read in (("OriginalPaperDOI", doi_of), ("OriginalPaperPubMedID", pmid_of)):
            try:
                if found := read(told[column]):
                    works.append(found)
            except Unusable as refused:
                problems.append(f"{column}: {refused}")
        notice = None
        for column, read in (("RetractionDOI", doi_of), ("RetractionPubMedID", pmid_of)):
            try:
                notice = notice or read(told.get(column, ""))
            except Unusable as refused:
                problems.append(f"{column}: {refused}")
        reasons = tuple(one.strip().lstrip("+").strip() for one in told["Reason"].split(";") if one.strip(" +"))
        return WatchRow(
            line=record.line,
            record_id=record_id,
            title=told.get("Title", ""),
            works=tuple(works),
            nature=watch_nature(told["RetractionNature"], reasons),
            raw_nature=told["RetractionNature"],
            notice=notice,
            notice_date=_day(told["RetractionDate"], "RetractionDate", problems),
            original_date=_day(told["OriginalPaperDate"], "OriginalPaperDate", problems),
            reasons=reasons,
            problems=tuple(problems),
        )

    def _split(self) -> Iterator[_Record | RowError]:
        """Whole rows. A row goes on while a quote is open; one that goes on too long is given up, and reading begins
        again behind its first line, so that one stray quote costs one row."""
        waiting: deque[tuple[int, str]] = deque()
        numbered = enumerate(self.lines, 1)
        while True:
            parts: list[tuple[int, str]] = []
            quotes = length = 0
            while True:
                if waiting:
                    line, text = waiting.popleft()
                else:
                    number, raw = next(numbered, (0, b""))
                    if not number:
                        break
                    line, text = number, self._decoded(raw, first=number == 1)
                parts.append((line, text))
                quotes += text.count('"')
                length += len(text)
                if quotes % 2 == 0 or length > LONGEST_ROW or len(parts) > _MOST_LINES:
                    break
            if not parts:
                return
            first_line, first_text = parts[0]
            if quotes % 2 == 0 and length <= LONGEST_ROW:
                yield _Record(first_line, "".join(text for _, text in parts))
                continue
            waiting.extendleft(reversed(parts[1:]))
            if quotes % 2 and len(first_text) <= LONGEST_ROW and len(_cells(first_text)) >= len(_KNOWN):
                yield _Record(first_line, first_text)  # an inch sign inside a cell, not a quote around it
            elif quotes % 2:
                yield _left_out(first_line, "A quote is opened and not closed", first_text)
            else:
                yield _left_out(first_line, f"The row is longer than {LONGEST_ROW:,} characters", first_text)

    def _decoded(self, raw: bytes, *, first: bool) -> str:
        if first:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        raw = raw.replace(b"\x00", b" ")  # no letter, and no database takes it
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self.other_encoding += 1
            return raw.decode("latin-1")


def statements_of(row: WatchRow, *, snapshot: str) -> tuple[Statement, ...]:
    """What a row says: one statement for each identifier of the work, and one that its notice is a notice.

    A notice that bears the work's own DOI (a fifth of all) is no work of its own, and gets none. The statement about a
    notice is the same for all rows that name it.
    """
    told = [
        Statement(
            work=work,
            provider=Provider.RETRACTION_WATCH,
            record_id=row.record_id,
            nature=row.nature,
            raw_nature=row.raw_nature,
            notice=row.notice.name if row.notice else "",
            notice_date=row.notice_date,
            original_date=row.original_date,
            reasons=row.reasons,
            snapshot=snapshot,
        )
        for work in row.works
    ]
    if row.notice is not None and row.notice not in row.works:
        told.append(
            Statement(
                work=row.notice,
                provider=Provider.RETRACTION_WATCH,
                record_id=f"notice {row.notice.name}"[:200],
                nature=Nature.NOTICE,
                raw_nature="",
                snapshot=snapshot,
            )
        )
    return tuple(told)


def check_size(*, rows: int, before: int | None) -> None:
    """Raises NotASnapshot where the export has no row, or over 2 % fewer than the one taken in before it (None: none
    was): it was cut short on its way, or is of something else."""
    if not rows:
        raise NotASnapshot("The file has no row that can be read. Download it again.")
    if before and rows * 100 < before * (100 - _SHRINK_PERCENT):
        raise NotASnapshot(
            f"The file has {rows:,} rows and the last one had {before:,}: over {_SHRINK_PERCENT} % are gone, so "
            "nothing is taken in. Download it again; where the export really became smaller, use --allow-shrink."
        )


def _cells(text: str) -> list[str]:
    try:
        return next(csv.reader([text], strict=False), [])
    except csv.Error:
        return []


def _left_out(line: int, why: str, text: str) -> RowError:
    return RowError(line=line, spelling=text[:120], message=f"{why}; it is left out. Correct it in the file, or go on.")


def _day(text: str, column: str, problems: list[str]) -> str:
    """ISO, '' where no date stands there or none that exists."""
    if not text:
        return ""
    if found := _DATE.fullmatch(text):
        month, day, year = int(found[1]), int(found[2]), int(found[3])
    elif found := _ISO_DATE.fullmatch(text):
        year, month, day = int(found[1]), int(found[2]), int(found[3])
    else:
        problems.append(f"{column}: “{text[:30]}” is no date")
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        problems.append(f"{column}: there is no day “{text[:30]}”")
        return ""
