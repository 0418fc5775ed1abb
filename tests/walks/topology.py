"""docker-compose.yml run as processes: the same commands, environment and health checks, other hosts and ports.

Compose's own language is followed where the file uses it: `${NAME:-default}`, `${NAME:?message}`, `$$`, `<<` merges,
`depends_on` conditions, and the three forms of a health check's test.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests import processes
from tests.environment import ROOT

_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?:(?P<kind>:[-?])(?P<word>[^}]*))?\}")
_STOP_S = 20


class MissingVariableError(KeyError):
    """Compose would not start: a variable that must be set is not."""


@dataclass(frozen=True, slots=True)
class Service:
    """One service as the file has it, variables filled in."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    health: tuple[str, ...]
    after: frozenset[str]


def services_of(path: Path, variables: Mapping[str, str]) -> dict[str, Service]:
    """The services of a compose file; raises `MissingVariableError` as compose would refuse."""
    document = _filled(yaml.safe_load(path.read_text(encoding="utf-8")), variables)
    return {name: _service(name, entry) for name, entry in document["services"].items()}


def _service(name: str, entry: Mapping[str, Any]) -> Service:
    return Service(
        name=name,
        command=tuple(entry.get("command", ())),
        environment=entry.get("environment", {}),
        health=_health_command(entry.get("healthcheck", {}).get("test", [])),
        after=frozenset(entry.get("depends_on", {})),
    )


def _health_command(test: list[str]) -> tuple[str, ...]:
    match test:
        case []:
            return ()
        case ["CMD", *words]:
            return tuple(words)
        case ["CMD-SHELL", line]:
            return ("sh", "-c", line)
        case _:
            raise ValueError(f"a health check that compose would not run: {test}")


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _VARIABLE.sub(lambda found: _value_of(found, variables), value)
        case list():
            return [_filled(item, variables) for item in value]
        case dict():
            return {key: _filled(item, variables) for key, item in value.items()}
        case _:
            return value


def _value_of(found: re.Match[str], variables: Mapping[str, str]) -> str:
    if found[0] == "$$":
        return "$"
    given = variables.get(found["name"], "")
    if given or found["kind"] is None:
        return given
    if found["kind"] == ":?":
        raise MissingVariableError(found["word"])
    return str(found["word"])


@dataclass
class Stack:
    """Services of the file as processes of this machine. `here` says what stands in place of which name of the file.

    A context manager: at its end every process is told to stop, in reverse order, and what is left is named in `left`.
    """

    services: Mapping[str, Service]
    here: Mapping[str, str]
    folder: Path
    extra: Mapping[str, str] = field(default_factory=dict)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def __enter__(self) -> "Stack":
        return self

    def __exit__(self, *_: object) -> None:
        for name, process in reversed(self.running.items()):
            if not _ended(process, signal.SIGTERM):
                self.left.append(f"{name} did not stop when asked to")
        self.left += processes.using(self.folder / "data")

    def finish(self, name: str) -> tuple[int, str]:
        """Runs a one-shot service to its end: exit status, and what it said."""
        process = self._spawn(name, self.services[name].command)
        status = process.wait(60)
        return status, self.said_by(name)

    def start(self, name: str) -> None:
        """Starts a service and leaves it running."""
        self.running[name] = self._spawn(name, self.services[name].command)

    def run_in(self, name: str, *command: str) -> tuple[int, str]:
        """Runs a command beside a service, in its environment: exit status, and what it said (`compose exec`)."""
        log = f"{name}-run"
        self._log(log).unlink(missing_ok=True)
        status = self._spawn(log, command, service=name).wait(60)
        return status, self._log(log).read_text(encoding="utf-8", errors="replace")

    def wait_until_healthy(self, names: Iterable[str], *, within_s: float) -> None:
        """Runs the health checks until each succeeded once; fails with the log of the first that did not."""
        deadline = time.monotonic() + within_s
        for name in names:
            while not self.is_healthy(name):
                ended = name in self.running and self.running[name].poll() is not None
                assert not ended, f"{name} ended:\n{self.said_by(name)}"
                assert time.monotonic() < deadline, f"{name} is not healthy in time:\n{self.said_by(name)}"
                time.sleep(0.2)

    def is_healthy(self, name: str) -> bool:
        """Runs the service's health check once."""
        check = self._spawn(f"{name}-health", self.services[name].health, service=name)
        return check.wait(30) == 0

    def said_by(self, name: str) -> str:
        """The end of a service's output."""
        return self._log(name).read_text(errors="replace")[-4000:]

    def environment_of(self, name: str) -> dict[str, str]:
        """What the service's process is given: the file's environment, a PATH with our programs, and nothing else."""
        path = os.pathsep.join([str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        own = {key: self._placed(str(value)) for key, value in self.services[name].environment.items()}
        return {"PATH": path, "HOME": str(self.folder), "PYTHONUNBUFFERED": "1", **own, **self.extra}

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _placed(self, text: str) -> str:
        for there, here in self.here.items():
            text = text.replace(there, here)
        return text

    def _spawn(self, log: str, command: Iterable[str], *, service: str = "") -> subprocess.Popen[bytes]:
        words = [self._placed(word) for word in command]
        environment = self.environment_of(service or log)
        with self._log(log).open("ab") as output:
            return subprocess.Popen(
                words,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


def _ended(process: subprocess.Popen[bytes], polite: signal.Signals) -> bool:
    """True where the process ended when it was asked to; it is gone afterwards in any case."""
    if process.poll() is None:
        process.send_signal(polite)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(_STOP_S)
        return False
    return True
