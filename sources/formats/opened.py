"""Files opened as text, leniently: what no honest file holds is mended, and every mended line is told."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sources.formats.format import HEAD_BYTES, Head

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHUNK = 1 << 20
_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_END_BYTES = re.compile(rb"\r\n|\r|\n")
_HELD_TAIL = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end. `number` counts from 1; `repaired` says what was mended in it, '' where nothing was."""

    number: int
    text: str
    repaired: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A whole file: its text with `\\n` as line end, and what was mended, by line number."""

    text: str
    repaired: dict[int, str]

    def warnings(self, first: int, last: int) -> list[str]:
        """What was mended in the lines `first` to `last`, at most three of them."""
        if not self.repaired:
            return []
        spots = range(first, last + 1) if last - first < len(self.repaired) else sorted(self.repaired)
        return [self.repaired[number] for number in spots if first <= number <= last and number in self.repaired][:3]


def head_of(data: bytes, *, is_whole: bool) -> Head:
    """The head that `Format.recognises` looks at, from the first bytes of a file."""
    mark, codec = _codec(data)
    if not is_whole and codec == "utf-8":
        data = _without_half_a_character(data)
    text = _lenient(data[mark:], codec)[0] if codec == "utf-8" else data[mark:].decode(codec, "replace")
    return Head(data, text.replace("\x00", ""), is_whole)


def open_head(path: Path) -> Head:
    """The beginning of the file at `path`."""
    with path.open("rb") as file:
        data = file.read(HEAD_BYTES + 1)
    return head_of(data[:HEAD_BYTES], is_whole=len(data) <= HEAD_BYTES)


def lines_of(path: Path) -> Iterator[Line]:
    """Every line of the file, one at a time; `\\n`, `\\r\\n` and a lone `\\r` end lines.

    UTF-8 with or without its mark, UTF-16 and UTF-32 with theirs, UTF-16 without one where every other byte is NUL. A
    line that is not UTF-8 is read as Windows-1252; NUL bytes are taken out. The memory held is one line and one chunk.
    """
    with path.open("rb") as file:
        start = file.read(400)
        mark, codec = _codec(start)
        file.seek(mark)
        if codec != "utf-8":
            yield from _decoded_lines(iter(lambda: file.read(_CHUNK), b""), codec)
            return
        for number, data in enumerate(_byte_lines(iter(lambda: file.read(_CHUNK), b"")), 1):
            text, repaired = _lenient(data, "utf-8")
            if "\x00" in text:
                text, repaired = text.replace("\x00", ""), "NUL characters were taken out"
            yield Line(number, text, f"Line {number}: {repaired}." if repaired else "")


def opened(path: Path) -> Opened:
    """The whole file as text, by the rules of `lines_of`."""
    lines, repaired = [], {}
    for line in lines_of(path):
        lines.append(line.text)
        if line.repaired:
            repaired[line.number] = line.repaired
    return Opened("\n".join(lines), repaired)


def _codec(data: bytes) -> tuple[int, str]:
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return len(mark), codec
    sample = data[:400]
    if len(sample) >= 8 and not any(sample[1::2]) and all(sample[0:8:2]):
        return 0, "utf-16-le"
    if len(sample) >= 8 and not any(sample[0::2]) and all(sample[1:8:2]):
        return 0, "utf-16-be"
    return 0, "utf-8"


def _lenient(data: bytes, codec: str) -> tuple[str, str]:
    try:
        return data.decode(codec), ""
    except UnicodeDecodeError:
        # Python leaves five bytes of Windows-1252 undefined; Latin-1 has control characters there.
        try:
            return data.decode("cp1252"), "it is not UTF-8 and was read as Windows-1252"
        except UnicodeDecodeError:
            return data.decode("latin-1"), "it is not UTF-8 and was read as Latin-1"


def _byte_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines of bytes. Pieces of a long line are kept apart until it ends, so that one line of any length is linear."""
    held: list[bytes] = []
    after_return = False
    for chunk in chunks:
        part = chunk[1:] if after_return and chunk.startswith(b"\n") else chunk
        after_return = chunk.endswith(b"\r")
        pieces = _LINE_END_BYTES.split(part) if b"\r" in part else part.split(b"\n")
        held.append(pieces[0])
        for piece in pieces[1:]:
            yield b"".join(held)
            held = [piece]
    if last := b"".join(held):
        yield last


def _decoded_lines(chunks: Iterator[bytes], codec: str) -> Iterator[Line]:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    held: list[str] = []
    after_return = False
    number = 0
    for chunk in chunks:
        text = decoder.decode(chunk)
        part = text[1:] if after_return and text.startswith("\n") else text
        after_return = text.endswith("\r")
        pieces = _LINE_END.split(part)
        held.append(pieces[0])
        for piece in pieces[1:]:
            number += 1
            yield _told(number, "".join(held))
            held = [piece]
    held.append(decoder.decode(b"", final=True))
    if last := "".join(held):
        yield _told(number + 1, last)


def _told(number: int, text: str) -> Line:
    broken = "\ufffd" in text
    text = text.replace("\x00", "")
    return Line(number, text, f"Line {number}: a character could not be decoded." if broken else "")


def _without_half_a_character(data: bytes) -> bytes:
    for back in range(1, _HELD_TAIL + 1):
        byte = data[-back] if len(data) >= back else 0
        if byte < 0x80:
            return data
        if byte >= 0xC0:
            return data[:-back]
    return data
