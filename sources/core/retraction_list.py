"""A list of works and what is said of their retraction: CSV, or one identifier a line."""

import csv
import io
from dataclasses import dataclass

from sources.core.endings import without_sentence_end
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.notice_dates import is_date
from sources.core.records import Identity, RowError
from sources.core.retraction_terms import Status

MOST_LINES = 20_000
_COLUMNS = ("identifier", "status", "note", "notice", "date")
_NAMES = {"doi": "identifier", "pmid": "identifier", "url": "identifier", "reason": "note", "notice_date": "date"}
# What a person may say of a work; that nobody knows, or that providers disagree, is nothing to decide.
SAYABLE = tuple(status for status in Status if status not in {Status.UNCHECKED, Status.CONFLICT})


def words_of(status: Status) -> str:
    """What a person says by a status: that nothing was found is a machine's word."""
    return "Not retracted" if status is Status.NONE_FOUND else status.label


_WORDS = {word: status for status in SAYABLE for word in (status.value, status.label.lower())} | {
    "not retracted": Status.NONE_FOUND,
    "not-retracted": Status.NONE_FOUND,
    "none": Status.NONE_FOUND,
    "retraction": Status.RETRACTED,
    "withdrawal": Status.WITHDRAWN,
    "removal": Status.REMOVED,
    "reinstatement": Status.REINSTATED,
    "correction": Status.CORRECTED,
}


@dataclass(frozen=True, slots=True)
class ListRow:
    """One line: which work, and what is said of it. `status` is None and the texts are '' where the line is silent."""

    line: int
    spelling: str
    identity: Identity
    status: Status | None
    note: str = ""
    notice: str = ""
    date: str = ""


def read_list(text: str) -> tuple[list[ListRow], list[RowError]]:
    """The rows of a pasted or uploaded list, and the lines that could not be read; each in the order of its lines.

    With a first line of column names (`identifier` or `doi`, `status`, `note`, `notice`, `date`) the columns may have
    any order; without one it is that order, or one identifier a line. Comma, semicolon or tab part them. Never
    raises; at most 20,000 lines are read.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    rows: list[ListRow] = []
    errors: list[RowError] = []
    if len(lines) > MOST_LINES:
        errors.append(
            RowError(
                MOST_LINES + 1, "", f"Only the first {MOST_LINES:,} lines were read. Bring the rest as a second list."
            )
        )
        lines = lines[:MOST_LINES]
    first = next((line for line in lines if line.strip()), "")
    mark = next((mark for mark in "\t;," if mark in first), ",")
    columns = _columns(first, mark)
    reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)
    number = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return rows, errors
        except csv.Error:
            errors.append(RowError(reader.line_num, "", "This line is no CSV: look for a quotation mark too many."))
            continue
        started, number = number + 1, reader.line_num
        if not any(cell.strip() for cell in cells) or (columns and started == 1 + lines.index(first)):
            continue
        row = _row(started, cells, columns, mark)
        (rows if isinstance(row, ListRow) else errors).append(row)  # type: ignore[arg-type]


def _columns(first: str, mark: str) -> list[str]:
    """The names in the first line; [] where it is none of names."""
    names = [cell.strip().strip('"').lower() for cell in first.split(mark)]
    known = [_NAMES.get(name, name) for name in names]
    return known if "identifier" in known else []


def _row(line: int, cells: list[str], columns: list[str], mark: str) -> ListRow | RowError:
    names = columns or list(_COLUMNS)
    if not columns and len(cells) > 1 and _WORDS.get(_bare(cells[1])) is None and cells[1].strip():
        cells = [mark.join(cells)]  # an identifier with a comma in it
    told = dict(zip(names, (cell.strip() for cell in cells), strict=False))
    spelling = told.get("identifier", "")[:200]
    try:
        identity = identify(without_sentence_end(told.get("identifier", "")))
    except (BadIdentifier, UnusableUrl) as refused:
        return RowError(line, spelling, str(refused))
    word = _bare(told.get("status", ""))
    status = _WORDS.get(word)
    if word and status is None:
        known = ", ".join(one.value for one in SAYABLE)
        return RowError(line, spelling, f"“{word[:50]}” is no status. Write one of {known}, or nothing.")
    date = told.get("date", "")
    if date and not is_date(date):
        return RowError(line, spelling, f"“{date[:30]}” is no date. Write 2010, 2010-02 or 2010-02-06.")
    return ListRow(line, spelling, identity, status, told.get("note", ""), told.get("notice", ""), date)


def _bare(text: str) -> str:
    return " ".join(text.lower().split())
