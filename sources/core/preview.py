"""A gated draft as blocks and pieces that a template can show: headings, paragraphs, lists, notes, markers.

No HTML is made and none is let through: a tag in the text is text. Only http and https addresses are links. Linear in
the text; every piece has a bound of its own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import unescape


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    RULE = "rule"
    NOTE = "note"


class PieceKind(StrEnum):
    """What a piece of a line is."""

    TEXT = "text"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    LINK = "link"
    CITED = "cited"
    MARKER = "marker"


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` is what is shown. `target` is the address of a link, the label of a cited note, the tag of a marker."""

    kind: PieceKind
    text: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """`line` is where it begins, from 1. `level` is a heading's (1 to 6) or the depth of an item, `label` a note's."""

    kind: BlockKind
    line: int
    pieces: tuple[Piece, ...] = ()
    level: int = 0
    label: str = ""


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_NOTE = re.compile(r" {0,3}\[\^([^\]\s\[^]{1,60})\]:[ \t]*(.*)")
_ITEM = re.compile(r"([ \t]{0,40})(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(.*)")
_QUOTE = re.compile(r" {0,3}>[ ]?(.*)")
_RULE = re.compile(r" {0,3}(?:-[ \t]*){3,80}$|^ {0,3}(?:\*[ \t]*){3,80}$|^ {0,3}(?:_[ \t]*){3,80}$")
_TABLE = re.compile(r" {0,3}\|")
_INDENTED = re.compile(r"(?: {4}|\t)")
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|`(?P<code>[^`]{1,2000})`"
    r"|\[\^(?P<note>[^\]\s\[^]{1,60})\]"
    r"|!?\[(?P<label>[^\[\]]{0,500})\]\((?P<url>[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,500})?)"
    r"(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
    r"|<(?P<tag>needs-source|needs-deeper-grounding)\b(?P<told>[^<>]{0,4000})>"
    r"|</(?:needs-source|needs-deeper-grounding)>"
    r"|\*\*(?P<strong>[^*\n]{1,1000})\*\*"
    r"|(?<![\w*])\*(?P<emphasis>[^*\s][^*\n]{0,500})\*(?![\w*])"
)
_TOLD = re.compile(r"(?:claim|id)[ \t]*=[ \t]*(?:\"([^\"]{0,4000})\"|'([^']{0,4000})')")
_WEB = re.compile(r"https?://", re.IGNORECASE)


def lines_of(text: str) -> list[str]:
    """The lines of a draft as the gate counts them: CR LF, LF and CR end one, and nothing else does."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def blocks_of(text: str) -> list[Block]:
    """The blocks of a draft, in its order."""
    return list(_blocks(lines_of(text)))


def pieces_of(text: str) -> tuple[Piece, ...]:
    """The pieces of one paragraph; joined, their texts are what a reader sees."""
    found: list[Piece] = []
    plain: list[str] = []
    end = 0
    for match in _INLINE.finditer(text):
        plain.append(text[end : match.start()])
        end = match.end()
        if match["escaped"]:
            plain.append(match["escaped"])
            continue
        piece = _piece(match)
        if piece is not None:
            _flush(plain, found)
            found.append(piece)
    plain.append(text[end:])
    _flush(plain, found)
    return tuple(found)


def _piece(match: re.Match[str]) -> Piece | None:
    if match["code"]:
        return Piece(PieceKind.CODE, match["code"])
    if match["note"]:
        return Piece(PieceKind.CITED, match["note"], match["note"])
    if match["url"]:
        label = match["label"] or match["url"]
        if _WEB.match(match["url"]):
            return Piece(PieceKind.LINK, label, match["url"])
        return Piece(PieceKind.TEXT, label)
    if match["tag"]:
        told = _TOLD.search(match["told"])
        return Piece(PieceKind.MARKER, unescape((told[1] or told[2] or "") if told else ""), match["tag"])
    if match["strong"]:
        return Piece(PieceKind.STRONG, match["strong"])
    if match["emphasis"]:
        return Piece(PieceKind.EMPHASIS, match["emphasis"])
    return None


def _flush(plain: list[str], found: list[Piece]) -> None:
    text = "".join(plain)
    plain.clear()
    if text:
        found.append(Piece(PieceKind.TEXT, text))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    held: list[str] = []
    kind, first, level, label = BlockKind.PARAGRAPH, 0, 0, ""
    fence = ""
    for number, line in enumerate(lines, 1):
        if fence:
            closing = _FENCE.match(line)
            if closing and closing[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield Block(BlockKind.CODE, first, (Piece(PieceKind.TEXT, "\n".join(held)),))
                held, fence = [], ""
            else:
                held.append(line)
            continue
        begun = _begun(line, is_open=bool(held), kind=kind)
        if begun is None:
            if held or line.strip():
                held.append(line)
            continue
        if held:
            yield _closed(kind, first, held, level, label)
            held = []
        kind, rest, level, label = begun
        first = number
        opening = _FENCE.match(line)
        if opening and kind is BlockKind.CODE and rest is None:
            fence = opening[1]
        elif kind is BlockKind.RULE:
            yield Block(BlockKind.RULE, number)
            kind = BlockKind.PARAGRAPH
        elif kind is BlockKind.HEADING:
            yield Block(BlockKind.HEADING, number, pieces_of(rest or ""), level)
            kind = BlockKind.PARAGRAPH
        elif rest:
            held = [rest]
    if held or fence:
        yield _closed(BlockKind.CODE if fence else kind, first, held, level, label)


def _begun(line: str, *, is_open: bool, kind: BlockKind) -> tuple[BlockKind, str | None, int, str] | None:
    """What a line begins: kind, its own text, level and label; None where it goes on with what is open."""
    if not line.strip():
        return (BlockKind.PARAGRAPH, "", 0, "") if is_open or kind is not BlockKind.PARAGRAPH else None
    if _FENCE.match(line):
        return BlockKind.CODE, None, 0, ""
    if heading := _HEADING.match(line):
        return BlockKind.HEADING, heading[2] or "", len(heading[1]), ""
    if note := _NOTE.match(line):
        return BlockKind.NOTE, note[2] or " ", 0, note[1]
    if _RULE.match(line):
        return BlockKind.RULE, "", 0, ""
    if item := _ITEM.match(line):
        return BlockKind.ITEM, item[2], len(item[1].expandtabs(4)) // 2, ""
    if quote := _QUOTE.match(line):
        return None if is_open and kind is BlockKind.QUOTE else (BlockKind.QUOTE, quote[1] or " ", 0, "")
    if _TABLE.match(line):
        return None if is_open and kind is BlockKind.CODE else (BlockKind.CODE, line, 0, "")
    if not is_open:
        is_code = bool(_INDENTED.match(line)) and kind is BlockKind.PARAGRAPH
        return (BlockKind.CODE if is_code else BlockKind.PARAGRAPH, line, 0, "")
    return (BlockKind.PARAGRAPH, line, 0, "") if kind is BlockKind.CODE and not _INDENTED.match(line) else None


def _closed(kind: BlockKind, first: int, held: Sequence[str], level: int, label: str) -> Block:
    if kind is BlockKind.CODE:
        return Block(kind, first, (Piece(PieceKind.TEXT, "\n".join(held)),))
    if kind is BlockKind.QUOTE:
        held = [found[1] if (found := _QUOTE.match(line)) else line for line in held]
    return Block(kind, first, pieces_of("\n".join(held)), level, label)
