"""Changes put into a draft so that what stays keeps its meaning: words that markup leaves behind stay words."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sources.core.citations.layout import Layout

# What stands before a line's own text. What could begin a block there, CommonMark 4 and 5, and a definition.
_BEFORE_TEXT = re.compile(r"[ \t>]{0,40}(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+){0,5}(?:\[[ xX]\][ \t]+)?")
_DEFINES = re.compile(r"[ \t]*\[[^\[\]\r\n]{1,300}\](?=:)")
_UNTIL_BLANK_LINE = r"(?:[^\r\n]|(?:\r\n|\r|\n)(?![ \t]*[\r\n])){0,500}?"
_BEGINS_BLOCK = re.compile(
    r"[ \t]*(?:[0-9]{1,9}(?=[.)](?:\s|\Z))|(?=#{1,6}(?:\s|\Z)|>|```|~~~|[-+*](?:\s|\Z)"
    rf"|<(?:(?:script|style|pre)\b|!--(?!{_UNTIL_BLANK_LINE}-->)|/?[A-Za-z][^<>\r\n]*(?:[\r\n<]|\Z))"
    r"|(?:(?:-[ \t]*)++|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,}|=+[ \t]*)(?:[\r\n]|\Z)))"
)
_RULE = re.compile(r"---[ \t]*(?:[\r\n]|\Z)")
_INDENTATION = re.compile(r"[ \t]+")
_LINE = re.compile(r"[^\r\n]*(\r\n|\r|\n|\Z)")
_ADDRESS = re.compile(r"(?:https?|ftp)://|www\.", re.IGNORECASE)
_ENDS_ADDRESS = re.compile(r"[\s<>\"“”«»`]")
_BULLETS = ("-", "*", "+")
_LONGEST = 2_000  # signs of an address that are looked back at
_CODE_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Edit:
    """`text[start:end]` becomes `written`."""

    start: int
    end: int
    written: str


def edited(layout: Layout, edits: Iterable[Edit]) -> str:
    """The draft with all edits, which do not overlap; of those at one place the first given stands first.

    Where markup goes and nothing takes its place, what is laid bare is held to what it was: at the beginning of a line
    no heading, list, tag or definition comes to be (a backslash, or a space before the colon, stands against it),
    behind an address no longer address, and a line that is emptied goes. Linear.
    """
    text, seams = _joined(layout.text, edits, layout)
    text = _joined(text, list(_guards(text, seams, layout.first)), None)[0]
    if _RULE.match(text, layout.first) and layout.lines[0].rstrip() != "---":
        return text[: layout.first] + layout.newline + text[layout.first :]  # else a draft's first rule: front matter
    return text


@dataclass(frozen=True, slots=True)
class _Seam:
    """A place of the new text where something went. `whole` where it was whole lines; `continues` where the line
    below is of the same paragraph."""

    at: int
    whole: bool
    continues: bool


def _joined(text: str, edits: Iterable[Edit], layout: Layout | None) -> tuple[str, list[_Seam]]:
    parts: list[str] = []
    seams: list[_Seam] = []
    at = length = 0
    removed_to = -1
    texts = [(each.start, each.end) for each in layout.stretches if not (each.row or each.heading)] if layout else []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start == edit.end == removed_to and edit.written.endswith(("\n", "\r")):
            seams.pop()  # lines are put where others went
            removed_to = -1
        parts += [text[at : edit.start], edit.written]
        length += edit.start - at + len(edit.written)
        at = edit.end
        if layout and edit.end > edit.start and not edit.written:
            whole = text[edit.end - 1] in "\r\n"
            below = edit.end if whole else layout.line_end(edit.end) + 1
            index = bisect_right(texts, (edit.end, len(text))) - 1
            removed_to = edit.end
            seams.append(_Seam(length, whole, index >= 0 and below < texts[index][1]))
    parts.append(text[at:])
    return "".join(parts), seams


def _guards(text: str, seams: list[_Seam], first: int) -> Iterator[Edit]:
    done = -1
    for seam in seams:
        at = seam.at
        if at < done or at >= len(text):
            continue
        looked = max(first, at - _LONGEST)
        begin = max(text.rfind("\n", looked, at) + 1, text.rfind("\r", looked, at) + 1, looked)
        if not _BEFORE_TEXT.fullmatch(text, begin, at):
            if not text[at].isspace() and _ADDRESS.search(_ENDS_ADDRESS.split(text[looked:at])[-1]):
                yield Edit(at, at, " ")
            continue
        for guard in _at_line_beginning(text, begin, seam):
            yield guard
            done = max(guard.end, at + 1)


def _at_line_beginning(text: str, begin: int, seam: _Seam) -> Iterator[Edit]:
    if seam.whole:
        if seam.continues:
            yield from _below(text, begin)
        return
    line = _LINE.match(text, begin)
    left = line[0].strip() if line else ""
    if line and (not left or (left in _BULLETS and not seam.continues)):
        yield Edit(begin, line.end(), "")
        if seam.continues:
            yield from _below(text, line.end())
        return
    at = seam.at
    blanks = _INDENTATION.match(text, at)
    if blanks:
        yield Edit(at, blanks.end(), "")
        at = blanks.end()
    begins = _BEGINS_BLOCK.match(text, at)
    if begins:
        yield Edit(begins.end(), begins.end(), "\\")
    else:
        yield from _no_definition(text, at)


def _below(text: str, begin: int) -> Iterator[Edit]:
    """A line that continued a paragraph stays text where the lines above it went."""
    indentation = _INDENTATION.match(text, begin)
    if indentation and len(indentation[0].expandtabs(4)) >= _CODE_DEPTH:
        yield Edit(begin, indentation.end(), "")
    yield from _no_definition(text, indentation.end() if indentation else begin)


def _no_definition(text: str, at: int) -> Iterator[Edit]:
    defines = _DEFINES.match(text, at)
    if defines:
        yield Edit(defines.end(), defines.end(), " ")
