"""A small desk for the supervisor's tests: `python -m tests.walks.supervised supervisor FOLDER MODE…`.

Keeps one fake child per MODE as the real supervisor keeps the real ones, with short waits. Each child writes its
process id into `FOLDER/<mode>.<n>.pid`, a fresh n for each life. Modes: `steady` lives until SIGTERM; `deaf` ignores
SIGTERM; `parent` has a child of its own that is deaf; `brief` dies at once.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from provenance_site.supervisor.budget import RestartBudget
from provenance_site.supervisor.children import ChildSpec
from provenance_site.supervisor.keeper import Keeper
from provenance_site.supervisor.running import StopRequest, run
from tests.environment import ROOT

MODULE = "tests.walks.supervised"
GRACE_S = 0.5
LIFE_S = 60.0  # a child that nobody ends goes by itself, so that a failing test leaves nothing for ever


def supervise(folder: Path, modes: list[str]) -> int:
    """Runs a keeper over one child per mode; what it says goes to standard output."""
    stop = StopRequest()
    stop.listen()
    specs = [ChildSpec(mode, MODULE, ("child", str(folder), mode), log=folder / f"{mode}.log") for mode in modes]
    keeper = Keeper(
        specs,
        cwd=ROOT,
        env=os.environ,
        say=_say,
        grace_s=GRACE_S,
        budget=lambda: RestartBudget(limit=2, first_wait_s=0.05),
    )
    then = ChildSpec("once", MODULE, ("child", str(folder), "brief"))
    return run(keeper, stop=stop, is_ready=lambda: True, then=then, say=_say, welcome="welcome")


def live(folder: Path, mode: str) -> None:
    """One life of a fake child."""
    if mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mode == "parent":
        subprocess.Popen([sys.executable, "-m", MODULE, "child", str(folder), "deaf"], cwd=ROOT)
    number = len(list(folder.glob(f"{mode}.*.pid")))
    draft = folder / f"{mode}.{number}.tmp"
    draft.write_text(str(os.getpid()))
    draft.rename(folder / f"{mode}.{number}.pid")
    if mode == "brief":
        sys.exit(3)
    time.sleep(LIFE_S)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    role, place, *rest = sys.argv[1:]
    if role == "supervisor":
        sys.exit(supervise(Path(place), rest))
    live(Path(place), rest[0])
