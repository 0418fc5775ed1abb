"""Memory of processes as PSS: what several share is counted once (Linux, /proc/<pid>/smaps_rollup)."""

from pathlib import Path


def family_pss_mb(pid: int) -> float:
    """Megabytes that a process and all its descendants hold now; 0 where the system does not tell."""
    return sum(_pss_kb(member) for member in _family(pid)) / 1024


def _family(pid: int) -> list[int]:
    members = [pid]
    for threads in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = threads.read_text().split()
        except OSError:
            continue
        for child in children:
            members += _family(int(child))
    return members


def _pss_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
