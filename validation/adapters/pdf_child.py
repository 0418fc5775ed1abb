"""The child process that opens PDF files: `python -I pdf_child.py`, one file in, one answer out, until its input ends.

A PDF is a program of a stranger: a small one can ask for gigabytes or for hours. So it is opened here, under limits of
memory and processor time that the kernel holds, and never in a worker. Nothing of the desk is imported.

In: eight bytes of length (big-endian), one byte (1: the file goes on after these bytes), then the file. Out: eight
bytes of length and JSON `{"title", "text"}` or `{"obstacle"}`. What is too heavy ends this process; the parent starts
another.
"""

import io
import json
import resource
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from pypdf import PageObject, PdfReader
from pypdf.errors import FileNotDecryptedError, PyPdfError
from pypdf.generic import DictionaryObject, IndirectObject

MEMORY_BYTES = 600 * 1024 * 1024  # of address space; an idle child maps some 150 MB
CPU_S = 4
_PAGES = 3
_MAX_CHARS = 20_000
# Looking for objects takes 0.7 s of a processor for a megabyte full of small ones (measured); first pages stand first.
_BEGINNING = 2 * 1024 * 1024
# An end that leads nowhere: the library then looks for objects itself.
_NO_LIST = b"\nstartxref\n0\n%%EOF\n"
# What pypdf raises on damaged files, measured by cutting and turning bytes of small ones, beside its own errors.
_DAMAGE = (
    PyPdfError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    OSError,
    RecursionError,
    struct.error,
    zlib.error,
)


def main() -> None:
    """Answers files until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    while (given := _read(sys.stdin.buffer)) is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + 1 + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        try:
            told = read_beginning(given[1:]) if given[0] else read_pdf(given[1:])
        except MemoryError:
            told = {"obstacle": "pdf-too-heavy"}
            _write(sys.stdout.buffer, told)
            return  # the heap is in pieces; a fresh process starts clean
        _write(sys.stdout.buffer, told)


def read_pdf(body: bytes) -> dict[str, str]:
    """The title in the document information and the text of the first pages, or what stood in the way."""
    try:
        reader = PdfReader(io.BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"obstacle": "pdf-encrypted"}
        information = reader.metadata
        title = str(information.title or "") if information else ""
        return {"title": title[:1_000], "text": _text(reader)}
    except FileNotDecryptedError:
        return {"obstacle": "pdf-encrypted"}
    except _DAMAGE:
        return {"obstacle": "pdf-broken"}


def read_beginning(body: bytes) -> dict[str, str]:
    """The text of the first pages that stand whole in the beginning of a file, '' where none does.

    The list of a file's objects stands at its end, so they are looked for one by one; pages mostly stand in order.
    """
    text = ""
    try:
        reader = PdfReader(io.BytesIO(body[:_BEGINNING] + _NO_LIST), strict=False)
        for page in _loose_pages(reader):
            text += page.extract_text() + "\n"
            if len(text) >= _MAX_CHARS:
                break
    except _DAMAGE:  # half a page, or one that is packed as nobody can unpack it: what stands before it was read
        pass
    return {"title": "", "text": text[:_MAX_CHARS]}


def _loose_pages(reader: PdfReader) -> Iterator[PageObject]:
    """The first pages in the order of the file, which nothing leads to any more."""
    places = {number: (place, 0) for number, place in reader.xref.get(0, {}).items()}
    for number, (container, place) in reader.xref_objStm.items():
        if container in places:
            places.setdefault(number, (places[container][0], place))
    found = 0
    for number in sorted(places, key=places.__getitem__):
        try:
            held = reader.get_object(IndirectObject(number, 0, reader))
        except _DAMAGE:
            continue
        if isinstance(held, DictionaryObject) and held.get("/Type") == "/Page":
            page = PageObject(reader, IndirectObject(number, 0, reader))
            page.update(held)
            yield page
            found += 1
            if found == _PAGES:
                return


def _text(reader: PdfReader) -> str:
    text = ""
    for number in range(min(_PAGES, len(reader.pages))):
        text += reader.pages[number].extract_text() + "\n"
        if len(text) >= _MAX_CHARS:
            break
    return text[:_MAX_CHARS]


def _read(stream: BinaryIO) -> bytes | None:
    """One byte and a file; None at the end of the input."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    return stream.read(1 + int.from_bytes(head, "big"))


def _write(stream: BinaryIO, told: dict[str, str]) -> None:
    data = json.dumps(told).encode("ascii")
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


if __name__ == "__main__":
    main()
