"""Tiny PDF files, written here byte by byte, sound and hostile ones."""

import zlib
from collections.abc import Sequence


def pdf(*pages: Sequence[str], title: str = "", trailer: str = "", extra: Sequence[bytes] = ()) -> bytes:
    """A PDF with a page for each list of lines, and a /Title where one is given; `extra` are objects of their own."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({title}) >>".encode() if title else b"<< >>",
    ]
    for number, lines in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {6 + 2 * number} 0 R"
            f" /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(stream(f"BT /F1 12 Tf 14 TL 40 760 Td {shown} ET".encode()))
    return assemble([*objects, *extra], trailer)


def stream(data: bytes, filters: str = "") -> bytes:
    """A stream object with `data` as it stands."""
    return f"<< /Length {len(data)} {filters} >>\nstream\n".encode() + data + b"\nendstream"


def packed(data: bytes) -> bytes:
    """A deflated stream object."""
    return stream(zlib.compress(data, 9), "/Filter /FlateDecode")


def assemble(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """A file of numbered objects with its cross-reference table; /Root is the first object, /Info the fourth."""
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode() + table
    info = "/Info 4 0 R" if len(objects) >= 4 else ""
    return (
        body
        + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {info} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    )


def bomb(megabytes: int = 900) -> bytes:
    """A page whose deflated text is small and grows to `megabytes`, through two layers of packing."""
    packer, inner = zlib.compressobj(9), b""
    for _ in range(megabytes):
        inner += packer.compress(b"(x) Tj " * 149_797)
    inner += packer.flush()
    twice = stream(zlib.compress(inner, 9), "/Filter [/FlateDecode /FlateDecode]")
    return _with_content(twice)


def nested(depth: int = 50_000) -> bytes:
    """A page whose content is arrays in arrays."""
    return _with_content(stream(b"[" * depth + b"]" * depth + b" TJ"))


def endless_pages() -> bytes:
    """A tree of pages that is its own child."""
    return assemble(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9999999 >>",
            b"<< >>",
            b"<< >>",
        ]
    )


def slow(megabytes: int = 9) -> bytes:
    """Millions of drawing commands: nothing is wrong with them, there are only too many."""
    return _with_content(packed(b"BT /F1 12 Tf (a) Tj ET\n" * (megabytes * 400_000)))


def _with_content(content: bytes) -> bytes:
    return assemble(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>",
            content,
        ]
    )
