"""Lines of a text file of any size, one at a time, with the reason where a line is no text."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST_LINE = 10 * 1024 * 1024
"""Bytes. The limit of Harvey's own `kb import`, which gives up the whole file at a longer line."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, counted from 1. `problem` is why it cannot be read, and the way out; '' where `text` is the line."""

    number: int
    text: str
    problem: str = ""


def text_lines(path: Path, longest: int = LONGEST_LINE) -> Iterator[Line]:
    """Each line without its end (LF or CR LF) and without a byte order mark before it.

    Memory is that of the longest line, and no line over `longest` bytes is kept.
    """
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(longest + 1):
            number += 1
            if len(raw) > longest and not raw.endswith(b"\n"):
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(longest + 1)
                yield Line(number, "", f"This line is longer than {longest:,} bytes. Split it, or delete it.")
                continue
            try:
                yield Line(number, raw.removeprefix(_BOM).removesuffix(b"\n").removesuffix(b"\r").decode())
            except UnicodeDecodeError as error:
                yield Line(
                    number,
                    "",
                    f"This line holds a byte that is not UTF-8 (byte {error.start + 1} of the line). "
                    "Save the file as UTF-8 and import it again.",
                )
