"""A file's entries as JSON Lines: what a child process prints, and what staging reads from.

First `{"format": …, "label": …}`, then one `{"item": …}` or `{"error": …}` an entry, last
`{"counted": …, "entries": …}`; or, as the last, `{"unreadable": …}` where the file as a whole cannot be read.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from sources.core import entries
from sources.core.records import RowError
from sources.formats.format import Unreadable
from sources.formats.readers import reading_of


def write_items(path: Path, out: IO[bytes]) -> None:
    """Reads the file at `path` and writes what it holds. `counted` is None where the format has no second count."""
    try:
        reading = reading_of(path)
        _tell(out, {"format": reading.format.name, "label": reading.format.label})
        number = 0
        for number, item in enumerate(reading.items, start=1):  # noqa: B007
            _tell(out, {"error": asdict(item)} if isinstance(item, RowError) else {"item": entries.as_json(item)})
        _tell(out, {"counted": reading.counted, "entries": number})
    except Unreadable as refused:
        write_refusal(str(refused), out)
    out.flush()


def write_refusal(why: str, out: IO[bytes]) -> None:
    """Ends what was written with the reason why the file as a whole cannot be read."""
    _tell(out, {"unreadable": why})
    out.flush()


def _tell(out: IO[bytes], told: dict[str, Any]) -> None:
    out.write(json.dumps(told).encode())
    out.write(b"\n")
