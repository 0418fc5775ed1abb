"""Files opened as text, leniently: what no honest file holds is mended, and every mended line is told."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import AnyStr, Generic

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
    """One line without its end. `number` counts from 1; `repaired` says what was mended in it, '' where nothing was;
    `problem` why there is no text, '' where there is."""

    number: int
    text: str
    repaired: str = ""
    problem: str = ""


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


def lines_of(path: Path, *, longest: int = 0) -> Iterator[Line]:
    """Every line of the file, one at a time; `\\n`, `\\r\\n` and a lone `\\r` end lines.

    UTF-8 with or without its mark, UTF-16 and UTF-32 with theirs, UTF-16 without one where every other byte is NUL. A
    line that is not UTF-8 is read as Windows-1252; NUL bytes are taken out. The memory held is one line and one chunk;
    with `longest` a line of more bytes (characters in UTF-16) is not held but told as a `problem`.
    """
    with path.open("rb") as file:
        start = file.read(400)
        mark, codec = _codec(start)
        file.seek(mark)
        if codec != "utf-8":
            yield from _decoded_lines(iter(lambda: file.read(_CHUNK), b""), codec, longest)
            return
        for number, data in enumerate(_byte_lines(iter(lambda: file.read(_CHUNK), b""), longest), 1):
            if data is None:
                yield _too_long(number, longest)
                continue
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


@dataclass(slots=True)
class _Held(Generic[AnyStr]):
    """The pieces of a line until it ends, kept apart so that a line of any length is linear; beyond `longest` none."""

    longest: int
    pieces: list[AnyStr] = field(default_factory=list)
    size: int = 0

    def add(self, piece: AnyStr) -> None:
        self.size += len(piece)
        if self.longest and self.size > self.longest:
            self.pieces.clear()
        else:
            self.pieces.append(piece)

    def line(self, empty: AnyStr) -> AnyStr | None:
        """The line, None where it was too long; the next one begins."""
        told = None if self.longest and self.size > self.longest else empty.join(self.pieces)
        self.pieces.clear()
        self.size = 0
        return told


def _too_long(number: int, longest: int) -> Line:
    return Line(number, "", problem=f"This line is longer than {longest:,} bytes. Split it, or delete it.")


def _byte_lines(chunks: Iterator[bytes], longest: int) -> Iterator[bytes | None]:
    """Lines of bytes; None for one that is too long."""
    held: _Held[bytes] = _Held(longest)
    after_return = False
    for chunk in chunks:
        part = chunk[1:] if after_return and chunk.startswith(b"\n") else chunk
        after_return = chunk.endswith(b"\r")
        pieces = _LINE_END_BYTES.split(part) if b"\r" in part else part.split(b"\n")
        held.add(pieces[0])
        for piece in pieces[1:]:
            yield held.line(b"")
            held.add(piece)
    if held.size:
        yield held.line(b"")


def _decoded_lines(chunks: Iterator[bytes], codec: str, longest: int) -> Iterator[Line]:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    held: _Held[str] = _Held(longest)
    after_return = False
    number = 0
    for chunk in chunks:
        text = decoder.decode(chunk)
        part = text[1:] if after_return and text.startswith("\n") else text
        after_return = text.endswith("\r")
        pieces = _LINE_END.split(part)
        held.add(pieces[0])
        for piece in pieces[1:]:
            number += 1
            yield _told(number, held.line(""), longest)
            held.add(piece)
    held.add(decoder.decode(b"", final=True))
    if held.size:
        yield _told(number + 1, held.line(""), longest)


def _told(number: int, text: str | None, longest: int) -> Line:
    if text is None:
        return _too_long(number, longest)
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
