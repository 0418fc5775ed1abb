"""A BibTeX file cut into blocks, each parsed by itself, so that a broken one costs nothing but itself."""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ParsingFailedBlock, String
from bibtexparser.splitter import Splitter

from sources.formats.bibtex.values import without_comma

# What fails becomes a RowError; the library's log would repeat people's texts.
logging.getLogger("bibtexparser.splitter").setLevel(logging.CRITICAL)

# An entry opens at the beginning of a line, or behind the end of another one on the same line. A line that opens an
# entry does so whatever braces are open above it: that is how the rest of a file survives a missing brace.
_OPENING = re.compile(
    r"^[ \t]*@(\w+)\s*([{(])|(?<=[})])[ \t]*,?[ \t]*@(\w+)[ \t]*([{(])(?=[^\s{}(),=\"]*[ \t]*,)", re.MULTILINE
)
_KEY = re.compile(r"\s*([^\s,={}()\"]*)")
_COMMENT_LINES = re.compile(r"^[ \t]*%.*$", re.MULTILINE)
_MOST_MENDED = 50
NOT_ENTRIES = frozenset({"comment", "string", "preamble"})


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a file: `kind` is the word after the @, in small letters; `text` reaches to the next block."""

    line: int
    last_line: int
    kind: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Fields:
    """An entry's raw fields in order, with repeats; names in small letters."""

    kind: str
    key: str
    fields: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a block could not be parsed: what is wrong, and the way out."""

    message: str


def blocks_of(text: str) -> Iterator[Block]:
    """Every block of `text`, in order. Lines before the first block, and between blocks, are comments to BibTeX."""
    line, counted = 1, 0
    held: re.Match[str] | None = None
    for found in _OPENING.finditer(text):
        if held:
            start = _start(held)
            line, counted = line + text.count("\n", counted, start), start
            yield _block(text, held, start, _start(found), line)
        held = found
    if held:
        start = _start(held)
        line += text.count("\n", counted, start)
        yield _block(text, held, start, len(text), line)


def parsed(block: Block) -> Fields | Broken:
    """The fields of an entry, by bibtexparser; repeated fields are kept, in order."""
    for part in Splitter(block.text).split().blocks:
        entry = part.ignore_error_block if isinstance(part, DuplicateFieldKeyBlock) else part
        if isinstance(entry, Entry):
            fields, warnings = _separated((_name(field.key), str(field.value).strip()) for field in entry.fields)
            return Fields(block.kind, entry.key.strip(), fields, warnings)
        if isinstance(part, ParsingFailedBlock):
            return Broken(_reason(str(part.error), block))
    return Broken("This is no entry that can be read. Give it the form @article{key, title = {…}}.")


def macro(block: Block) -> tuple[str, str] | None:
    """Name and raw value of an `@string` block, None where it cannot be read."""
    for part in Splitter(block.text).split().blocks:
        if isinstance(part, String):
            return part.key.strip().lower(), str(part.value).strip()
    return None


def _separated(fields: Iterable[tuple[str, str]]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The fields, those parted that only a missing comma holds together, and a warning for each of these."""
    told: list[tuple[str, str]] = []
    warnings: list[str] = []
    for name, raw in fields:
        while len(warnings) < _MOST_MENDED and (following := without_comma(raw)):
            told.append((name, following[0]))
            warnings.append(f"A comma is missing between the fields “{name}” and “{following[1]}”; both were read.")
            name, raw = _name(following[1]), following[2]
        told.append((name, raw))
    return tuple(told), tuple(warnings)


def _start(found: re.Match[str]) -> int:
    return found.start() + found[0].index("@")


def _block(text: str, found: re.Match[str], start: int, end: int, line: int) -> Block:
    kind = found[1] or found[3]
    delimiter = found[2] or found[4]
    body = text[found.end() : end]
    if "%" in body:
        # Half the managers write comment lines between fields; a `%` further in the line is part of an address.
        body = _COMMENT_LINES.sub("", body)
    key = _KEY.match(body)
    last = line + text.count("\n", start, end)
    return Block(line, last, kind.lower(), key[1] if key else "", f"@{kind}{delimiter}{body}")


def _name(key: str) -> str:
    return key.strip().lower()


def _reason(told: str, block: Block) -> str:
    entry = f"the entry “{block.key}”" if block.key else "this entry"
    if "end of file" in told:
        return (
            f"A brace or quotation mark of {entry} is opened and not closed before line "
            f"{block.last_line}. Close it and import the file again."
        )
    if "comma after entry key" in told:
        return f"After @{block.kind}{{ a key and a comma are expected, as in @{block.kind}{{smith2020, title = …}}."
    return (
        f"Between two fields of {entry} a comma, a “=” or a closing brace is missing "
        f"(lines {block.line} to {block.last_line}). Add it and import the file again."
    )
