"""Files that are text, files that only say so, and what the person is told."""

import codecs
import gzip
import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.extract import NotText, decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("Ferry, été, 港".encode(), "Ferry, été, 港"),
        (codecs.BOM_UTF8 + b"https://a.example", "https://a.example"),
        (codecs.BOM_UTF16_LE + "été\n".encode("utf-16-le"), "été\n"),
        (codecs.BOM_UTF16_BE + "été\n".encode("utf-16-be"), "été\n"),
        (codecs.BOM_UTF32_LE + "été\n".encode("utf-32-le"), "été\n"),
    ],
)
def test_text_is_read_in_the_encoding_it_names(data: bytes, text: str) -> None:
    assert decode(data) == text


def _zip_of_zeros() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("list.md", bytes(5_000_000))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3", "PDF document"),
        (_zip_of_zeros(), "ZIP archive or an Office document"),
        (gzip.compress(bytes(5_000_000)), "gzip archive"),
        (b"SQLite format 3\x00\x10\x00", "SQLite database"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "old Office document"),
        (b"{\\rtf1\\ansi", "RTF document"),
        (b"\xff\xd8\xff\xe0", "JPEG image"),
    ],
)
def test_another_kind_of_file_is_named_and_never_unpacked(data: bytes, says: str) -> None:
    with pytest.raises(NotText, match=says) as refused:
        decode(data)
    assert "Markdown" in str(refused.value)


def test_a_nul_byte_is_told_with_its_line() -> None:
    with pytest.raises(NotText, match=r"Line 2 holds a NUL byte \(byte 11\)"):
        decode(b"https://a\n\x00https://b\n")


def test_utf_16_without_its_mark_is_recognised() -> None:
    with pytest.raises(NotText, match="UTF-16 without its byte order mark"):
        decode("https://a.example/x\n".encode("utf-16-le"))


def test_bytes_that_are_not_utf_8_are_told_with_line_and_place() -> None:
    with pytest.raises(
        NotText, match=r"Line 3 holds a byte that is not UTF-8 \(byte 10 of the file\).*save it as UTF-8"
    ):
        decode(b"a\nb\ncaf\xc3\xa9\xe9\n")


def test_a_broken_utf_16_file_is_told_with_its_line() -> None:
    data = codecs.BOM_UTF16_LE + "one\ntwo".encode("utf-16-le") + b"\x00\xdc"
    with pytest.raises(NotText, match=r"Line 2 .*not UTF-16"):
        decode(data)


@given(st.text(alphabet=st.characters(exclude_characters="\x00\ufeff", exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=60, deadline=None)
def test_what_was_written_as_utf_8_comes_back(text: str) -> None:
    try:
        read = decode(text.encode())
    except NotText:
        assert text.startswith(("GIF8", "RIFF", "%PDF-", "BZh", "{\\rtf", "PK", "MZ", "7z", "Rar!"))
    else:
        assert read == text


@given(st.binary(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text = decode(data)
    except NotText:
        return
    assert (
        "\ufffd" not in text or b"\xef\xbf\xbd" in data or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    )
