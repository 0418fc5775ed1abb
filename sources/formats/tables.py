"""Tables as text (CSV, TSV): their separator found, their rows by heading, and their rows counted a second way."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lineage.core.spreadsheet import restored
from sources.core.records import RowError
from sources.formats.description import row_error
from sources.formats.format import Head
from sources.formats.opened import Line, lines_of, open_head

# Notes in HTML are longer than the module's 131,072 characters; a quotation mark that nobody closes must still end.
_LONGEST_CELL = 4_000_000
csv.field_size_limit(_LONGEST_CELL)

_SEPARATORS = (",", "\t", ";", "|")
_UNCLOSED = (
    "A quotation mark that is opened in this row is not closed: a cell has more than 4,000,000 characters. "
    "Close it (or double it, where it is part of the text) and import the file again."
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row: cells by heading (repeated headings joined by a line end), and the cells beyond the headings."""

    line: int
    cells: dict[str, str]
    beyond: tuple[str, ...]
    repaired: tuple[str, ...]


def headings_of(head: Head) -> list[str]:
    """The cells of the first row that is not blank, in small letters, [] where it is no row of headings."""
    text = head.text.lstrip("\ufeff\r\n \t")
    first = text.partition("\n")[0].rstrip("\r")
    if not first or (not head.is_whole and "\n" not in text) or len(first) > 20_000:
        return []
    separator = _separator(first)
    if not separator:
        return [first.strip().strip('"').lower()]
    try:
        cells = next(csv.reader([first], delimiter=separator))
    except (csv.Error, StopIteration):
        return []
    return [cell.strip().lower() for cell in cells]


def rows_of(path: Path) -> Iterator[Row | RowError]:
    """Every row below the headings that has any text, by the csv module."""
    repaired: dict[int, str] = {}
    lines = _noted(lines_of(path), repaired)
    reader = csv.reader(lines, delimiter=_separator_of(path))
    headings: list[str] = []
    begins = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield row_error(begins, "", _UNCLOSED)
            return
        line, begins = begins, reader.line_num + 1
        if not any(cell.strip() for cell in cells):
            continue
        if not headings:
            headings = [cell.strip().lstrip("\ufeff").lower() for cell in cells]
            continue
        values: dict[str, str] = {}
        for heading, cell in zip(headings, cells, strict=False):
            told = restored(cell).strip()
            if told:
                values[heading] = f"{values[heading]}\n{told}" if heading in values else told
        mended = tuple(repaired.pop(number) for number in range(line, begins) if number in repaired) if repaired else ()
        yield Row(line, values, tuple(restored(cell) for cell in cells[len(headings) :] if cell.strip()), mended)


def count_rows(path: Path) -> int:
    """Rows with any text below the first, by following the quotation marks by hand."""
    separator = _separator_of(path)
    rows, is_quoted, has_text, length = 0, False, False, 0
    for line in lines_of(path):
        text, at, at_start = line.text, 0, not is_quoted
        while at <= len(text):
            if is_quoted:
                end = text.find('"', at)
                has_text = has_text or bool(text[at : end if end >= 0 else len(text)].strip())
                length += (end if end >= 0 else len(text) + 1) - at
                if length > _LONGEST_CELL:
                    return rows
                if end < 0:
                    break
                at = end + 1
                if text[at : at + 1] == '"':
                    at += 1
                    has_text = True
                    continue
                is_quoted = False
            elif at_start and text[at : at + 1] == '"':
                is_quoted, at, at_start, length = True, at + 1, False, 0
            else:
                end = text.find(separator, at)
                has_text = has_text or bool(text[at : end if end >= 0 else len(text)].strip())
                if end < 0:
                    break
                at, at_start = end + 1, True
        if not is_quoted:
            rows, has_text = rows + has_text, False
    return max(rows + (is_quoted and has_text) - 1, 0)


def _separator_of(path: Path) -> str:
    text = open_head(path).text.lstrip("\ufeff\r\n \t")
    return _separator(text.partition("\n")[0].rstrip("\r")) or ","


def _separator(line: str) -> str:
    bare = re.sub(r'"[^"]*"', "", line)
    counted = Counter(letter for letter in bare if letter in _SEPARATORS)
    return max(_SEPARATORS, key=lambda one: counted[one]) if counted else ""


def _noted(lines: Iterator[Line], repaired: dict[int, str]) -> Iterator[str]:
    for line in lines:
        if line.repaired:
            repaired[line.number] = line.repaired
        yield line.text + "\n"
