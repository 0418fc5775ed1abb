"""The blocks of a Markdown text: which lines are headings, prose, table rows, and which are code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Block structure only: nothing is rendered here. HTML blocks are told apart because a comment is no text; link
# definitions are left in their paragraphs, where the reader of drafts finds them with their lines.
_PARSER = MarkdownIt("commonmark", {"html": True, "maxNesting": 20}).enable("table").disable("reference")
_PARSER.core.ruler.enableOnly(["normalize", "block"])

# The parser is linear at 5 to 25 µs a line (measured on lists, quotes, tables and rules), so a 10 MB file of one-letter
# list items would take a minute. Longer texts are read by their line beginnings alone.
_MAX_PARSED_LINES = 60_000

_NO_TEXT = re.compile(r"\s*<(?:script|style|pre)\b", re.IGNORECASE)
_COMMENT = re.compile(r"\s*<!--.*-->\s*", re.DOTALL)
_FENCE = re.compile(r"[ \t>]{0,12}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?")


class BlockKind(Enum):
    """What a run of lines is."""

    HEADING = auto()
    TEXT = auto()
    ROW = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `start` to `end` (from 0, `end` excluded). `heading` is the text of a heading, still in Markdown."""

    kind: BlockKind
    start: int
    end: int
    heading: str = ""


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """All blocks that hold something, in order; every line that is not blank is in one. Linear."""
    if len(lines) > _MAX_PARSED_LINES:
        return list(_by_line_beginnings(lines))
    at = _front_matter_end(lines)
    blocks = [Block(BlockKind.TEXT, 0, at)] if at else []
    tokens = _PARSER.parse("\n" * at + "\n".join(lines[at:]))
    for index, token in enumerate(tokens):
        block = _block(token, tokens[index + 1] if index + 1 < len(tokens) else token)
        if block is not None and block.start >= at:
            blocks.extend(_between(lines, at, block.start))
            blocks.append(block)
            at = block.end
    blocks.extend(_between(lines, at, len(lines)))
    return blocks


def heading_of(line: str) -> str | None:
    """The text of a `# heading` line, None where the line is none."""
    found = _HEADING.fullmatch(line.rstrip(" \t")) if line.lstrip(" ").startswith("#") else None
    if found is None:
        return None
    # Signs at the end close the heading where a blank stands before them. Not in the pattern: blanks would be counted
    # again from each.
    text = found[1] or ""
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare.endswith((" ", "\t")) else text


def _front_matter_end(lines: Sequence[str]) -> int:
    """Behind the YAML that some drafts begin with, which Markdown would take for a heading; 0 where there is none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((at + 1 for at, line in enumerate(lines[1:300], 1) if line.rstrip() in ("---", "...")), 0)


def _block(token: Token, following: Token) -> Block | None:
    if token.map is None:
        return None
    start, end = token.map
    match token.type:
        case "heading_open":
            return Block(BlockKind.HEADING, start, end, following.content)
        case "paragraph_open":
            return Block(BlockKind.TEXT, start, end)
        case "tr_open":
            return Block(BlockKind.ROW, start, end)
        case "fence" | "code_block":
            return Block(BlockKind.CODE, start, end)
        case "html_block":
            silent = _NO_TEXT.match(token.content) or _COMMENT.fullmatch(token.content)
            return Block(BlockKind.CODE if silent else BlockKind.TEXT, start, end)
        case _:
            return None


def _between(lines: Sequence[str], start: int, end: int) -> Iterator[Block]:
    """Text that the parser gave no token, such as what is nested deeper than it follows: nothing is lost."""
    first = start
    for at in range(start, end):
        if not lines[at].strip():
            if first < at:
                yield Block(BlockKind.TEXT, first, at)
            first = at + 1
    if first < end:
        yield Block(BlockKind.TEXT, first, end)


def _by_line_beginnings(lines: Sequence[str]) -> Iterator[Block]:
    at = first = 0
    while at < len(lines):
        line = lines[at]
        heading = heading_of(line)
        fence = _FENCE.match(line)
        if heading is None and fence is None:
            at += 1
            continue
        yield from _between(lines, first, at)
        first = at
        at += 1
        if heading is not None:
            yield Block(BlockKind.HEADING, first, at, heading)
        elif fence is not None:
            while at < len(lines) and not lines[at].strip("> \t").startswith(fence[1]):
                at += 1
            at = min(at + 1, len(lines))
            yield Block(BlockKind.CODE, first, at)
        first = at
    yield from _between(lines, first, len(lines))
