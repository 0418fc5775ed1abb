"""Reads a file of somebody else: in a limited child process (`python -m sources.formats`), so that a hostile one harms
nobody. Texts are read in this process: their readers are our own, linear, and no child has to be waited for.
"""

import json
import logging
import signal
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

_TOO_SLOW = "Reading this file takes longer than a file may. Split it, or export it anew, and import the parts."
_STOPPED = (
    "Reading this file was stopped before its end, most likely because the machine ran out of memory. Nothing was "
    "taken from it. Try again, or split the file."
)
_BROKEN = (
    "Reading this file broke off by a fault of this program, not of yours. Nothing was taken from it. Export the list "
    "in another format (BibTeX, RIS or CSV), and tell whoever runs this desk: the log names the place."
)
_NAME_END = 120
_TOLD_OF_A_FAULT = 2_000
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may take: bytes of memory, seconds of processor time, seconds by the clock."""

    memory: int = 2 * 1024**3
    cpu_s: int = 600
    wall_s: float = 900


LIMITS = Limits()


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
def parsed(data: bytes | Path, *, name: str, limits: Limits = LIMITS) -> Iterator[ParsedFile]:
    """Reads a file and gives what it holds for as long as the block lasts.

    `name` is the file's own, since sessions and stores are called after it. Raises Unreadable where the file as a whole
    cannot be read, and where the child went over its limits, was stopped, or broke.
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
            _read_in_child(path, spool, folder=folder, limits=limits)
        first, last = _ends(spool)
        if "unreadable" in last:
            raise Unreadable(last["unreadable"])
        if "counted" not in last:
            raise Unreadable(_STOPPED)
        yield ParsedFile(
            format=first["format"],
            label=first["label"],
            counted=last["counted"],
            entries=last["entries"],
            spool=spool,
        )


def _read_in_child(path: Path, spool: IO[bytes], *, folder: str, limits: Limits) -> None:
    with tempfile.TemporaryFile() as fault:
        try:
            run = subprocess.run(
                [sys.executable, "-m", "sources.formats", str(path), str(limits.memory), str(limits.cpu_s)],
                stdin=subprocess.DEVNULL,
                stdout=spool,
                stderr=fault,
                cwd=settings.BASE_DIR,
                timeout=limits.wall_s,
                check=False,
                env={"PATH": "", "LANG": "C.UTF-8", "TMPDIR": folder},
            )
        except subprocess.TimeoutExpired:
            raise Unreadable(_TOO_SLOW) from None
        if run.returncode == -signal.SIGXCPU:
            raise Unreadable(_TOO_SLOW)
        if run.returncode < 0:
            raise Unreadable(_STOPPED)
        if run.returncode:
            fault.seek(max(0, fault.seek(0, 2) - _TOLD_OF_A_FAULT))
            _LOG.error("A reader broke: %s", fault.read().decode("utf-8", "replace"))
            raise Unreadable(_BROKEN)


def _ends(spool: IO[bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first and the last line; empty where the child printed nothing whole."""
    spool.seek(0)
    first = spool.readline()
    size = spool.seek(0, 2)
    reach = min(size, 1_000_000)
    spool.seek(size - reach)
    last = spool.read(reach).rstrip(b"\n").rpartition(b"\n")[2]
    return _told(first), _told(last)


def _told(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _safe(name: str) -> str:
    """A file name that stays in its folder and keeps its ending."""
    plain = "".join(letter for letter in Path(name.replace("\\", "/")).name if letter.isprintable() and letter != "/")
    return plain[-_NAME_END:].lstrip(".") or "file"
