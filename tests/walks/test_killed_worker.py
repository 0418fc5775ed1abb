"""Workers killed in the middle of a run: the run ends by itself, and every source was checked exactly once."""

import json
import os
import signal
import time
import urllib.request
from typing import Any

import pytest

from tests import processes
from tests.live import LiveDesk, live_desk

pytestmark = pytest.mark.services
NUMBER = 60
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A desk of its own: its worker dies here."""
    with live_desk(tmp_path_factory.mktemp("killed")) as started:
        yield started


def call(desk: LiveDesk, token: str, path: str, body: dict[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        desk.url + path,
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def worker_processes(desk: LiveDesk) -> list[int]:
    """The processes of the two workers."""
    found = [line for line in processes.using(desk.data) if " celery " in line and " worker " in line]
    return sorted(int(line.partition(":")[0]) for line in found)


def kill(victims: list[int]) -> None:
    """Kills processes as a machine out of memory would."""
    for victim in victims:
        os.kill(victim, signal.SIGKILL)


def until(happened: Any) -> Any:
    """What `happened` gives once it gives something; fails after a minute."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = happened()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen within a minute")


@pytest.mark.parametrize(
    "of_worker",
    [slice(0, 1), slice(0, None)],
    ids=["one of two", "both"],
)
def test_a_killed_worker_loses_nothing_and_doubles_nothing(desk: LiveDesk, of_worker: slice) -> None:
    token = desk.manage("create_token", desk.username, "--days", "1").split()[-1]
    # The slow page answers after some seconds; politeness lets four at a time ask its host.
    pages = [
        f"http://ferry-observer.sample.localhost:{desk.sample_port}/articles/2024/waiting-times-at-the-lower-terminal"
    ] * 6
    pages += [f"http://open-almanac.sample.localhost:{desk.sample_port}/stations/cape-morrow"] * (NUMBER - 6)
    case = f"{of_worker.start}-{of_worker.stop}"
    text = "\n".join(f"{page}?copy={case}-{number}" for number, page in enumerate(pages))
    started = call(desk, token, "/api/v1/validate", {"project": f"Killed {case}", "text": text})
    read = started["run_url"]

    until(lambda: call(desk, token, read)["done"] > 0)
    kill(until(lambda: worker_processes(desk)[of_worker]))
    assert call(desk, token, read)["done"] < NUMBER, "the run was over before its worker could be killed"
    ended = until(lambda: (told := call(desk, token, read))["state"] == "done" and told)

    assert ended["done"] == ended["total"] == NUMBER
    checked = [result["source"] for result in call(desk, token, f"{read}?limit=500")["results"]]
    assert len(checked) == len(set(checked)) == NUMBER
    assert ended["by_verdict"]["verified-accessible"] == NUMBER
