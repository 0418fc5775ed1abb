"""Cells that a spreadsheet shows as the text they are. Pure.

A spreadsheet computes what begins with = + - @, a tab, a line end or NUL, and the full-width forms of these; leading
spaces and quotes do not stop it, and a program that takes the semicolon for the separator begins new cells inside one.
So an apostrophe is put at every such beginning, and before an apostrophe that stands there already. Taking one
apostrophe away at each beginning gives the text back (`restored`). Numbers, negative ones too, are left alone; a DOI
begins with a digit.
"""

import re

# Where a program may begin a cell: at the start, and after a semicolon, a tab or a line end.
_BEGINS = r"(?:^|(?<=[;\t\r\n]))"
# Skipped before a formula: white space, quotes, marks without width.
_SKIPPED = r"\s\"\u00ad\u200b-\u200f\u2060\ufeff"
_SIGN = "[=+\\-@＝＋－＠\ufe63\ufe62\ufe66\ufe6b]"
_ACTIVE = re.compile(rf"{_BEGINS}(?='|[{_SKIPPED}]*{_SIGN})|^(?=[ \"]*[\t\r\n\ufffd])")
_SPLITS = re.compile(r"[;\t\r\n]")
# Between a beginning and what would be computed there may be further beginnings, with guards of their own.
_GUARD = re.compile(rf"{_BEGINS}'(?='|['{_SKIPPED}]*{_SIGN}|[\t\r\n])|^'(?=[ \"]*[\t\r\n\ufffd])")
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
    if _SPLITS.search(told):
        return _ACTIVE.sub("'", told)
    # One beginning only: long texts need no search through all of them.
    return f"'{told}" if _ACTIVE.match(told) else told


def restored(cell: str) -> str:
    """The text that `neutral` was given (with U+FFFD for what no text carries); an apostrophe that guards nothing, as
    another tool's table may hold, stays."""
    return _GUARD.sub("", cell) if "'" in cell else cell
