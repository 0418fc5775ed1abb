"""ZIP archives of strangers: what is refused, with a reason that names the member, and nothing written to disk."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from sources.formats.archives import Archive
from sources.formats.format import Unreadable
from tests.formats.given import zipped


def refusal(data: bytes, where: Path) -> str:
    """Why an archive is refused, '' where it opens and every member is read."""
    path = where / "file.zip"
    path.write_bytes(data)
    try:
        with Archive(path) as archive:
            for name in archive.names:
                archive.read(name)
    except Unreadable as refused:
        return str(refused)
    assert list(where.iterdir()) == [path]
    return ""


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "..\\a", "C:\\a", "C:/a", "\\\\host\\a"])
def test_a_name_that_leads_out_of_the_archive_is_refused(name: str, tmp_path: Path) -> None:
    assert "leads out" in refusal(zipped({name: "x"}), tmp_path)


def test_a_bomb_is_refused_before_it_bursts(tmp_path: Path) -> None:
    assert "150 times" in refusal(zipped({"a.md": b"0" * 30_000_000}), tmp_path)


def test_a_member_that_lies_about_its_size_is_refused_while_it_is_read(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.md": b"0" * 70_000_000}))
    central = data.rfind(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 1_000)
    told = refusal(bytes(data), tmp_path)
    assert "damaged" in told or "unpacks to over" in told


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.md": "x"}))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(data), tmp_path)


def test_a_link_and_a_name_twice_are_refused(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        link = zipfile.ZipInfo("a")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert "link to another file" in refusal(made.getvalue(), tmp_path)
    twice = zipped({"a.md": "x", "b.md": "y"}).replace(b"b.md", b"a.md")
    assert "twice" in refusal(twice, tmp_path)


def test_members_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.md": b"x" * 5_000, "b.md": b"y"}))
    second = data.rfind(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    told = refusal(bytes(data), tmp_path)
    assert "inside another file" in told or "damaged" in told


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x03\x04" + b"\x00" * 100, b"", b"PK\x05\x06" + b"\xff" * 18])
def test_a_damaged_archive_is_refused_in_words(data: bytes, tmp_path: Path) -> None:
    assert "damaged" in refusal(data, tmp_path)


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    assert "at most 20,000" in refusal(zipped({f"{at}.md": "" for at in range(20_001)}), tmp_path)


def test_a_common_archive_is_read(tmp_path: Path) -> None:
    assert refusal(zipped({"a/b.md": "words " * 1_000, "a/": ""}), tmp_path) == ""
