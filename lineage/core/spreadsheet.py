"""Cells that a spreadsheet shows as the text they are. Pure.

A spreadsheet computes what begins with = + - @, a tab, a line end or NUL, and the full-width forms of these; leading
spaces and quotes do not stop it, and a program that takes the semicolon for the separator begins new cells inside one.
So an apostrophe is put at every such beginning, and before an apostrophe that stands there already. Taking one
apostrophe away at each beginning gives the text back (`restored`). Numbers, negative ones too, are left alone; a DOI
begins with a digit.
"""

import re
from collections.abc import Iterator

# Where a program may begin a cell: at the start, and after a semicolon, a tab or a line end.
_BEGIN = re.compile(r"^|(?<=[;\t\r\n])")
# Skipped before a formula: white space, quotes, marks without width; and guards, where there are some.
_SKIPPED = r"\s\"\u00ad\u200b-\u200f\u2060\ufeff"
_SKIP = re.compile(rf"[{_SKIPPED}]*")
_SKIP_GUARDED = re.compile(rf"['{_SKIPPED}]*")
_SIGNS = frozenset("=+-@＝＋－＠\ufe63\ufe62\ufe66\ufe6b")
# What stops a program that looks for a number, at the start of a cell only.
_HALTS = re.compile('[ "]*[\t\r\n\ufffd]')
_GUARDED = ("'", "\t", "\r", "\n")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
# No text file carries these: a NUL ends the text in many readers, half a surrogate pair is no character.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def neutral(text: str) -> str:
    """`text` as a cell that nothing computes; NUL and lone surrogates become U+FFFD."""
    if ";" not in text and text[:1].isalnum() and text.isprintable():
        return text  # most cells: one beginning, and a letter or digit stands there
    if _NUMBER.fullmatch(text):
        return text
    told = _NO_TEXT.sub("\ufffd", text)
    parts, end = [], len(told)
    for begin, is_computed in _beginnings(told, _SKIP):
        if is_computed or told.startswith("'", begin) or (begin == 0 and _HALTS.match(told)):
            parts.append(told[begin:end])
            end = begin
    return "'".join([told[:end], *reversed(parts)])


def restored(cell: str) -> str:
    """The text that `neutral` was given (with U+FFFD for what no text carries); an apostrophe that guards nothing, as
    another tool's table may hold, stays."""
    if "'" not in cell:
        return cell
    parts, end = [], len(cell)
    for begin, is_computed in _beginnings(cell, _SKIP_GUARDED):
        guards = is_computed or cell.startswith(_GUARDED, begin + 1) or (begin == 0 and _HALTS.match(cell, 1))
        if guards and cell.startswith("'", begin):
            parts.append(cell[begin + 1 : end])
            end = begin
    return "".join([cell[:end], *reversed(parts)])


def _beginnings(text: str, skip: re.Pattern[str]) -> Iterator[tuple[int, bool]]:
    """Each beginning, the last first, and whether a formula follows what is skipped there.

    What is skipped may hold further beginnings: from the last to the first, each place is looked at once, and a text of
    nothing but line ends costs its share.
    """
    end, is_computed = len(text), False
    for begin in reversed([found.start() for found in _BEGIN.finditer(text)]):
        found = skip.match(text, begin, end)
        stop = found.end() if found else begin
        if stop < end:
            is_computed = text[stop] in _SIGNS
        yield begin, is_computed
        end = begin
