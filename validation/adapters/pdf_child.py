"""The child process that opens PDF files: `python -I pdf_child.py`, one file in, one answer out, until its input ends.

A PDF is a program of a stranger: a small one can ask for gigabytes or for hours. So it is opened here, under limits of
memory and processor time that the kernel holds, and never in a worker. Nothing of the desk is imported.

In: eight bytes of length (big-endian), then the file. Out: the same with JSON `{"title", "text"}` or `{"obstacle"}`.
What is too heavy ends this process; the parent starts another.
"""

import io
import json
import resource
import struct
import sys
import zlib
from typing import BinaryIO

from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError, PyPdfError

MEMORY_BYTES = 600 * 1024 * 1024  # of address space; an idle child maps some 150 MB
CPU_S = 4
_PAGES = 3
_MAX_CHARS = 20_000
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
    while (body := _read(sys.stdin.buffer)) is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + 1 + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        try:
            told = read_pdf(body)
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


def _text(reader: PdfReader) -> str:
    text = ""
    for number in range(min(_PAGES, len(reader.pages))):
        text += reader.pages[number].extract_text() + "\n"
        if len(text) >= _MAX_CHARS:
            break
    return text[:_MAX_CHARS]


def _read(stream: BinaryIO) -> bytes | None:
    head = stream.read(8)
    if len(head) < 8:
        return None
    return stream.read(int.from_bytes(head, "big"))


def _write(stream: BinaryIO, told: dict[str, str]) -> None:
    data = json.dumps(told).encode("ascii")
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


if __name__ == "__main__":
    main()
