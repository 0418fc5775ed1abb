"""The child's side of the leash: `python -m provenance_site.supervisor.leash GRACE MODULE ARGS…`.

Runs MODULE as a script. Standard input is a pipe whose other end only the supervisor holds. It closes when the
supervisor ends, by `kill -9` too, and then this process ends itself: SIGTERM first, its whole process group after GRACE
seconds. (PR_SET_PDEATHSIG does the first half, on Linux only; a pipe works everywhere.)
"""

import os
import runpy
import signal
import sys
import threading
import time


def hold(grace_s: float) -> None:
    """Watches standard input from a thread; puts /dev/null in its place for the program."""
    leash = os.dup(0)  # not inheritable (PEP 446): a grandchild must not hold our end
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_watch, args=(leash, grace_s), name="leash", daemon=True).start()


def _watch(leash: int, grace_s: float) -> None:
    while os.read(leash, 64):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace_s)
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Takes the leash, then becomes the program."""
    grace, module, *arguments = sys.argv[1:]
    hold(float(grace))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
