"""Texts for the eye, as pieces that a template can mark up and escape; nothing here makes HTML."""

import re
from collections.abc import Iterable
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal

DiffKind = Literal["same", "del", "ins"]
MarkKind = Literal["same", "mark"]

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
# difflib's work grows with the cube of the length where few words are the same and blanks all are: 600 tokens a side
# took over a second, these some 20 ms. Nobody reads a longer difference word by word.
_DIFF_TOKENS = 240

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
# What XML 1.0 cannot hold, not even as a reference (its production 2, Char).
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def for_xml(text: str) -> str:
    """`text` with U+FFFD for each character that no XML document holds; not escaped."""
    return _NO_XML.sub("\ufffd", text)


def word_diff(before: str, after: str) -> list[tuple[DiffKind, str]]:
    """Pieces that lead from `before` to `after`: `same` and `del` joined give `before`, `same` and `ins` give `after`.

    Words, runs of space and single signs are compared whole, with case. A gap of space between two changed words is
    part of the change. Texts of more than 240 such parts come as one `del` and one `ins`.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) > _DIFF_TOKENS or len(new) > _DIFF_TOKENS:
        return _joined([("same", before)] if before == after else [("del", before), ("ins", after)])
    pieces: list[tuple[DiffKind, str]] = []
    for tag, i1, i2, j1, j2 in _opcodes(old, new):
        if tag == "equal":
            pieces.append(("same", "".join(old[i1:i2])))
        else:
            pieces += [("del", "".join(old[i1:i2])), ("ins", "".join(new[j1:j2]))]
    return _joined(pieces)


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """difflib's opcodes, with a lone space between two changes made part of them: "a b" against "c d" is one change."""
    merged: list[tuple[str, int, int, int, int]] = []
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for index, (tag, i1, i2, j1, j2) in enumerate(codes):
        inside = 0 < index < len(codes) - 1
        kind = "replace" if tag != "equal" or (inside and not "".join(old[i1:i2]).strip()) else "equal"
        if merged and kind == "replace" and merged[-1][0] == "replace":
            _, first_i, _, first_j, _ = merged.pop()
            merged.append(("replace", first_i, i2, first_j, j2))
        else:
            merged.append((kind, i1, i2, j1, j2))
    return merged


def _joined(pieces: list[tuple[DiffKind, str]]) -> list[tuple[DiffKind, str]]:
    return [(kind, text) for kind, text in pieces if text]


def marked(text: str, phrases: Iterable[str]) -> list[tuple[MarkKind, str]]:
    """Pieces of `text`, `mark` where one of `phrases` stands (case ignored, longest first); joined they give `text`."""
    wanted = sorted({phrase for phrase in phrases if phrase.strip()}, key=len, reverse=True)
    if not wanted or not text:
        return [("same", text)] if text else []
    pattern = re.compile("|".join(re.escape(phrase) for phrase in wanted), re.IGNORECASE)
    pieces: list[tuple[MarkKind, str]] = []
    end = 0
    for found in pattern.finditer(text):
        if found.start() > end:
            pieces.append(("same", text[end : found.start()]))
        pieces.append(("mark", found.group()))
        end = found.end()
    if end < len(text):
        pieces.append(("same", text[end:]))
    return pieces


def middle_cut(text: str, length: int = 80) -> str:
    """`text` with its middle replaced by … where it is longer than `length`: of a URL both ends tell the most."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 3
    return f"{text[: length - 1 - tail]}…{text[len(text) - tail :]}"


def counted(number: int, singular: str, plural: str = "") -> str:
    """ "1 source", "1,234 sources"; the plural is the singular with an s unless given."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def moment_in_utc(moment: datetime) -> str:
    """ "4 Apr 2024, 13:05:09 UTC" of an aware moment in UTC."""
    return f"{date_in_words(moment)}, {moment:%H:%M:%S} UTC"


def date_in_words(moment: datetime) -> str:
    """ "4 Apr 2024"."""
    return f"{moment.day} {moment:%b %Y}"


def ago_or_date(moment: datetime, *, now: datetime) -> str:
    """How long ago where that helps (up to a day), else the date: "just now", "5 minutes ago", "4 Apr 2024".

    Both moments are aware and in one zone. A moment that still lies ahead (a token's end) is given with its time.
    """
    seconds = (now - moment).total_seconds()
    if seconds < -_MINUTE:
        return f"{date_in_words(moment)}, {moment:%H:%M} UTC"
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{counted(int(seconds // _MINUTE), 'minute')} ago"
    if seconds < _DAY:
        return f"{counted(int(seconds // _HOUR), 'hour')} ago"
    return date_in_words(moment)
