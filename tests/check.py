"""What `make check` calls: everything that can be said of the code without running the product."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests import environment

# Each command answers one question and prints nothing of weight while the answer is yes.
COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lint", ("ruff", "check")),
    ("format", ("ruff", "format", "--check")),
    ("types", ("mypy",)),
    ("import contracts", ("lint-imports",)),
    ("templates", ("djlint", "templates", "--lint", "--quiet")),
    ("migrations are complete", ("manage.py", "makemigrations", "--check", "--dry-run")),
    ("generated docs", ("manage.py", "write_docs", "--check")),
    ("system checks", ("manage.py", "check", "--fail-level", "WARNING")),
)


def main() -> int:
    """Runs every command to its end and prints what was wrong; 0 when nothing was."""
    environment.prepare()
    programs = Path(sys.executable).parent
    wrong = []
    for name, command in COMMANDS:
        started = time.monotonic()
        done = subprocess.run(
            _resolved(command, programs), cwd=environment.ROOT, capture_output=True, text=True, check=False
        )
        verdict = "ok" if done.returncode == 0 else "WRONG"
        print(f"{name}: {verdict} ({time.monotonic() - started:.1f} s)", flush=True)
        if done.returncode:
            wrong.append(name)
            print(done.stdout + done.stderr, flush=True)
    print(f"wrong: {', '.join(wrong)}" if wrong else "all checks hold")
    return 1 if wrong else 0


def _resolved(command: Sequence[str], programs: Path) -> list[str]:
    if command[0] == "manage.py":
        return [sys.executable, *command]
    return [str(programs / command[0]), *command[1:]]


if __name__ == "__main__":
    sys.exit(main())
