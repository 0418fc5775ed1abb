"""What a format is: how it is told by its content, how it is read, and how its entries are counted independently."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sources.core.entries import Item

HEAD_BYTES = 65_536


class Unreadable(ValueError):
    """The file as a whole cannot be read; the message says why, where (line, member, table) and what to do."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, to tell its format. `text` is `data` decoded leniently, without a BOM."""

    data: bytes
    text: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Format:
    """One format that can be imported.

    `recognises` looks at a `Head` only, never at a file's name. `read` yields every entry of the file once, as a record
    or as a `RowError` with its line, in order, without holding the file in memory where the format allows it; it raises
    `Unreadable` where nothing can be read. `count` is the number of entries by a rule of its own that shares no code
    with the parser (BibTeX: lines that open an entry; RIS: `TY` lines): rows and errors must come to it, each link,
    project or other record counted as an entry where the rule sees it. None where the format is read line by line and
    no second rule exists.
    """

    name: str
    label: str
    recognises: Callable[[Head], bool]
    read: Callable[[Path], Iterator[Item]]
    count: Callable[[Path], int] | None = None
