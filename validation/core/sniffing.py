"""What a body is, by its first bytes: servers mislabel PDFs as octet streams and error pages as PDFs."""

import re

from validation.core.documents import is_file_name

# (offset, magic, media type), after the WHATWG MIME sniffing standard and the formats' own specifications.
_MAGIC = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "application/ogg"),
    (8, b"WAVE", "audio/wav"),
)
# What lies in a zip tells an office document or e-book from a plain archive (OPC, ODF and EPUB put it first).
_IN_ZIP = (
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"application/epub+zip", "application/epub+zip"),
    (b"application/vnd.oasis.opendocument", "application/vnd.oasis.opendocument"),
)
_TAG = re.compile(
    rb"<(?:!doctype html|html|head|body|title|meta|script|style|div|h[1-6]|p|a|table|br|span|section|main|article|ul"
    rb"|form|img|center|font|frameset|iframe|noscript|link|b)\b",
    re.IGNORECASE,
)
_REACH = 1_024  # the PDF mark may stand anywhere here (PDF reference, implementation notes)
_PLAIN = bytes({7, 8, 9, 10, 12, 13, 27} | set(range(0x20, 0x100)))
HTML, PDF, TEXT, XML, JSON, UNKNOWN = (
    "text/html",
    "application/pdf",
    "text/plain",
    "application/xml",
    "application/json",
    "application/octet-stream",
)
DOCUMENTS = frozenset(
    {PDF, "application/postscript", "application/rtf", "application/x-ole-storage"} | {kind for _, kind in _IN_ZIP}
)


def media_type_of(body: bytes, content_type: str = "") -> str:
    """The media type that the bytes show; the header's word counts only where the bytes are plain text.

    '' for a body without a byte; `application/octet-stream` where nothing is recognised. Never raises.
    """
    if not body:
        return ""
    head = body[:_REACH]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\x0c")
    if not start.startswith(b"<") and b"%PDF-" in head:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return next((kind for mark, kind in _IN_ZIP if mark in body[:4_096]), "application/zip")
    if not start.startswith(b"<"):  # no magic begins so, and most bodies do
        for offset, magic, kind in _MAGIC:
            if head.startswith(magic, offset):
                return kind
    said = content_type.partition(";")[0].strip().lower()
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not utf16 and head.translate(None, _PLAIN).replace(b"\x00", b"") != b"":
        return UNKNOWN if head.count(b"\x00") or not _TAG.search(body[:8_192]) else HTML
    if not utf16 and head.count(b"\x00") > len(head) // 8:
        return UNKNOWN
    return _text_kind(body[:8_192].replace(b"\x00", b""), start, said)


def is_pdf(body: bytes) -> bool:
    """True where the bytes are of a PDF, whatever the header says."""
    return b"%PDF-" in body[:_REACH] and media_type_of(body) == PDF


def _text_kind(head: bytes, start: bytes, said: str) -> str:
    if start.startswith(b"<?xml") and not re.search(rb"<html\b", head, re.IGNORECASE):
        return XML
    if said in {"text/plain", "text/csv", "text/markdown", "application/json"} and not start.startswith(b"<"):
        return said
    if start[:1] in {b"{", b"["} and said != HTML:
        return JSON
    if _TAG.search(head) or said in {HTML, "application/xhtml+xml"}:
        return HTML
    return TEXT


_PDF_TITLE = re.compile(rb"/Title\s*\(((?:[^()\\]|\\.){1,600})\)", re.DOTALL)
_PDF_HEX_TITLE = re.compile(rb"/Title\s*<([0-9A-Fa-f\s]{4,2400})>")
_XMP_TITLE = re.compile(rb"<dc:title>.{0,200}?<rdf:li[^>]{0,100}>([^<]{1,600})</rdf:li>", re.DOTALL)
_ESCAPES = {"n": " ", "r": " ", "t": " ", "b": "", "f": " "}


def pdf_title(body: bytes) -> str:
    """The title that a PDF carries in plain sight (document information or XMP), '' where it is packed or no title.

    Names of files and of programs («Microsoft Word - draft.doc») are no titles. Nothing is decompressed.
    """
    xmp = _XMP_TITLE.search(body)
    if xmp:
        title = xmp.group(1).decode("utf-8", errors="ignore")
    elif literal := _PDF_TITLE.search(body):
        title = _pdf_text(re.sub(rb"\\([nrtbf()\\]|[0-7]{1,3}|\r?\n)", _unescape, literal.group(1)))
    elif coded := _PDF_HEX_TITLE.search(body):
        digits = b"".join(coded.group(1).split())
        title = _pdf_text(bytes.fromhex(digits[: len(digits) // 2 * 2].decode("ascii")))
    else:
        return ""
    title = " ".join(title.split())
    return "" if is_file_name(title) else title[:500]


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    if code[:1].isdigit():
        return bytes([int(code, 8) & 0xFF])
    return _ESCAPES.get(code.decode("latin-1"), code.decode("latin-1").strip()).encode("latin-1")


def _pdf_text(raw: bytes) -> str:
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", errors="ignore")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:].decode("utf-8", errors="ignore")
    return raw.decode("cp1252", errors="ignore")
