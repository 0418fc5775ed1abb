"""A text cut into passages for a store: by headings and paragraphs, up to a size, each with its lines.

The rule, the same for every text, so that the same text gives the same passages:
- Markdown: a heading (`#` to `######`) begins a new passage; inside a fence nothing does.
- Code (by the ending of the name): a line that stands at the margin after a blank line may begin one.
- All else: a blank line parts paragraphs.
- Parts that follow each other are joined while the passage stays within `SIZE` characters. A part that is longer stands
  alone and is cut at line ends; a line that is longer is cut at blanks, and where it has none at `SIZE` characters.
Blank lines around a passage belong to none; nothing else of the text is lost.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SIZE = 1_500
RULE = "passages/1"

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKDOWN = frozenset({"md", "markdown", "mkd", "mdown", "rmd", "qmd"})
_CODE = re.compile(
    r"bas|cc?|cpp|css?|cxx|exs?|f90|go|hp?p?|hs|java|jl|jsx?|kt|lua|ml?|php|p[lsy]1?|rb?|rs|scala|scm|sh|sql|swift|tcl|toml"
    r"|tsx?|vue|xml|ya?ml|zig"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and the lines it stands in, counted from 1, both included; None where a store does not say."""

    content: str
    start_line: int | None
    end_line: int | None


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines that belong together; `opens` where nothing may be joined before them."""

    start: int
    lines: list[str]
    opens: bool

    @property
    def size(self) -> int:
        return sum(len(line) + 1 for line in self.lines)


def passages_of(text: str, *, name: str) -> list[Passage]:
    """The passages of `text` in their order; [] for one of blanks alone. `name` is a path or address: its ending says
    what kind of text it is. Linear."""
    lines = _LINE_END.split(text)
    found: list[Passage] = []
    held: list[_Part] = []
    size = 0
    for part in _parts(lines, ending=_ending(name)):
        if held and (part.opens or size + part.size > SIZE):
            found.extend(_closed(held, lines))
            held, size = [], 0
        held.append(part)
        size += part.size
    found.extend(_closed(held, lines))
    return found


def _ending(name: str) -> str:
    last = re.split(r"[/\\]", re.split(r"[?#]", name, maxsplit=1)[0])[-1]
    return last.rpartition(".")[2].lower() if "." in last else ""


def _parts(lines: list[str], *, ending: str) -> Iterator[_Part]:
    is_markdown, is_code = ending in _MARKDOWN, _CODE.fullmatch(ending) is not None
    start, held, opens, after_blank, fence = 1, list[str](), False, False, ""
    for number, line in enumerate(lines, start=1):
        is_blank = not line.strip()
        heading = is_markdown and not fence and _HEADING.match(line) is not None
        begins = after_blank and not is_blank and not fence and (not is_code or not line[:1].isspace())
        if held and (heading or begins):
            yield _Part(start, held, opens)
            held = []
        if not held and not is_blank:
            start, opens = number, heading
        if held or not is_blank:
            held.append(line)
        after_blank = is_blank
        if is_markdown:
            fence = _fence_after(line, fence)
    if held:
        yield _Part(start, held, opens)


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open after `line`, '' where none is (CommonMark 4.5)."""
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return found[1]
    closes = found[1][0] == fence[0] and len(found[1]) >= len(fence) and not line[found.end() :].strip()
    return "" if closes else fence


def _closed(parts: list[_Part], lines: list[str]) -> Iterator[Passage]:
    if not parts:
        return
    start = parts[0].start
    end = parts[-1].start + len(parts[-1].lines) - 1
    while not lines[end - 1].strip():
        end -= 1
    if len(parts) > 1 or parts[0].size <= SIZE:
        yield Passage("\n".join(lines[start - 1 : end]), start, end)
    else:
        yield from _cut(lines[start - 1 : end], start)


def _cut(lines: list[str], start: int) -> Iterator[Passage]:
    """A part that is too long, at line ends where that is enough."""
    held: list[str] = []
    first, size = start, 0
    for number, line in enumerate(lines, start=start):
        if held and size + len(line) > SIZE:
            yield from _written(held, first)
            held, size = [], 0
        if len(line) > SIZE:
            yield from (Passage(piece, number, number) for piece in _pieces(line))
            continue
        if not held:
            first = number
        held.append(line)
        size += len(line) + 1
    yield from _written(held, first)


def _written(lines: list[str], first: int) -> Iterator[Passage]:
    content = "\n".join(lines)
    if content.strip():
        yield Passage(content, first, first + len(lines) - 1)


def _pieces(line: str) -> Iterator[str]:
    start = 0
    while start < len(line):
        end = min(start + SIZE, len(line))
        if end < len(line):
            blank = line.rfind(" ", start + 1, end)
            end = blank + 1 if blank > 0 else end
        if line[start:end].strip():
            yield line[start:end]
        start = end
