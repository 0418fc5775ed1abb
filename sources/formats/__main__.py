"""`python -m sources.formats FILE`: reads a file of somebody else in a process of its own, and prints its entries.

JSON Lines. First `{"format": …, "label": …}`, then one `{"item": …}` or `{"error": …}` an entry, last
`{"counted": …}`; or one `{"unreadable": …}` where the file as a whole cannot be read. Parsers of hostile files may eat
memory or never end; here that costs this process only.
"""

import json
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sources.core import entries
from sources.core.records import RowError
from sources.formats.format import Unreadable
from sources.formats.readers import reading_of

_MEMORY = 2 * 1024**3
_CPU_S = 600


def main() -> None:
    """Reads the one file named and prints what it holds."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        reading = reading_of(Path(sys.argv[1]))
        _tell({"format": reading.format.name, "label": reading.format.label})
        for item in reading.items:
            _tell({"error": asdict(item)} if isinstance(item, RowError) else {"item": entries.as_json(item)})
        _tell({"counted": reading.counted})
    except Unreadable as refused:
        _tell({"unreadable": str(refused)})
    sys.stdout.flush()


def _tell(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
