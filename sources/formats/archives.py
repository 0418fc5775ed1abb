"""ZIP archives of strangers: looked into in memory, under caps, never unpacked to disk."""

import stat
import struct
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self

from sources.formats.format import Head, Unreadable

MAX_MEMBERS = 20_000
MAX_TOTAL = 512 * 1_048_576
MAX_MEMBER = 64 * 1_048_576
# Text shrinks to a twentieth; a hundredth and less over a few megabytes is made to burst.
MAX_RATIO = 150
_RATIO_FROM = 8 * 1_048_576
_CHUNK = 65_536
_LOCAL_HEADER = b"PK\x03\x04"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    struct.error,
    ValueError,
)


class Archive:
    """A ZIP file opened for reading. Use as a context; `names` are its members in the file's order, without folders."""

    def __init__(self, path: Path) -> None:
        """Opens and checks the table of contents. Raises `Unreadable`, naming the member, for archives that are
        encrypted, overlapping, too many, too large, of another compression, or with names that lead elsewhere."""
        try:
            self._zip = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise Unreadable(f"The ZIP archive is damaged ({error}). Make it again and try once more.") from error
        try:
            self.names = self._checked()
        except Unreadable:
            self._zip.close()
            raise
        self._left = MAX_TOTAL

    def __enter__(self) -> Self:
        """The archive itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the file."""
        self._zip.close()

    def read(self, name: str, *, at_most: int = MAX_MEMBER) -> bytes:
        """The bytes of a member. What it holds is counted while it is read, whatever the table says. Raises
        `Unreadable` for a damaged member and beyond `at_most` bytes or 512 MB in all."""
        parts: list[bytes] = []
        size = 0
        try:
            with self._zip.open(name) as member:
                while chunk := member.read(_CHUNK):
                    size += len(chunk)
                    self._left -= len(chunk)
                    if size > at_most or self._left < 0:
                        raise Unreadable(f"“{name}” in the archive unpacks to over {at_most // 1_048_576} MB.")
                    parts.append(chunk)
        except KeyError as error:
            raise Unreadable(f"“{name}” is not in the archive.") from error
        except _BROKEN as error:
            if isinstance(error, Unreadable):
                raise
            raise Unreadable(f"“{name}” in the archive is damaged ({error}). Make the archive again.") from error
        return b"".join(parts)

    def _checked(self) -> tuple[str, ...]:
        members = self._zip.infolist()
        if len(members) > MAX_MEMBERS:
            raise Unreadable(f"The archive has {len(members):,} files; at most {MAX_MEMBERS:,} are read.")
        total = sum(member.file_size for member in members)
        if total > MAX_TOTAL:
            raise Unreadable(f"The archive unpacks to {total // 1_048_576:,} MB; at most 512 MB are read.")
        names: dict[str, None] = {}
        for member in members:
            refused = _refusal(member, names)
            if refused:
                raise Unreadable(
                    f"“{member.filename[:200]}” in the archive {refused}. Make the archive again without it."
                )
            if not member.is_dir():
                names[member.filename] = None
        end = -1
        for member in sorted(members, key=lambda each: each.header_offset):
            if member.header_offset < end:
                raise Unreadable(f"“{member.filename[:200]}” in the archive lies inside another file of it.")
            end = member.header_offset + member.compress_size
        return tuple(names)


def names_in(head: Head) -> list[str]:
    """The names of the members whose headers stand in the beginning of a ZIP file; [] for any other file."""
    data, at, names = head.data, 0, []
    if not data.startswith(_LOCAL_HEADER):
        return []
    while at >= 0 and at + 30 <= len(data):
        length = int.from_bytes(data[at + 26 : at + 28], "little")
        names.append(data[at + 30 : at + 30 + length].decode("utf-8", "replace"))
        at = data.find(_LOCAL_HEADER, at + 30 + length)
    return names


def _refusal(member: zipfile.ZipInfo, names: dict[str, None]) -> str:
    name = member.filename
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\x00" in member.orig_filename:
        return "has a name that leads out of the archive"
    if member.flag_bits & 0x1:
        return "is encrypted"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link to another file"
    if name in names:
        return "stands in it twice"
    if member.compress_type not in _METHODS:
        return "is compressed in a way that is not read"
    if member.file_size > max(_RATIO_FROM, MAX_RATIO * member.compress_size):
        return f"would unpack to over {MAX_RATIO} times its size"
    return ""
