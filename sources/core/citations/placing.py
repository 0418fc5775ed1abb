"""Where citations and markers stand: behind the punctuation, one space before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sources.core.citations.edits import Edit
from sources.core.citations.layout import Layout

_BLANKS = " \t\u00a0\u202f"
_GAP = re.compile(rf"[{_BLANKS}]*(?:[,;][{_BLANKS}]*)?")
_PUNCTUATION = re.compile(
    r"(?:[.,;:?…]|!(?!\[))++[\"”’»']*+(?=[\s*_~)\]|<\[({}]|\Z|[^\x00-\x7f])|[。，；：！？、]++[”’」』]*+"
)
_LINE_BEGINNING = re.compile(r"[ \t>]{0,40}(?:(?:[-*+•]|\(?[0-9]{1,9}[.)]|#{1,6})[ \t]+){0,5}(?:\[[ xX]\][ \t]+)?")
_SIGN_ALONE = re.compile(r"[ \t>]{0,40}(?:[-*+]|[0-9]{1,9}[.)]|#{1,6}|</?[A-Za-z][A-Za-z0-9-]*)")
_OPENING = frozenset("([{“„«‘（「『【")
_EITHER = "*_~\"'"


@dataclass(frozen=True, slots=True)
class Attachment:
    """`text[start:end]` goes, and what is `written` takes its place behind the punctuation. `limit` is the end of the
    paragraph. `listed` where it was an id in brackets, so that a comma to the next one is part of the list."""

    start: int
    end: int
    written: tuple[str, ...]
    limit: int
    listed: bool = False


def begins_line(layout: Layout, at: int) -> bool:
    """True where nothing but a bullet, a number, a quote or heading mark stands before a place in its line."""
    return _LINE_BEGINNING.fullmatch(layout.text, layout.line_start(at), at) is not None


def placed(layout: Layout, attachments: Sequence[Attachment]) -> list[Edit]:
    """The edits that put attachments where they belong. Neighbours are joined, repetitions go."""
    attachments = sorted(attachments, key=lambda each: each.start)
    edits: list[Edit] = []
    index = 0
    while index < len(attachments):
        first = attachments[index]
        written: dict[str, None] = dict.fromkeys(first.written)
        end, passed = first.end, ""
        begins = begins_line(layout, first.start)
        last = first
        while True:
            following = attachments[index + 1] if index + 1 < len(attachments) else None
            if following and _joins(layout.text, last, following, end):
                written |= dict.fromkeys(following.written)
                last, end = following, following.end
                index += 1
                continue
            mark = None if begins else _PUNCTUATION.match(layout.text, end, first.limit)
            if not mark or (mark[0][0] == ":" and _before(layout.text, first.start) == "]"):
                break  # `[^deck]:` at the beginning of a line would define a note
            passed += mark[0]
            end = mark.end()
        edits.append(_edit(layout, first, begins, end, passed, list(written)))
        index += 1
    return edits


def _before(text: str, at: int) -> str:
    while at and text[at - 1] in _BLANKS:
        at -= 1
    return text[at - 1 : at]


def _joins(text: str, last: Attachment, following: Attachment, end: int) -> bool:
    if following.limit != last.limit or following.start - end > 20 or following.start < end:
        return False
    gap = _GAP.fullmatch(text, end, following.start)
    return gap is not None and (not gap[0].strip() or (last.listed and following.listed))


def _edit(layout: Layout, first: Attachment, begins: bool, end: int, passed: str, written: list[str]) -> Edit:
    text, start = layout.text, first.start
    joined = " ".join(written)
    if begins:
        # `[^1]:` at the beginning of a line would define a note.
        return Edit(start, end, joined + (" " if text[end : end + 1] == ":" else ""))
    while start and text[start - 1] in _BLANKS:
        start -= 1
    if not joined:
        return Edit(start, end, passed)
    space = "" if start == first.start and not passed and _opens(text, start) else " "
    if not passed and _SIGN_ALONE.fullmatch(text, layout.line_start(start), start):
        space = ""  # `-[src-001]` is no item of a list, `<pre[src-001]` no tag
    return Edit(start, end, f"{passed}{space}{joined}")


def _opens(text: str, at: int) -> bool:
    """True behind an opening bracket or quotation mark, where no space belongs."""
    start = at
    while start and at - start < 8 and text[start - 1] in _EITHER:
        start -= 1
    before = text[start - 1 : start]
    if before in _OPENING:
        return True
    return start < at and (not before or before.isspace())
