"""The data folder: one owner at a time, and the folders that the processes expect in it."""

import fcntl
import os
from pathlib import Path
from typing import TextIO

LOCK_NAME = "desk.lock"
SAMPLE_PORT_NAME = "sample-port"
# A log is kept over one more start when it has grown beyond this.
LOG_KEPT_BYTES = 5 * 1024 * 1024


def take(data: Path) -> TextIO | int:
    """The open lock file that holds `data` as long as it is open, or the process id of who holds it (0: not known).

    The system frees the lock when its process ends, however it ends.
    """
    file = (data / LOCK_NAME).open("a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip()
        file.close()
        return int(owner) if owner.isdigit() else 0
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def prepare(data: Path, *, queue: Path | None) -> None:
    """Makes the folders below `data`, readable by their owner only, and puts long logs aside. Twice is safe.

    Kombu would make its queue folders with mode 0755, and whoever can write there can queue tasks.
    """
    folders = [logs(data), temporary(data), data / "beat"]
    if queue is not None:
        folders += [queue, queue / "messages", queue / "control", queue / "done"]
    for folder in folders:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    for log in logs(data).glob("*.log"):
        if log.stat().st_size > LOG_KEPT_BYTES:
            log.replace(log.with_suffix(".log.1"))


def logs(data: Path) -> Path:
    """Where each process writes its log."""
    return data / "logs"


def temporary(data: Path) -> Path:
    """TMPDIR of the processes: kombu moves every message through it, so it must lie on the same file system."""
    return data / "tmp"


def remembered_sample_port(data: Path) -> int:
    """The sample publishers' port of the last start, 0 where there was none."""
    file = data / SAMPLE_PORT_NAME
    text = file.read_text(encoding="ascii", errors="replace").strip() if file.exists() else ""
    return int(text) if text.isdigit() and len(text) <= 5 else 0


def remember_sample_port(data: Path, port: int) -> None:
    """Keeps the sample publishers' port for the next start."""
    (data / SAMPLE_PORT_NAME).write_text(f"{port}\n", encoding="ascii")
