"""A one-page PDF made by hand: the smallest file that readers accept (ISO 32000-1, 7.5)."""

from collections.abc import Sequence


def one_page(title: str, lines: Sequence[str]) -> bytes:
    """A PDF 1.4 file with `title` in its information dictionary and `lines` (ASCII) as text, 60 characters each."""
    text = " ".join(f"({_escaped(line)}) '" for line in (title, "", *lines))
    content = f"BT /F1 11 Tf 14 TL 60 780 Td {text} ET".encode("ascii")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%s) /Producer (by hand) >>" % _escaped(title).encode("ascii"),
    ]
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")  # four high bytes mark the file as binary
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        file += b"%010d 00000 n \n" % offset
    file += b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>\n" % (len(objects) + 1)
    file += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(file)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
