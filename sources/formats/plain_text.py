"""Text that no other format claims: told by its content, and read whole."""

import re
from enum import StrEnum
from pathlib import Path

from sources.core import extract
from sources.core.decoding import NotText, decode
from sources.core.extraction.bibliography import all_entries
from sources.core.extraction.blocks import heading_of
from sources.core.extraction.citation import looks_like_reference
from sources.formats.format import Head, Unreadable

_SENTENCE = 12
MAX_BYTES = 64 * 1_048_576

# First signs of formats with a reader of their own. Each is looked for near the beginning only.
_CLAIMED_BEGINNING = re.compile(
    r"\s*(?:\{[\s\"}]|\[\s*(?:\{|\]\s*$)|<\?xml|<[A-Za-z][\w.-]*:[A-Za-z]"
    r"|<(?:records?|xml|rdf|mods|collection|PubmedArticleSet)\b"
    r"|%[0A-Z] \S|FN (?:ISI|Clarivate|Thomson)|--[A-Z0-9]{2}-- |INT\. HARVEY\b|PMC?ID\b|PMC )",
    re.IGNORECASE,
)
_CLAIMED_LINE = re.compile(
    r"^[ \t]*@[A-Za-z]{2,30}[ \t]*[{(]|(?:^[A-Z][A-Z0-9]{1,3} {0,2}-(?: [^\n]*)?\r?\n){2}"
    r"|^INT\. HARVEY AND \S+ TALKING\b",
    re.MULTILINE,
)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
SOURCE_LIST = re.compile(r"\s*#[ \t]+(.{1,300}?)[ \t]*[—–-]+[ \t]*Complete Source List", re.IGNORECASE)
MASTER_LIST = re.compile(r"\s*#[ \t]+(?:Master|Best) Source(?:s|[ \t]List)[ \t]*[—–-]+[ \t]*(.{0,300})", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\s*---[ \t]*\r?\n")
_END_OF_FRONT_MATTER = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_CODIFIED = re.compile(
    r"^(?:mode[ \t]*:[ \t]*[\"']?(?:codified|search)\b"
    r"|sources[ \t]*:[ \t]*\r?\n[ \t]*-[ \t]*\{?[ \t]*[\"']?url[\"']?[ \t]*:)",
    re.MULTILINE | re.IGNORECASE,
)
_TABLE = re.compile(r"[^\n]*(?:title|authors?|doi|url|item ?type|year)[^\n]*", re.IGNORECASE)


class Shape(StrEnum):
    """How a text names its sources."""

    WEB_PAGE = "web-page"
    REFERENCES = "references"
    LIST = "list"
    DRAFT = "draft"


def shape_of(head: Head) -> Shape | None:
    """The one shape of a text, None for what is no text or belongs to a format of its own."""
    text = head.text
    if not text.strip() or head.data.startswith(
        (b"PK", b"SQLite format 3\x00", b"%PDF", b"\x89PNG", b"\xd0\xcf\x11\xe0")
    ):
        return None
    if "\x00" in text[:4096] or is_memo_text(text) or _is_claimed(text) or _is_table(text):
        return None
    lines = extract.lines_of(text if head.is_whole else text.rpartition("\n")[0] or text)
    match extract.shape_of(lines):
        case extract.Shape.WEB_PAGE:
            return Shape.WEB_PAGE
        case found:
            if is_reference_list(lines):
                return Shape.REFERENCES
            return Shape.LIST if found is extract.Shape.LIST else Shape.DRAFT


def is_memo_text(text: str) -> bool:
    """True for the lists of memo pipelines, which have readers of their own: source lists and codified lists."""
    return bool(SOURCE_LIST.match(text) or MASTER_LIST.match(text)) or is_codified_list(text)


def is_codified_list(text: str) -> bool:
    """True where YAML front matter says that a list is codified or searched for, or names sources by their `url`."""
    begun = _FRONT_MATTER.match(text)
    if not begun:
        return False
    ended = _END_OF_FRONT_MATTER.search(text, begun.end())
    return bool(_CODIFIED.search(text, begun.end(), ended.start() if ended else len(text)))


def is_reference_list(lines: list[str]) -> bool:
    """True where most entries of a text are references by their wording: names, years, volumes, pages."""
    if any(line.lstrip().startswith(("```", "|")) for line in lines[:400]):
        return False
    headings = sum(heading_of(line) is not None for line in lines)
    entries = all_entries(lines, extract.printable(lines))
    if not entries or headings > 2 + len(entries) // 4:
        return False
    others = [(entry, heading) for entry, heading in entries if not looks_like_reference(entry.text)]
    if (len(entries) - len(others)) * 10 < len(entries) * 6:
        return False
    # Prose above a heading “References” makes a draft of even a short text with a long list.
    under_heading = any(heading for _, heading in entries)
    return not any(under_heading and not heading and len(entry.text.split()) >= _SENTENCE for entry, heading in others)


def text_of(path: Path) -> str:
    """The whole text of a file. Raises `Unreadable` for what is no text or over 64 MB."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise Unreadable(f"The text is {size / 1_048_576:.0f} MB; at most 64 MB are read at once. Split it.")
    try:
        return decode(path.read_bytes())
    except NotText as refused:
        raise Unreadable(str(refused)) from refused


def _is_claimed(text: str) -> bool:
    """True for other tools' formats. What stands in a Markdown code block is an example in a draft, and claims none."""
    fence = _FENCE.search(text)
    claimed = _CLAIMED_LINE.search(text, 0, fence.start() if fence else len(text))
    return bool(claimed or _CLAIMED_BEGINNING.match(text))


def _is_table(text: str) -> bool:
    """A first line of several column names with one separator is a table's."""
    first = text.lstrip("\ufeff \r\n").partition("\n")[0][:4_000]
    return (
        any(first.count(mark) >= 2 for mark in ",;\t")
        and len(re.findall(r"[.!?] ", first)) == 0
        and _names_columns(first)
    )


def _names_columns(first: str) -> bool:
    if "://" in first or not _TABLE.fullmatch(first.strip()):
        return False
    cells = [cell.strip(" \"'") for cell in re.split(r"[,;\t]", first)]
    return all(len(cell.split()) <= 4 for cell in cells) and any(
        re.fullmatch(r"title|doi|url|authors?|year|item ?type|source|link", cell, re.IGNORECASE) for cell in cells
    )
