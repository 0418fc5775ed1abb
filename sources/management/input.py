"""What commands read: a file or standard input."""

import sys
from pathlib import Path

from django.core.management.base import CommandError


def read_input(file: str) -> tuple[bytes, str]:
    """The bytes of FILE (`-`: standard input) and the name they go by; raises CommandError where it cannot be read."""
    if file == "-":
        return sys.stdin.buffer.read(), "standard input"
    path = Path(file)
    try:
        return path.read_bytes(), path.name
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read: {error.strerror or error}. Check the path.", returncode=2
        ) from error


def file_input(file: str) -> tuple[bytes | Path, str]:
    """Where FILE lies, for files that may be too large to hold (`-`: the bytes of standard input), and its name; raises
    CommandError where it cannot be read."""
    if file == "-":
        return read_input(file)
    path = Path(file)
    try:
        with path.open("rb"):
            return path, path.name
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read: {error.strerror or error}. Check the path.", returncode=2
        ) from error
