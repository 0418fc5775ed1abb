"""Reads a file of somebody else: in a limited child process (`python -m sources.formats`), so that a hostile one harms
nobody. Texts are read in this process: their readers are our own, linear, and no child has to be waited for.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from sources.core import entries
from sources.core.entries import Item
from sources.core.records import RowError
from sources.formats import readers
from sources.formats.format import HEAD_BYTES, Unreadable
from sources.formats.opened import head_of
from sources.formats.spool import write_items

_TOO_MUCH = (
    "The file could not be read to its end: reading it takes more memory or time than a file may. Split it, or export "
    "it anew, and import the parts."
)
_TIMEOUT_S = 900
_NAME_END = 120


@dataclass(slots=True)
class ParsedFile:
    """What a child made of a file: its format, its entries (read from a spool file, as often as wanted), its count."""

    format: str
    label: str
    counted: int | None
    entries: int
    spool: IO[bytes]

    def items(self) -> Iterator[Item]:
        """The entries and the errors, in the order of the file."""
        self.spool.seek(0)
        for line in self.spool:
            told = json.loads(line)
            if "item" in told:
                yield entries.from_json(told["item"])
            elif "error" in told:
                yield RowError(**told["error"])


def is_plain_text(data: bytes | Path) -> bool:
    """True for what is read as a text: lists, drafts, web pages, and what is in no format at all."""
    if isinstance(data, bytes):
        head = head_of(data[:HEAD_BYTES], is_whole=len(data) <= HEAD_BYTES)
    else:
        head = readers.open_head(data)
    found = readers.recognise(head)
    return found is None or found in readers.PLAIN


@contextmanager
def parsed(data: bytes | Path, *, name: str) -> Iterator[ParsedFile]:
    """Reads a file and gives what it holds for as long as the block lasts.

    `name` is the file's own, since sessions and stores are called after it. Raises Unreadable where the file as a whole
    cannot be read, and where the child had to be stopped: 2 GB of memory, 600 s of processor time.
    """
    with tempfile.TemporaryDirectory(prefix="import-") as folder, tempfile.TemporaryFile() as spool:
        path = data
        if isinstance(data, bytes):
            path = Path(folder) / _safe(name)
            path.write_bytes(data)
        assert isinstance(path, Path)  # noqa: S101
        found = readers.recognise(readers.open_head(path))
        if found in readers.PLAIN:
            write_items(path, spool)
        else:
            _read_in_child(path, spool, folder=folder)
        first, last = _ends(spool)
        if "unreadable" in last:
            raise Unreadable(last["unreadable"])
        if "counted" not in last:
            raise Unreadable(_TOO_MUCH)
        yield ParsedFile(
            format=first["format"],
            label=first["label"],
            counted=last["counted"],
            entries=last["entries"],
            spool=spool,
        )


def _read_in_child(path: Path, spool: IO[bytes], *, folder: str) -> None:
    try:
        run = subprocess.run(
            [sys.executable, "-m", "sources.formats", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=spool,
            stderr=subprocess.DEVNULL,
            cwd=settings.BASE_DIR,
            timeout=_TIMEOUT_S,
            check=False,
            env={"PATH": "", "LANG": "C.UTF-8", "TMPDIR": folder},
        )
    except subprocess.TimeoutExpired:
        raise Unreadable(_TOO_MUCH) from None
    if run.returncode:
        raise Unreadable(_TOO_MUCH)


def _ends(spool: IO[bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first and the last line; empty where the child printed nothing whole."""
    spool.seek(0)
    first = spool.readline()
    size = spool.seek(0, 2)
    reach = min(size, 1_000_000)
    spool.seek(size - reach)
    last = spool.read(reach).rstrip(b"\n").rpartition(b"\n")[2]
    try:
        return json.loads(first), json.loads(last)
    except ValueError:
        return {}, {}


def _safe(name: str) -> str:
    """A file name that stays in its folder and keeps its ending."""
    plain = "".join(letter for letter in Path(name.replace("\\", "/")).name if letter.isprintable() and letter != "/")
    return plain[-_NAME_END:].lstrip(".") or "file"
