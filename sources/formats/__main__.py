"""`python -m sources.formats FILE [MEMORY_BYTES CPU_SECONDS]`: reads a file of somebody else in a process of its own.

What it prints stands in `spool`.

Parsers of hostile files may eat memory or never end; here that costs this process only. Where memory runs out, the last
line says so; where the time does, the process ends by SIGXCPU.
"""

import resource
import sys
from pathlib import Path

from sources.formats.spool import write_items, write_refusal

_MEMORY = 2 * 1024**3
_CPU_S = 600
# Between the signal that can be told apart and the one that cannot.
_GRACE_S = 5
TOO_LARGE = "Reading this file takes more memory than a file may. Split it, or export it anew, and import the parts."


def main() -> None:
    """Reads the one file named and prints what it holds."""
    memory, cpu_s = (int(given) for given in sys.argv[2:4]) if len(sys.argv) > 3 else (_MEMORY, _CPU_S)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + _GRACE_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        write_items(Path(sys.argv[1]), sys.stdout.buffer)
    except MemoryError:
        # A line that broke off before it stands by itself.
        sys.stdout.buffer.write(b"\n")
        write_refusal(TOO_LARGE, sys.stdout.buffer)


if __name__ == "__main__":
    main()
