"""Entries of a reference list: where each begins and ends, whatever marks them (numbers, bullets, blanks, indents)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sources.core.extraction.blocks import heading_of
from sources.core.extraction.joining import goes_on, joined

_NUMBERED = re.compile(r"\s{0,12}(?:\[(\d{1,6})\]:?|\((\d{1,6})\)|(\d{1,6})[.)])(?:[ \t]+|(?=[A-Z\"“]))(?=\S)")
_BULLET = re.compile(r"\s{0,12}[-*+•‣·–—][ \t]+(?=\S)")
_TITLE_OF_LIST = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})?[.)]?\s+|[IVX]{1,5}\.?\s+)?"
    r"(?:references?(?: list| and notes| cited)?|bibliograph(?:y|ie|ía)|works cited|literature(?: cited)?|"
    r"literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|sources(?: cited)?|reference list|cited works|"
    r"参考文献|引用文献|参考资料|références|referencias|bibliografi[ae]|список литературы|литература)\s*:?",
    re.IGNORECASE,
)
_RUNNING_HEAD = re.compile(r"\s*(?:\d{1,4}\s+)?(?:BIBLIOGRAPHY|REFERENCES|WORKS CITED)(?:\s+\d{1,4})?\s*")
_PAGE_NUMBER = re.compile(r"\s*\d{1,4}\s*")
_AFTER_LIST = re.compile(r"(?:appendix|appendices|annex|acknowledge?ments?|about the authors?|index)\b", re.IGNORECASE)
_OPENS_WITH_AUTHOR = re.compile(
    r"[A-ZÀ-Þ][^\s,]{1,40}(?:\s[A-ZÀ-Þ][^\s,]*){0,3},\s|[A-ZÀ-Þ]\.\s|[—–_-]{2,}|\((?:1[6-9]|20)\d\d"
)
_OPENS = re.compile(rf"{_OPENS_WITH_AUTHOR.pattern}|[A-ZÀ-Þ][^.(]{{2,150}}\((?:1[6-9]|20)\d\d")
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d[a-z]?(?!\d)")
_DEEP = 6
# An entry of over forty lines is none; what looks so is prose without a mark between its parts.
_LONGEST_ENTRY = 40
# Paragraphs of more lines than a long entry has on average hold several entries each.
_LINES_OF_A_PARAGRAPH = 7


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: lines `line` to `end` (from 1, `end` included) as one text without its number or bullet. `number` is
    '' where it has none; `mended` where a broken DOI or address was joined; `repeats_author` where the author is left
    blank because it is the last entry's."""

    line: int
    end: int
    text: str
    number: str = ""
    mended: bool = False
    repeats_author: bool = False


@dataclass(frozen=True, slots=True)
class Shelf:
    """The part of a text that is its reference list: lines `start` to `end` (from 0, `end` excluded)."""

    heading: str
    start: int
    end: int


def shelves(lines: Sequence[str]) -> list[Shelf]:
    """The parts under headings such as “References”, each up to the next heading or appendix. Linear."""
    found: list[Shelf] = []
    heading, start, by_mark = "", -1, False
    for at, line in enumerate(lines):
        title = heading_of(line)
        text = (title if title is not None else line).strip().strip("*_ ")
        if len(text) > 60:
            continue
        opens = bool(_TITLE_OF_LIST.fullmatch(text)) and (title is not None or _stands_alone(lines, at))
        closes = start >= 0 and (title is not None or (not by_mark and bool(_AFTER_LIST.match(text))))
        if start >= 0 and (opens or closes):
            found.append(Shelf(heading, start, at))
            start = -1
        if opens:
            heading, start, by_mark = text.strip(": "), at + 1, title is not None
    if start >= 0:
        found.append(Shelf(heading, start, len(lines)))
    return found


def all_entries(lines: Sequence[str], clean: Sequence[str]) -> list[tuple[Entry, str]]:
    """The entries of a text that is a reference list as a whole, with the heading that each stands under; what stands
    above the first heading has ''. `clean` are the same lines with blanks for control characters: a form feed tells
    that a page begins with its heading, and belongs into no entry."""
    found: list[tuple[Entry, str]] = []
    at = 0
    for shelf in shelves(lines):
        found += [(entry, "") for entry in entries_in(clean, at, max(at, shelf.start - 1))]
        found += [(entry, shelf.heading) for entry in entries_in(clean, shelf.start, shelf.end)]
        at = shelf.end
    return found + [(entry, "") for entry in entries_in(clean, at, len(lines))]


def is_title_of_list(text: str) -> bool:
    """True for the heading of a reference list, with or without a number: “References”, “7. Bibliography”."""
    return bool(_TITLE_OF_LIST.fullmatch(text.strip().strip("*_ ")))


def entries_in(lines: Sequence[str], start: int, end: int) -> list[Entry]:
    """The entries of a reference list, in order; every line that is not blank, a rule or a page's head is in one."""
    at = [index for index in range(start, end) if _is_text(lines, index)]
    openings = _openings(lines, at)
    bounds = [position for position, opens in enumerate(openings) if opens] + [len(at)]
    if bounds[0] != 0:
        bounds.insert(0, 0)
    return [_entry(lines, at[first:last]) for first, last in pairwise(bounds) if first < last]


def _is_text(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if (
        not line.strip("-*_= \t\x0c")
        or line.lstrip().startswith(":::")
        or heading_of(line) is not None
        or _RUNNING_HEAD.fullmatch(line)
    ):
        return False
    return not (_PAGE_NUMBER.fullmatch(line) and (not at or not lines[at - 1].strip()))


def _openings(lines: Sequence[str], at: Sequence[int]) -> list[bool]:
    """For each line in `at` whether an entry begins there, by the first rule that fits the whole list."""
    if not at:
        return []
    numbered = [bool(_NUMBERED.match(lines[index])) for index in at]
    if numbered[0] and sum(counted := _in_sequence(lines, at)) * 2 >= sum(numbered):
        return counted
    bullets = [bool(_BULLET.match(lines[index])) for index in at]
    if bullets[0] and sum(bullets) * _LONGEST_ENTRY >= len(at):
        return bullets
    indents = [len(lines[index]) - len(lines[index].lstrip()) for index in at]
    after_blank = [not place or not lines[index - 1].strip() for place, index in enumerate(at)]
    if min(indents) < max(indents):
        hanging = [
            indent < min(indents) + 1 or (blank and indent > min(indents) + _DEEP)
            for indent, blank in zip(indents, after_blank, strict=True)
        ]
        if sum(hanging) * _LONGEST_ENTRY >= len(at):
            return hanging
    if sum(after_blank) > 1 and sum(after_blank) * _LONGEST_ENTRY >= len(at):
        if len(at) <= sum(after_blank) * _LINES_OF_A_PARAGRAPH:
            return after_blank
        whole = [bool(_YEAR.search(lines[index])) and bool(_OPENS_WITH_AUTHOR.match(lines[index])) for index in at]
        together = enumerate(zip(after_blank, whole, strict=True))
        return [blank or (opens and _ended(lines[at[place - 1]])) for place, (blank, opens) in together]
    complete = sum(bool(_YEAR.search(lines[index])) for index in at)
    if complete * 10 >= len(at) * 8:
        return [not place or not goes_on(lines[at[place - 1]], lines[index]) for place, index in enumerate(at)]
    return [not place or _begins(lines[at[place - 1]], lines[index]) for place, index in enumerate(at)]


def _begins(above: str, below: str) -> bool:
    return _ended(above) and bool(_NUMBERED.match(below) or _OPENS.match(below.strip()))


def _ended(line: str) -> bool:
    text = line.rstrip()
    return text.endswith((".", ")", "]")) or "://" in text.rpartition(" ")[2] or text[-1:].isdigit()


def _in_sequence(lines: Sequence[str], at: Sequence[int]) -> list[bool]:
    """Numbers in brackets open an entry; a bare `12.` only where it follows the last number, since a line of an entry
    may begin with a volume."""
    openings: list[bool] = []
    last = None
    for index in at:
        found = _NUMBERED.match(lines[index])
        number = _number(lines[index]) if found else 0
        opens = bool(found) and (last is None or bool(found and found[1]) or last < number <= last + 5 or number == 1)
        if opens:
            last = number
        openings.append(opens)
    return openings


def _number(line: str) -> int:
    found = _NUMBERED.match(line)
    return int(next(part for part in found.groups() if part)) if found else 0


def _entry(lines: Sequence[str], at: Sequence[int]) -> Entry:
    first = lines[at[0]]
    found = _NUMBERED.match(first)
    mark = found or _BULLET.match(first)
    text, mended = joined([first[mark.end() :] if mark else first, *(lines[index] for index in at[1:])])
    bare = text.lstrip("—–-_. ,*")
    dashes = bool(re.match(r"(?:[—–]{1,}|[-_]{2,})\s?[.,:(]?", text)) and bare != text
    deep = not mark and len(first) - len(first.lstrip()) >= _DEEP and bare.startswith("(")
    return Entry(
        line=at[0] + 1,
        end=at[-1] + 1,
        text=bare if dashes else text,
        number=str(_number(first)) if found else "",
        mended=mended,
        repeats_author=dashes or deep,
    )


def _stands_alone(lines: Sequence[str], at: int) -> bool:
    """A heading without a mark has a blank line, or the file's edge, above it, and something below."""
    above = not at or not lines[at - 1].strip() or lines[at].startswith("\x0c")
    return above and any(line.strip() for line in lines[at + 1 : at + 6]) and _holds_a_reference(lines, at + 1)


def _holds_a_reference(lines: Sequence[str], start: int) -> bool:
    near = "\n".join(line[:300] for line in lines[start : start + 12])
    return bool(_YEAR.search(near) or "://" in near or "10." in near)
