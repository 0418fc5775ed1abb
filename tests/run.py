"""What `make test` calls: the suite in four phases, each service started once, and one plain line of totals.

1. SQLite: everything except what needs a server or a browser, on two processes.
2. PostgreSQL: the tests that touch the database, again, on a real server.
3. Walks: what needs real servers (Redis as broker, PostgreSQL, worker processes).
4. Browser: what a real Chromium does with the product of `make run`.

The last two start the product as processes of its own, so they run once: its database is a part of the test.

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

_PHASE_LIMIT_S = 900
_NO_TESTS = 5
_ON_BOTH_CORES = ("-n", "2")


@dataclass(frozen=True, slots=True)
class Phase:
    """One run of pytest: which tests by their markers, in which environment."""

    name: str
    markers: str
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


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
        phases = _phases(postgres, environment)
        outcomes = [_run(phase, arguments) for phase in phases]
    return _report(outcomes, missing, narrowed=bool(arguments))


def _phases(postgres: str | services.Missing, environment: Mapping[str, str]) -> list[Phase]:
    phases = [Phase("SQLite", "not services and not browser", _ON_BOTH_CORES)]
    if not isinstance(postgres, services.Missing):
        url = urlsplit(postgres)._replace(path="/desk").geturl()
        markers = "database and not services and not browser"
        phases.append(Phase("PostgreSQL", markers, _ON_BOTH_CORES, {"DESK_DATABASE_URL": url}))
    phases.append(Phase("Walks", "services and not browser", environment=environment))
    phases.append(Phase("Browser", "browser", environment=environment))
    return phases


def _run(phase: Phase, arguments: Sequence[str]) -> Outcome:
    print(f"\n=== {phase.name} ===", flush=True)
    with tempfile.TemporaryDirectory(prefix="desk-report-") as folder:
        report = Path(folder) / "report.xml"
        options = ["-q", "--durations=5", "-o", "faulthandler_timeout=120", f"--junitxml={report}", *phase.options]
        command = [sys.executable, "-m", "pytest", "-m", phase.markers, *options, *arguments]
        inherited = {name: value for name, value in os.environ.items() if name != "DESK_DATABASE_URL"}
        started = time.monotonic()
        status = _finish(command, {**inherited, **phase.environment})
        seconds = time.monotonic() - started
        return _read(phase.name, report, status, seconds)


def _finish(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs to the end, or ends the whole process group where it takes longer than any phase may, or we are stopped."""
    process = subprocess.Popen(command, cwd=ROOT, env=dict(environment), start_new_session=True)
    try:
        return process.wait(_PHASE_LIMIT_S)
    except subprocess.TimeoutExpired:
        print(f"The phase took more than {_PHASE_LIMIT_S} s and was stopped.")
        return 1
    finally:
        if process.poll() is None:
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


def _report(outcomes: Sequence[Outcome], missing: Sequence[str], *, narrowed: bool) -> int:
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skips = [reason for outcome in outcomes for reason in outcome.skips]
    print()
    for outcome in outcomes:
        print(f"{outcome.name}: {outcome.seconds:.0f} s")
    print(f"All phases: {sum(outcome.seconds for outcome in outcomes):.0f} s")

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
