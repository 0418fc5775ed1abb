"""Exported files in the data folder: each lies there once, under its hash, for as long as the folder is kept."""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Spool:
    """A file that is being written, hashed on the way. Without `seek`, so that archives are written front to back."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.byte_count = 0
        self._hash = hashlib.sha256()
        self._file = os.fdopen(descriptor, "wb")

    def write(self, data: bytes) -> int:
        """Takes bytes."""
        self._hash.update(data)
        self.byte_count += len(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Hands what was taken to the system."""
        self._file.flush()

    @property
    def sha256(self) -> str:
        """Lower-case hex digest of what was taken so far."""
        return self._hash.hexdigest()

    def keep(self) -> Path:
        """Puts the file into its place under its hash, where the same bytes may lie already, and gives that place."""
        self._file.flush()
        os.fsync(self._file.fileno())
        place = place_of(self.sha256)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.replace(place)
        return place

    def close(self) -> None:
        """Ends writing; what was not kept is gone."""
        self._file.close()
        self.path.unlink(missing_ok=True)


@contextmanager
def spooled() -> Iterator[Spool]:
    """A new spool in the data folder, so that keeping it is one rename."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".spool-", dir=folder)
    spool = Spool(Path(name), descriptor)
    try:
        yield spool
    finally:
        spool.close()


def place_of(sha256: str) -> Path:
    """Where the file with this hash lies, whether or not it is there. ValueError for what is no hash."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"{sha256[:80]!r} is no SHA-256")
    return _folder() / sha256[:2] / sha256


def _folder() -> Path:
    return Path(settings.EXPORT_DIR) / "by-hash"
