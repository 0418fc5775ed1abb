"""What `make test` calls: the suite in four phases, each service started once, and one plain line of totals.

1. SQLite: everything except what needs a server or a browser, on two processes.
2. PostgreSQL: the tests that touch the database, again, on a real server.
3. Walks: what needs real servers (Redis as broker, PostgreSQL, worker processes).
4. Browser: what a real Chromium does with the product of `make run`.

The last two start the product as processes of its own, so they run once: its database is a part of the test. They
mostly wait, so they run beside the first two; what they say is shown when they have ended.

Arguments are handed to pytest in every phase: `make test ARGS="-k import"`. What cannot be had here is left out and
named in the line before the last; with DESK_TEST_STRICT=1 leaving anything out is a failure. A test that skips itself
counts as left out.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from tests import services
from tests.environment import ROOT
from tests.places import BROWSER_PLACES, PURE_PLACES, SERVICE_PLACES

_PHASE_LIMIT_S = 2_000
_NO_TESTS = 5
_ON_BOTH_CORES = ("-n", "2")
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Phase:
    """One run of pytest: which tests by their markers, in which environment.

    `places` say where all of them lie, or where none does: collecting everything takes ten seconds of CPU.
    """

    name: str
    markers: str
    options: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Running:
    """A phase under way. `said` is what it says, where that is kept back until its end."""

    phase: Phase
    process: subprocess.Popen[bytes]
    started: float
    folder: Path
    said: Path | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one phase gave. `skips` are the reasons of tests that skipped themselves."""

    name: str
    seconds: float
    status: int
    passed: int = 0
    failed: int = 0
    skips: tuple[str, ...] = ()


def main(arguments: Sequence[str]) -> int:
    """Runs all phases and prints the totals; 0 when all passed and, where that is asked, nothing was left out."""
    signal.signal(signal.SIGTERM, _stop_orderly)
    # A shell starts background jobs with Ctrl-C ignored, and children inherit that; the phases are stopped by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with ExitStack() as running:
        postgres = running.enter_context(services.postgres())
        redis = running.enter_context(services.redis_server())
        chromium = services.chromium()
        found = {"TEST_PG_URL": postgres, "TEST_REDIS_URL": redis, "TEST_CHROMIUM": chromium}
        missing = [service.reason for service in found.values() if isinstance(service, services.Missing)]
        environment = {name: str(it) for name, it in found.items() if not isinstance(it, services.Missing)}
        begun = time.monotonic()
        outcomes = _run(_phases(postgres, environment), arguments)
    return _report(outcomes, missing, time.monotonic() - begun, narrowed=bool(arguments))


def _phases(postgres: str | services.Missing, environment: Mapping[str, str]) -> list[list[Phase]]:
    """Two rows of phases that run beside each other: what keeps the processors busy, and what mostly waits."""
    phases = [Phase("SQLite", "not services and not browser", _ON_BOTH_CORES)]
    if not isinstance(postgres, services.Missing):
        url = urlsplit(postgres)._replace(path="/desk").geturl()
        markers = "database and not services and not browser"
        aside = tuple(f"--ignore={place}" for place in PURE_PLACES)
        phases.append(
            Phase("PostgreSQL", markers, _ON_BOTH_CORES, places=aside, environment={"DESK_DATABASE_URL": url})
        )
    waiting = [
        Phase("Browser", "browser", places=BROWSER_PLACES, environment=environment),
        Phase("Walks", "services and not browser", places=SERVICE_PLACES, environment=environment),
    ]
    return [phases, waiting]


def _run(rows: Sequence[Sequence[Phase]], arguments: Sequence[str]) -> list[Outcome]:
    """Runs the rows beside each other, each row's phases in turn. Only the first row speaks as it goes."""
    waiting = [list(row) for row in rows]
    under_way: list[Running | None] = [None for _ in rows]
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="desk-report-") as folder:
        try:
            while any(waiting) or any(under_way):
                for place, running in enumerate(under_way):
                    if running is not None and _is_over(running):
                        outcomes.append(_ended(running))
                        under_way[place] = running = None
                    if running is None and waiting[place]:
                        phase = waiting[place].pop(0)
                        under_way[place] = _begun(phase, arguments, Path(folder), aloud=place == 0)
                time.sleep(_POLL_S)
        finally:
            for running in under_way:
                if running is not None:
                    _stop(running.process)
    return outcomes


def _begun(phase: Phase, arguments: Sequence[str], folder: Path, *, aloud: bool) -> Running:
    options = ["-q", "--durations=5", "-o", "faulthandler_timeout=120", f"--junitxml={folder / phase.name}.xml"]
    # pytest adds the paths it is given to one another, so a path among the arguments stands alone.
    named = any((ROOT / argument.partition("::")[0]).exists() for argument in arguments)
    places = () if named else phase.places
    command = [sys.executable, "-m", "pytest", "-m", phase.markers, *options, *phase.options, *places, *arguments]
    # Hundreds of children import the product; without its bytecode each one would compile it again.
    not_ours = {"DESK_DATABASE_URL", "PYTHONDONTWRITEBYTECODE"}
    inherited = {name: value for name, value in os.environ.items() if name not in not_ours}
    said = None if aloud else folder / f"{phase.name}.txt"
    if aloud:
        print(f"\n=== {phase.name} ===", flush=True)
    with ExitStack() as opened:
        output = opened.enter_context(said.open("wb")) if said else None
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**inherited, **phase.environment},
            start_new_session=True,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
        )
    return Running(phase, process, time.monotonic(), folder, said)


def _is_over(running: Running) -> bool:
    """Whether the phase has ended, by itself or because it took longer than any phase may."""
    if running.process.poll() is not None:
        return True
    if time.monotonic() - running.started < _PHASE_LIMIT_S:
        return False
    print(f"{running.phase.name} took more than {_PHASE_LIMIT_S} s and was stopped.")
    _stop(running.process)
    return True


def _ended(running: Running) -> Outcome:
    seconds = time.monotonic() - running.started
    if running.said:
        print(f"\n=== {running.phase.name} ===\n{running.said.read_text(errors='replace')}", flush=True)
    name = running.phase.name
    return _read(name, running.folder / f"{name}.xml", running.process.returncode, seconds)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the whole process group; safe where it has ended already."""
    if process.poll() is not None:
        return
    # As Ctrl-C: pytest then takes down its fixtures, and with them the processes that tests have started.
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def _read(name: str, report: Path, status: int, seconds: float) -> Outcome:
    """Counts from pytest's own report; a run that ended without one counts as one failure."""
    if not report.exists():
        return Outcome(name, seconds, status or 1, failed=1)
    suite = ET.parse(report).getroot().find("testsuite")  # noqa: S314
    if suite is None:
        return Outcome(name, seconds, status or 1, failed=1)
    failed = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
    skips = tuple(skip.get("message", "") for skip in suite.iter("skipped"))
    passed = int(suite.get("tests", "0")) - failed - len(skips)
    if status not in {0, _NO_TESTS} and not failed:
        failed = 1
    return Outcome(name, seconds, status, passed=max(passed, 0), failed=failed, skips=skips)


def _report(outcomes: Sequence[Outcome], missing: Sequence[str], seconds: float, *, narrowed: bool) -> int:
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skips = [reason for outcome in outcomes for reason in outcome.skips]
    print()
    for outcome in outcomes:
        print(f"{outcome.name}: {outcome.seconds:.0f} s")
    print(f"All phases, partly beside each other: {seconds:.0f} s")

    # `-k` and the like may leave a phase without tests; a full run may not.
    without = [outcome.name for outcome in outcomes if outcome.status == _NO_TESTS]
    empty = passed + failed == 0 if narrowed else bool(without)
    if empty:
        print(f"No test ran in: {', '.join(without)}")
    left_out = sorted({*missing, *skips})
    strict = os.environ.get("DESK_TEST_STRICT") == "1"
    refused = " (which DESK_TEST_STRICT=1 forbids)" if strict else ""
    print(f"Left out{refused}: {'; '.join(left_out)}" if left_out else "nothing was left out")
    print(f"{passed} passed, {failed} failed, {len(skips)} skipped")

    broken = any(outcome.status not in {0, _NO_TESTS} for outcome in outcomes)
    return 1 if failed or broken or empty or (strict and left_out) else 0


def _stop_orderly(_signal: int, _frame: object) -> NoReturn:
    """SIGTERM ends us as Ctrl-C does: through the blocks that stop what was started."""
    raise SystemExit(143)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
