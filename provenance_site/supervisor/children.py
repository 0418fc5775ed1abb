"""Child processes: started on a leash, in a session of their own, with a log each."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What to run: a Python module with arguments.

    `log` None: it speaks on the terminal. `env` is added to what all children get.
    """

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    log: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)


class Child:
    """One running process of a spec.

    Its own session keeps the terminal's Ctrl-C away from it, so the supervisor alone decides the order of the end.
    """

    def __init__(self, spec: ChildSpec, *, cwd: Path, env: Mapping[str, str], grace_s: float) -> None:
        self.spec = spec
        command = [sys.executable, "-m", "provenance_site.supervisor.leash", str(grace_s), spec.module, *spec.arguments]
        output = None if spec.log is None else os.open(spec.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            self._process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**env, **spec.env},
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=None if output is None else subprocess.STDOUT,
                start_new_session=True,
            )
        finally:
            if output is not None:
                os.close(output)

    @property
    def pid(self) -> int:
        """Its process id, which is its process group's too."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self._process.poll()

    def terminate(self) -> None:
        """Asks it to end. Twice is safe."""
        if self.exit_code() is None:
            self._process.terminate()

    def bury(self) -> None:
        """Kills what is left of it and of its own children, and lets go of the leash. Twice is safe."""
        # Errors mean that nobody is left; macOS answers EPERM where only a zombie remains.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


def how_it_ended(exit_code: int) -> str:
    """An exit code in words."""
    if exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        return f"killed by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"killed by signal {-exit_code}"
