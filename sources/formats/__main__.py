"""`python -m sources.formats FILE`: reads a file of somebody else in a process of its own, see `spool`.

Parsers of hostile files may eat memory or never end; here that costs this process only.
"""

import resource
import sys
from pathlib import Path

from sources.formats.spool import write_items

_MEMORY = 2 * 1024**3
_CPU_S = 600


def main() -> None:
    """Reads the one file named and prints what it holds."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    write_items(Path(sys.argv[1]), sys.stdout.buffer)


if __name__ == "__main__":
    main()
