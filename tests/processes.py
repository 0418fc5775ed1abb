"""Which processes of the product still run: a test that started some may not leave any."""

from pathlib import Path


def using(data: Path) -> list[str]:
    """Command lines of all processes of this machine whose data folder is `data`. Empty where there is no /proc."""
    mark = f"DESK_DATA={data}".encode()
    return sorted(_command_line(process) for process in Path("/proc").glob("[0-9]*") if mark in _environment(process))


def _environment(process: Path) -> list[bytes]:
    return _read(process / "environ").split(b"\0")


def _command_line(process: Path) -> str:
    return f"{process.name}: {_read(process / 'cmdline').replace(bytes(1), b' ').decode(errors='replace').strip()}"


def _read(path: Path) -> bytes:
    """The file's bytes; empty for a process that has ended meanwhile, or is another user's."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
