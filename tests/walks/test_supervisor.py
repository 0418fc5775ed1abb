"""The supervisor keeps processes alive and leaves none behind, however it ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from provenance_site.supervisor import folder as data_folder
from provenance_site.supervisor.places import LOOPBACK, any_free
from provenance_site.supervisor.running import answers
from tests.environment import ROOT, for_product
from tests.fakes.loopback import Loopback, reply
from tests.walks.supervised import MODULE

PATIENCE_S = 15.0  # of a test that is about to fail; processes start slowly on a busy machine


def until(seen: Callable[[], bool], what: str) -> None:
    """Waits for something that another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not seen():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.02)


def pid_of(folder: Path, mode: str, life: int = 0) -> int:
    file = folder / f"{mode}.{life}.pid"
    until(file.exists, f"life {life} of {mode}")
    return int(file.read_text())


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and was not collected by its parent does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


@contextmanager
def supervisor(folder: Path, *modes: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE, "supervisor", str(folder), *modes],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda n: n.name)
def test_a_request_to_end_ends_every_process(tmp_path: Path, number: signal.Signals) -> None:
    with supervisor(tmp_path, "steady") as process:
        pids = [pid_of(tmp_path, mode) for mode in ("steady", "brief")]
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 0
        assert not any(is_alive(pid) for pid in pids)


def test_a_process_that_will_not_end_is_killed_with_its_children(tmp_path: Path) -> None:
    with supervisor(tmp_path, "parent") as process:
        pids = [pid_of(tmp_path, mode) for mode in ("parent", "deaf")]
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        until(lambda: not any(is_alive(pid) for pid in pids), "the end of parent and grandchild")


def test_killing_the_supervisor_leaves_no_process(tmp_path: Path) -> None:
    with supervisor(tmp_path, "steady", "deaf") as process:
        pids = [pid_of(tmp_path, mode) for mode in ("steady", "deaf")]
        process.kill()
        process.wait()
        until(lambda: not any(is_alive(pid) for pid in pids), "the end of the orphans")


def test_a_killed_process_is_started_again_and_that_is_said(tmp_path: Path) -> None:
    with supervisor(tmp_path, "steady") as process:
        first = pid_of(tmp_path, "steady")
        os.kill(first, signal.SIGKILL)
        second = pid_of(tmp_path, "steady", life=1)
        assert second != first
        process.terminate()
        output, _ = process.communicate(timeout=PATIENCE_S)
    assert "The steady process ended (killed by SIGKILL); it is started again in 0.05 s." in output
    assert not is_alive(second)


def test_a_process_that_dies_too_often_ends_the_rest(tmp_path: Path) -> None:
    with supervisor(tmp_path, "steady", "brief") as process:
        steady = pid_of(tmp_path, "steady")
        output, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
    assert f"The brief process ended too often (exit code 3). Its log: {tmp_path / 'brief.log'}" in output
    assert not is_alive(steady)


def test_the_welcome_comes_after_the_first_start_and_says_when_that_failed(tmp_path: Path) -> None:
    with supervisor(tmp_path, "steady") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(2)]
        process.terminate()
        process.wait(PATIENCE_S)
    assert lines == ["The sample project could not be finished (see above); the desk runs without it.", "welcome"]
    assert (tmp_path / "brief.0.pid").exists()


@pytest.mark.parametrize(
    ("status", "answered"),
    [("200 OK", True), ("400 Bad Request", True), ("500 Internal Server Error", False), ("503 Busy", False)],
)
def test_a_web_server_that_only_reports_its_own_errors_is_not_up(status: str, answered: bool) -> None:
    with Loopback(lambda request: reply(status=status)) as server:
        assert answers(LOOPBACK, server.port) is answered
        assert [request.target for request in server.requests] == ["/healthz"]


def test_a_port_without_a_server_is_not_up() -> None:
    assert not answers(LOOPBACK, any_free(LOOPBACK))


def up(data: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env=for_product(data, **environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_taken_port_is_said_in_one_line_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
        done = up(tmp_path, PORT=str(port))
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Port {port} is taken: PORT=")
    assert line.endswith(" make run")
    assert not (tmp_path / "desk.sqlite3").exists()
    assert not (tmp_path / "logs").exists()


def test_two_desks_cannot_share_a_data_folder(tmp_path: Path) -> None:
    lock = data_folder.take(tmp_path)
    assert not isinstance(lock, int)
    with lock:
        done = up(tmp_path, PORT=str(any_free(LOOPBACK)))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{tmp_path} is in use by another desk (process {os.getpid()})")
    assert line.endswith("DESK_DATA=another-folder make run")
    assert not (tmp_path / "desk.sqlite3").exists()


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({"PORT": "many"}, "PORT takes a whole number, not 'many': PORT=8000 make run"),
        (
            {"HOST": "0.0.0.0"},
            "HOST=0.0.0.0 lets other machines in; say under which names: DESK_ALLOWED_HOSTS=desk.example.org make run",
        ),
    ],
    ids=["port", "host"],
)
def test_an_environment_that_cannot_be_used_is_said_in_one_line(
    tmp_path: Path, environment: dict[str, str], line: str
) -> None:
    done = up(tmp_path, **environment)
    assert (done.returncode, done.stderr.splitlines()) == (1, [line])
