"""What commands write: a file or standard output."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError


def write_output(command: BaseCommand, text: str, out: str) -> None:
    """Writes `text` to the path `out` and says so on standard error; `-` is standard output, with nothing added.

    Raises CommandError (exit code 2) where the file cannot be written.
    """
    if out == "-":
        command.stdout.write(text, ending="")
        return
    path = Path(out)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    except OSError as error:
        raise CommandError(
            f"{path} cannot be written: {error.strerror or error}. Choose another --out.", returncode=2
        ) from error
    command.stderr.write(f"Wrote {path}")
