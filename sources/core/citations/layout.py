"""A draft taken apart by lines: what is text, what is left alone (code, comments, front matter), and its definitions.

Block structure is CommonMark's (`extraction.blocks`), footnotes are those of GitHub's Markdown. Offsets are of the
draft itself, so that whatever is not changed stays as it is, line ends and byte order mark included.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.common.html_blocks import block_names

from sources.core.extraction.blocks import Block, BlockKind, blocks_of
from sources.core.extraction.spans import label_key
from sources.core.extraction.targets import unescaped

_LINE_END = re.compile(r"\r\n|\n|\r")
_PREFIX = r"[ \t>]{0,12}(?:[-*+][ \t]+)?"
_NOTE = re.compile(rf"{_PREFIX}\[\^([^\[\]\s]{{1,100}})\]:[ \t]*")
_LINK = re.compile(
    r"[ \t>]{0,12}\[(?!\^)((?:[^\[\]\\]|\\.){1,300})\]:[ \t]*(?:<([^<>]*)>|(\S+))"
    r"(?:[ \t]+(\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*"
)
_ID = re.compile(r"src[-_\u2010\u2011\u2013]?[0-9]{1,9}", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"[/.#]")
_INDENTED = re.compile(r"(?: {4}|\t| {1,3}\t)")
_LIST = re.compile(
    r"(?:list of )?(?:references?(?: list)?|sources?(?: cited)?|works cited|bibliography|citations?|(?:foot|end)notes"
    r"|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|références|referencias|список литературы"
    r"|参考文献|参考资料|引用文献|来源)\W*",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_FRONT_MATTER_ENDS = ("---", "...")
_COMMENT = re.compile(r" {0,3}<!--")
_TAG_ALONE = re.compile(r"[ \t>]{0,12}</?([A-Za-z][A-Za-z0-9-]*)(?:[\s/][^<>]*)?>[ \t]*")
_BLOCK_TAGS = frozenset({*block_names, "pre", "script", "style", "textarea"})
_MARKER = re.compile(r"<(?=needs-(?:source|deeper-grounding)\b)")


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote's definition, lines and line ends included; `body_start` to `body_end` is what it says."""

    label: str
    start: int
    end: int
    body_start: int
    body_end: int


@dataclass(frozen=True, slots=True)
class LinkDefinition:
    """`[label]: address "title"`, its line end included."""

    key: str
    label: str
    target: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that belongs together: a paragraph, a heading, a row of a table, or part of a note."""

    start: int
    end: int
    row: bool = False
    heading: bool = False
    note: Note | None = None


class Layout:
    """`stretches` in order without overlaps; `notes` and `links` in order; `comment_at` where a comment is never
    closed; `list_end` behind the last line of the list of sources, None where there is none; `tail` where one can be
    put."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.first = 1 if text.startswith("\ufeff") else 0
        ends = list(_LINE_END.finditer(text))
        self.newline = ends[0][0] if ends else "\n"
        self.starts = [self.first, *(found.end() for found in ends)]
        self._ends = [*(found.start() for found in ends), len(text)]
        self.lines = [text[start:end] for start, end in zip(self.starts, self._ends, strict=True)]
        self.stretches: list[Stretch] = []
        self.notes: list[Note] = []
        self.links: list[LinkDefinition] = []
        self.has_front_matter = False
        self.comment_at: int | None = None
        self.list_end: int | None = None
        self._open: tuple[str, int, int, int] | None = None  # label, first line, last line, start of body
        self._pending: list[tuple[int, int]] = []
        as_blocks = list(_as_blocks(self.lines))
        blocks = blocks_of(as_blocks)
        for block in self._without_front_matter(blocks):
            self._read(block)
        self._close()
        self.tail = self._tail(blocks, as_blocks)
        self._find_list(blocks)

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of an offset, from 1."""
        line = bisect_right(self.starts, at)
        if not line:
            return 1, 1
        return line, at - self.starts[line - 1] + 1

    def is_text(self, at: int) -> bool:
        """True for a place in a stretch, False in code and comments."""
        index = bisect_right(self.stretches, at, key=lambda each: each.start) - 1
        return index >= 0 and at <= self.stretches[index].end

    def line_start(self, at: int) -> int:
        """Where the line of an offset begins."""
        return self.starts[max(0, bisect_right(self.starts, at) - 1)]

    def line_end(self, at: int) -> int:
        """Where the line of an offset ends, without its line end."""
        return self._ends[max(0, bisect_right(self.starts, at) - 1)]

    def _next(self, line: int) -> int:
        """Where the line behind `line` (from 0) begins."""
        return self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)

    def _without_front_matter(self, blocks: list[Block]) -> list[Block]:
        if not blocks or blocks[0].start or self.lines[0].rstrip() != "---":
            return blocks
        first = blocks[0]
        closes = first.end > 1 and self.lines[first.end - 1].rstrip() in _FRONT_MATTER_ENDS
        self.has_front_matter = closes and first.kind is BlockKind.TEXT
        return blocks[1:] if self.has_front_matter else blocks

    def _read(self, block: Block) -> None:
        match block.kind:
            case BlockKind.CODE:
                if not self._continues(block):
                    self._close()
            case BlockKind.HEADING:
                self._close()
                self._add(block.start, block.end, heading=True)
            case BlockKind.ROW:
                self._close()
                self._add(block.start, block.end, row=True)
            case BlockKind.TEXT:
                self._read_text(block)

    def _read_text(self, block: Block) -> None:
        self._close()
        if _COMMENT.match(self.lines[block.start]) and not any("-->" in self.lines[at] for at in _lines(block)):
            self.comment_at = self.starts[block.start]
            return
        first, defining = block.start, True
        for at in _lines(block):
            note = _NOTE.match(self.lines[at])
            link = _LINK.fullmatch(self.lines[at]) if defining and not note and self._open is None else None
            if link and _ID.fullmatch(link[1]) and not _ADDRESS.search(link[2] or link[3] or ""):
                link = None  # `[src-007]: yes` is a sentence that begins with its citation
            if not note and not link:
                defining = False
                continue
            self._add(first, at)
            if self._open and first < at:
                self._open = (*self._open[:2], at - 1, self._open[3])  # lines between are of the definition before
            first = at
            if note:
                self._close()
                self._open = (note[1], at, at, self.starts[at] + note.end())
            elif link:
                target = unescaped(link[2] if link[2] is not None else link[3])
                title = unescaped((link[4] or "")[1:-1])
                start, end = self.starts[at], self._next(at)
                self.links.append(LinkDefinition(label_key(link[1]), link[1], target, title, start, end))
                first = at + 1
            defining = True
        self._add(first, block.end)
        if self._open and first == self._open[1]:
            self._open = (*self._open[:2], block.end - 1, self._open[3])

    def _continues(self, block: Block) -> bool:
        """Takes lines that stand four deep below a definition as more of it, though they look like code."""
        if self._open is None or not _INDENTED.match(self.lines[block.start]):
            return False
        if any(self.lines[at].strip() for at in range(self._open[2] + 1, block.start)):
            return False
        inner = [_INDENTED.sub("", self.lines[at], count=1) for at in _lines(block)]
        for part in blocks_of(inner):
            if part.kind is not BlockKind.CODE:
                self._add(block.start + part.start, block.start + part.end, row=part.kind is BlockKind.ROW)
        last = max(at for at in _lines(block) if self.lines[at].strip())
        self._open = (*self._open[:2], last, self._open[3])
        return True

    def _add(self, first: int, end: int, *, row: bool = False, heading: bool = False) -> None:
        """Lines `first` to `end` as one stretch; those of an open definition wait for its end to be known."""
        if first >= end:
            return
        start, stop = self.starts[first], self._ends[end - 1]
        if self._open and first >= self._open[1]:
            self._pending.append((max(start, self._open[3]), stop))
        else:
            self.stretches.append(Stretch(start, stop, row=row, heading=heading))

    def _close(self) -> None:
        if self._open is None:
            return
        label, first, last, body = self._open
        note = Note(label, self.starts[first], self._next(last), body, max(body, self._ends[last]))
        self.notes.append(note)
        self.stretches.extend(Stretch(start, end, note=note) for start, end in self._pending if start <= end)
        self._open, self._pending = None, []

    def _tail(self, blocks: list[Block], lines: list[str]) -> int:
        """The end of the draft; before its last block where that is code or a comment that is never closed."""
        last = blocks[-1] if blocks else None
        if last is None:
            return len(self.text)
        if self.comment_at is not None:
            return self.comment_at
        if last.kind is BlockKind.CODE:
            tried = blocks_of([*lines, "", "."])
            if tried[-1].kind is BlockKind.CODE:
                return self.starts[last.start]
        return len(self.text)

    def _find_list(self, blocks: list[Block]) -> None:
        within, end = False, 0
        for block in blocks:
            if block.kind is BlockKind.HEADING:
                if within:
                    self.list_end = min(end, self.tail)
                within = _LIST.fullmatch(block.heading.strip(" *_:")) is not None
            end = self._next(block.end - 1)
        if within:
            self.list_end = min(end, self.tail)


def _as_blocks(lines: list[str]) -> Iterator[str]:
    """The lines as the parser of blocks, which knows no footnotes, is to see them.

    A rule below a definition underlines no heading (GitHub's Markdown: it ends the definition, or is of it). A marker
    or an inline tag alone in its line begins no block of HTML (CommonMark 4.6, the seventh kind), which would take in
    the lines below: such a tag may be a link that goes. A comment that begins in the line where another ends is one
    with it, though CommonMark ends the block of HTML there: what a comment holds is nobody's text.
    """
    defining, commented = False, False
    last = max((at for at, line in enumerate(lines) if "-->" in line), default=-1)
    for at, line in enumerate(lines):
        if commented or _COMMENT.match(line):
            commented = line.rfind("<!--") > line.rfind("-->") if "<!--" in line or "-->" in line else commented
            if commented and at < last:
                line = line.replace("-->", "--)")
        defining = bool(_NOTE.match(line)) or (defining and not line.isspace() and line != "")
        if defining and _UNDERLINE.fullmatch(line):
            yield "***" if "---" in line else "."
        else:
            tag = _TAG_ALONE.fullmatch(line)
            yield line.replace("<", "(", 1) if tag and tag[1].lower() not in _BLOCK_TAGS else _MARKER.sub("(", line)


def _lines(block: Block) -> Iterator[int]:
    yield from range(block.start, block.end)
