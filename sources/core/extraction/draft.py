"""Reading a Markdown draft: what its prose links to, and the notes and definitions at its end with their uses."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sources.core.catalog import CitationStatus
from sources.core.extraction.blocks import Block, BlockKind, blocks_of
from sources.core.extraction.gathering import Found, once_per_line, read_spans
from sources.core.extraction.spans import LABELS, Span, SpanKind, label_key, spans_in
from sources.core.extraction.wording import (
    MAX_CONTEXT,
    MAX_TITLE,
    plain,
    sentence_around,
    title_before_access,
    title_beside,
    title_of_link,
)
from sources.core.records import Extraction, Reference, RowError

_DEFINITION = re.compile(r"[ \t>]{0,12}(?:[-*+][ \t]+)?\[(\^?[^\[\]\n]{1,200})\](:?)(?![(\[])[ \t]*(.*)")
_ADDRESS_AND_TITLE = re.compile(r"(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:\"(.*)\"|'(.*)'|\((.*)\)))?[ \t]*")
_SOURCE_AHEAD = re.compile(r"https?://|www\.|10\.\d{4,9}/|arxiv|pmid|isbn|issn|hdl:|urn:", re.IGNORECASE)
_ITEM = re.compile(r"[ \t>]{0,12}\(?([0-9]{1,4})[.)][ \t]+(.*)")
_BULLET = re.compile(r"[ \t>]{0,12}[-*+•][ \t]+\S")
# What stands above a list of sources without being a heading, in assistants' answers.
_LABEL_OF_LIST = re.compile(
    r"(?:key |main )?(?:sources?|references|citations|works cited|bibliography)|source: conversation with .{1,80}",
    re.IGNORECASE,
)
_BIBLIOGRAPHY = re.compile(
    r"references?|sources?|works cited|bibliograph|citations?|literatur|quellen|参考|来源|文献|出典", re.IGNORECASE
)
_ACCESSED = re.compile(r"\b(?:accessed|retrieved)\b", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"\w[\w\s,;'’\"“-]*$")
_DOTTED = re.compile(r"[A-Za-z][\w-]{0,40}\.(?:js|ai|io|py|net|NET)")
_LONGEST_LINE = 2_000


class _Form(Enum):
    """How a piece of a block is written."""

    PROSE = auto()
    LINK = auto()  # [label]: address "title"
    NOTE = auto()  # [^1]: text with links
    NUMBERED = auto()  # [1] Title: address; under "References" also 1. Title: address


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines of one block that belong together: prose, or one definition with its label. `listing` where they stand in
    a list of sources."""

    form: _Form
    start: int
    text: str
    section: str
    row: bool
    label: str = ""
    listing: bool = False


@dataclass(frozen=True, slots=True)
class _Use:
    context: str
    section: str
    text: str


def read_draft(lines: Sequence[str]) -> Extraction:
    """References and errors of a draft. Prose without a source is no error; code and images are no citations.

    A definition that the text uses is INCLUDED and carries the sentence and section of its first use; one that nothing
    uses is VALID_NOT_CITED; one that only images use is left out.
    """
    pieces = list(_pieces(lines))
    labels = {piece.label for piece in pieces if piece.label}
    numbered = {piece.label for piece in pieces if piece.form is _Form.NUMBERED}
    uses: dict[str, _Use] = {}
    pictures: set[str] = set()
    references: list[Reference] = []
    errors: list[RowError] = []
    definitions: list[tuple[_Piece, list[Found]]] = []
    for piece in pieces:
        spans = list(_spans(piece, labels))
        found, refused = read_spans((line, span) for line, span in spans if span.kind not in LABELS)
        errors.extend(refused)
        if piece.label:
            definitions.append((piece, found))
            continue
        for _, span in spans:
            if span.kind is SpanKind.IMAGE_LABEL:
                pictures.add(span.target)
            elif span.kind is SpanKind.LABEL and span.target not in uses:
                uses[span.target] = _Use(sentence_around(piece.text, span.start, span.end), piece.section, span.text)
        references.extend(_in_prose(each, piece) for each in found)
    # Where the text uses other marks (`¹`, or none), a stray `[1]` must not make all other entries uncited.
    numbers_are_used = sum(label in uses for label in numbered) * 4 > len(numbered)
    for piece, found in definitions:
        use = uses.get(piece.label)
        if use is None and piece.label in pictures:
            continue
        cited = use is not None or (piece.form is _Form.NUMBERED and not numbers_are_used)
        references.extend(_defined(each, piece, use, cited) for each in found)
    references.sort(key=lambda reference: reference.line)
    errors.sort(key=lambda error: error.line)
    return Extraction(tuple(once_per_line(references)), tuple(errors))


def _pieces(lines: Sequence[str]) -> Iterator[_Piece]:
    section, listing = "", False
    for block in blocks_of(lines):
        if block.kind is BlockKind.CODE:
            continue
        if block.kind is BlockKind.HEADING:
            section = plain(block.heading)[:MAX_TITLE]
            listing = bool(_BIBLIOGRAPHY.search(section))
        listing = listing or bool(_LABEL_OF_LIST.fullmatch(lines[block.start].strip(" *_:\t")))
        yield from _pieces_of_block(block, lines, section, listing)


def _pieces_of_block(block: Block, lines: Sequence[str], section: str, listing: bool) -> Iterator[_Piece]:
    row = block.kind is BlockKind.ROW

    def piece(form: _Form, start: int, end: int, label: str = "") -> _Piece:
        return _Piece(form, start, "\n".join(lines[start:end]), section, row, label, listing)

    first, form, label = block.start, _Form.PROSE, ""
    for at in range(block.start, block.end):
        definition = _definition(lines[at], listing)
        if definition is None:
            if form is _Form.LINK:
                yield piece(form, first, at, label)
                first, form, label = at, _Form.PROSE, ""
            continue
        if first < at:
            yield piece(form, first, at, label)
        first = at
        form, label = definition
    if first < block.end:
        yield piece(form, first, block.end, label)


def _definition(line: str, listing: bool) -> tuple[_Form, str] | None:
    """The form and label of a line that begins a definition, None for any other line."""
    found = _DEFINITION.match(line, 0, _LONGEST_LINE) if "]" in line else None
    if not found:
        item = _ITEM.match(line, 0, _LONGEST_LINE) if listing else None
        return (_Form.NUMBERED, label_key(item[1])) if item and _SOURCE_AHEAD.search(item[2]) else None
    label, colon, rest = found.groups()
    if label.startswith("^"):
        return (_Form.NOTE, label_key(label)) if colon else None
    if colon and _ADDRESS_AND_TITLE.fullmatch(rest):
        return _Form.LINK, label_key(label)
    if label.isdecimal() and _SOURCE_AHEAD.search(rest):
        return _Form.NUMBERED, label_key(label)
    return None


def _spans(piece: _Piece, labels: set[str]) -> Iterator[tuple[int, Span]]:
    if piece.form is _Form.LINK:
        span = _address_span(piece.text)
        if span is not None:
            yield piece.start + 1, span
            return
    ends = [at for at, char in enumerate(piece.text) if char == "\n"] if "\n" in piece.text else []
    for span in spans_in(piece.text, labels=set() if piece.label else labels, row=piece.row):
        yield piece.start + 1 + bisect_right(ends, span.at), span


def _address_span(line: str) -> Span | None:
    definition = _DEFINITION.match(line)
    parts = _ADDRESS_AND_TITLE.fullmatch(definition[3]) if definition else None
    if not definition or not parts:
        return None
    group = 1 if parts[1] is not None else 2
    at = definition.start(3) + parts.start(group)
    title = parts[3] or parts[4] or parts[5] or ""
    return Span(SpanKind.LINK, definition.start(1) - 1, len(line), parts[group], parts[group], at, "", title)


def _in_prose(found: Found, piece: _Piece) -> Reference:
    span = found.span
    title = _link_title(span, piece.text)
    if not title:
        before, after = _rest_of_line(piece.text, span)
        # Research assistants end their reports with `1. Title, accessed 3 May 2025, https://…`.
        if _ACCESSED.search(before) and len(after) < 4:
            title = title_beside(before, "") or title_before_access(before)
        elif piece.listing and _BULLET.match(before) and not span.title:
            title = title_beside(before, after)
        else:
            title = span.title
    return Reference(
        line=found.line,
        spelling=span.spelling,
        identity=found.identity,
        title=title,
        section=piece.section,
        status=CitationStatus.INCLUDED,
        context=sentence_around(piece.text, span.start, span.end),
    )


def _defined(found: Found, piece: _Piece, use: _Use | None, cited: bool) -> Reference:
    span = found.span
    title = title_of_link(span.text) or span.title
    if not title and piece.form is _Form.LINK and use is not None:
        title = title_of_link(use.text)
    if not title and piece.form is _Form.NUMBERED:
        before, after = _rest_of_line(piece.text, span)
        title = title_beside(before, after)
        if not title and _ACCESSED.search(before) and len(after) < 4:
            title = title_before_access(before)
    return Reference(
        line=found.line,
        spelling=span.spelling,
        identity=found.identity,
        title=title,
        section=use.section if use else piece.section,
        status=CitationStatus.INCLUDED if cited else CitationStatus.VALID_NOT_CITED,
        context=use.context if use else _own_line(piece, span),
    )


def _own_line(piece: _Piece, span: Span) -> str:
    if piece.form is _Form.LINK:
        return piece.text.strip()[:MAX_CONTEXT]
    return sentence_around(piece.text, span.start, span.end)


def _link_title(span: Span, text: str) -> str:
    """The link's text where it may be a title. Words in lower case amid a sentence (`as [the agency found](…)`) are the
    author's own and claim nothing about the page."""
    title = title_of_link(span.text) or _name_with_a_dot(span)
    if title[:1].islower() and " " in title and _WORD_BEFORE.search(text[max(0, span.start - 40) : span.start]):
        return ""
    return title


def _name_with_a_dot(span: Span) -> str:
    """`Node.js` looks like a host; where the address does not hold it, it is what the page is called."""
    name = span.text.strip(" *_`")
    return name if _DOTTED.fullmatch(name) and name.casefold() not in span.target.casefold() else ""


def _rest_of_line(text: str, span: Span) -> tuple[str, str]:
    start = text.rfind("\n", max(0, span.start - _LONGEST_LINE), span.start) + 1
    if not start:
        start = max(0, span.start - _LONGEST_LINE)
    end = text.find("\n", span.end, span.end + _LONGEST_LINE)
    after = text[span.end : end if end >= 0 else span.end + _LONGEST_LINE].strip(" .)]>*_")
    return text[start : span.start], after + ")" if after.count("(") > after.count(")") else after
