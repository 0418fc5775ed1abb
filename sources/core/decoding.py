"""Bytes of a file to text, or a plain word on why it is no text."""

import codecs

_TAKEN = "Give a text file (Markdown, or a list with one address or DOI a line), saved as UTF-8."

# First bytes of the kinds of files that are met under a wrong name. None is opened or unpacked to find out more.
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "an image, sound or film"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an Office document (docx, xlsx, odt, epub)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"PK\x07\x08", "a ZIP archive in parts"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document (doc, xls, ppt)"),
    (b"{\\rtf", "an RTF document"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
)
# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


class NotText(ValueError):
    """The bytes are no text that can be read without guessing; the message is for a person and names the line."""


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, with or without its mark, or UTF-16 and UTF-32 with theirs.

    Nothing is guessed and nothing replaced: a wrong guess would change addresses without a word. Raises NotText for
    archives, images and other binary files (which are never unpacked), for NUL bytes, and for bytes that are not UTF-8,
    naming the line (from 1) and byte (from 1) of the first. All or nothing.
    """
    kind = next((name for magic, name in _MAGIC if data.startswith(magic)), "")
    if kind:
        raise NotText(f"This file is {kind}, whatever its name says. {_TAKEN}")
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], codec, name, len(mark))
    nul = data.find(b"\x00")
    if nul >= 0:
        if _every_other_is_nul(data[:400]):
            raise NotText(f"This file looks like UTF-16 without its byte order mark. {_TAKEN}")
        raise NotText(f"Line {_line(data, nul)} holds a NUL byte (byte {nul + 1}), so this is no text file. {_TAKEN}")
    return _decoded(data, "utf-8", "UTF-8", 0)


def _decoded(data: bytes, codec: str, name: str, skipped: int) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(codec, "replace").count("\n") + 1
        where = f"byte {error.start + 1 + skipped} of the file"
        raise NotText(
            f"Line {line} holds a byte that is not {name} ({where}). "
            "Open the file in a text editor, save it as UTF-8, and try again."
        ) from None


def _every_other_is_nul(data: bytes) -> bool:
    return len(data) >= 8 and (not any(data[1::2]) or not any(data[::2]))


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
