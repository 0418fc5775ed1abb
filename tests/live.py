"""The product as `make run` starts it, in a data folder and on ports of its own, for tests from outside."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import processes, services
from tests.environment import ROOT, for_product

_WELCOME = "Provenance Desk is at http://"
_SIGN_IN = re.compile(r"Sign in as (?P<name>\S+) with the one-time password (?P<password>\S+)")
_START_S = 90
_STOP_S = 20


@dataclass(frozen=True, slots=True)
class LiveDesk:
    """A desk that runs: where it answers, who owns it, where its data lie, and the process that keeps it alive.

    The sample project is there and checked.
    """

    url: str
    sample_port: int
    username: str
    password: str
    data: Path
    supervisor: subprocess.Popen[bytes]
    output: Path

    def manage(self, *words: str) -> str:
        """What `manage.py <words>` prints for this desk; fails the test where it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=for_product(self.data),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def said(self) -> str:
        """Everything that the terminal showed so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")


@contextmanager
def live_desk(folder: Path) -> Iterator[LiveDesk]:
    """A desk in `folder`, from its first start to its end; fails where a process of it is left."""
    data, output = folder / "data", folder / "terminal.txt"
    port, sample_port = services.free_port(), services.free_port()
    with output.open("wb") as terminal:
        supervisor = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=for_product(data, PORT=str(port), SAMPLE_PORT=str(sample_port)),
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        name, password = _welcomed(supervisor, output)
        yield LiveDesk(f"http://127.0.0.1:{port}", sample_port, name, password, data, supervisor, output)
    finally:
        _stop(supervisor)
    assert processes.using(data) == [], "a process of the desk is left"


def _welcomed(supervisor: subprocess.Popen[bytes], output: Path) -> tuple[str, str]:
    """User name and password as the terminal shows them, once it says that the desk is up."""
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        said = output.read_text(encoding="utf-8", errors="replace")
        if _WELCOME in said:
            sign_in = _SIGN_IN.search(said)
            assert sign_in, f"the terminal does not say how to sign in:\n{said}"
            return sign_in["name"], sign_in["password"]
        assert supervisor.poll() is None, f"the desk ended:\n{said}"
        time.sleep(0.1)
    raise AssertionError(f"the desk did not come up in {_START_S} s:\n{output.read_text(errors='replace')}")


def _stop(supervisor: subprocess.Popen[bytes]) -> None:
    if supervisor.poll() is None:
        supervisor.send_signal(signal.SIGTERM)
    try:
        supervisor.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(supervisor.pid, signal.SIGKILL)
        supervisor.wait(_STOP_S)
