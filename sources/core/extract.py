"""From a pasted or uploaded text to the sources it names, with their lines. The door of `sources.core.extraction`."""

import re
from collections.abc import Sequence
from typing import assert_never

from sources.core.credentials import without_credentials
from sources.core.decoding import NotText, decode
from sources.core.extraction.draft import read_draft
from sources.core.extraction.gathering import row_error
from sources.core.extraction.plainlist import read_list
from sources.core.extraction.shape import Shape, is_list
from sources.core.extraction.webpage import is_web_page, read_web_page
from sources.core.records import Extraction, RowError

__all__ = ["MAX_LINES", "NOTHING_FOUND", "NotText", "Shape", "decode", "extract", "lines_of", "printable", "shape_of"]

# 10 MB of addresses are about 180,000 lines; beyond this it is no list that a person could look through.
MAX_LINES = 500_000
_LINE_END = re.compile(r"\r\n?|\n")
# Terminal escapes, form feeds and the like stand between words where they stand at all. Halves of surrogate pairs
# cannot be stored or hashed.
_BLANKED = dict.fromkeys((*range(1, 9), 11, 12, *range(14, 32), *range(127, 160), 0x2028, 0x2029, 0xFEFF), " ")
NOTHING_FOUND = "No web address and no identifier was found in the whole text. Give at least one, https://… or a DOI."
_SURROGATE = re.compile("[\ud800-\udfff]")


def lines_of(text: str) -> list[str]:
    """The lines of a text, which end at LF, CRLF or CR, without its byte order mark and with passwords masked."""
    return _LINE_END.split(without_credentials(text.removeprefix("\ufeff")))


def printable(lines: Sequence[str]) -> list[str]:
    """The lines with blanks for control characters, and the replacement mark for NULs and halves of surrogate pairs."""
    return [
        line if line.isprintable() else _SURROGATE.sub("\ufffd", line.replace("\x00", "\ufffd").translate(_BLANKED))
        for line in lines
    ]


def shape_of(lines: Sequence[str]) -> Shape:
    """Which way of reading fits a text."""
    if is_web_page(lines):
        return Shape.WEB_PAGE
    return Shape.LIST if is_list(lines) else Shape.DRAFT


def extract(text: str, *, shape: Shape | None = None) -> Extraction:
    """All references of a text and all places of it that cannot be read. Never raises; linear in the text.

    Shapes are told apart by content, unless `shape` is given: a plain list, where each line is a source or an error; a
    Markdown draft, where links, notes, bare addresses and identifiers are references and prose is prose; a saved web
    page or a browser's bookmarks, where links to other places are references. Lines are counted from 1 and end at LF,
    CRLF or CR. User names and passwords in addresses are masked before anything is read, so that no field holds one. A
    line with a NUL byte is an error and is not read. A text with words but without any source gives one error for its
    first line; an empty text gives nothing. A text of over 500,000 lines is not read and gives one error that says so.
    """
    lines = lines_of(text)
    if len(lines) > MAX_LINES:
        message = f"The text has {len(lines):,} lines and was not read. Split it; {MAX_LINES:,} are taken at once."
        return Extraction((), (row_error(MAX_LINES + 1, lines[MAX_LINES][:200], message),))
    errors: list[RowError] = []
    for at, line in enumerate(lines):
        if "\x00" in line:
            message = "The line holds a NUL byte and was not read. Delete the byte, or type the line again."
            errors.append(row_error(at + 1, line.replace("\x00", "␀").translate(_BLANKED), message))
            lines[at] = ""
        elif not line.isprintable():
            lines[at] = _SURROGATE.sub("\ufffd", line.translate(_BLANKED))
    found = _read(lines, shape or shape_of(lines))
    errors.extend(found.errors)
    if not found.references and not errors:
        first = next((at for at, line in enumerate(lines) if line.strip()), None)
        if first is not None:
            errors.append(row_error(first + 1, lines[first], NOTHING_FOUND))
    return Extraction(found.references, tuple(sorted(errors, key=lambda error: error.line)))


def _read(lines: list[str], shape: Shape) -> Extraction:
    match shape:
        case Shape.WEB_PAGE:
            return read_web_page(lines)
        case Shape.LIST:
            return read_list(lines)
        case Shape.DRAFT:
            return read_draft(lines)
        case _:
            assert_never(shape)
