"""Workers of an embedded installation write one after another, and a dead one keeps nobody waiting."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django import Settings

from provenance_site.kit import writing
from provenance_site.kit.writing import one_writer

PATIENCE_S = 5.0

HOLD = """
import fcntl, os, sys
queue = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
fcntl.flock(queue, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An embedded installation; no row is written here, so the kind of database is all that counts."""
    monkeypatch.setattr(writing, "connection", SimpleNamespace(vendor="sqlite"))
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def other_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another worker that is inside."""
    command = [sys.executable, "-c", HOLD, str(folder / "writers.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def entering(entered: threading.Event) -> threading.Thread:
    def enter() -> None:
        with one_writer() as alone:
            assert alone
            entered.set()

    thread = threading.Thread(target=enter)
    thread.start()
    return thread


def test_threads_of_one_process_are_inside_one_after_another() -> None:
    entered = threading.Event()
    with one_writer() as alone:
        thread = entering(entered)
        assert alone
        assert not entered.wait(0.1)
    assert entered.wait(PATIENCE_S)
    thread.join()


def test_a_writer_waits_for_another_process_and_goes_on_when_that_is_killed(
    other_process: subprocess.Popen[str],
) -> None:
    entered = threading.Event()
    thread = entering(entered)
    assert not entered.wait(0.1)
    other_process.kill()
    assert entered.wait(PATIENCE_S)
    thread.join()


def test_a_writer_that_fails_lets_the_next_one_in() -> None:
    with pytest.raises(ValueError, match="on purpose"), one_writer():
        raise ValueError("on purpose")
    entered = threading.Event()
    entering(entered).join(PATIENCE_S)
    assert entered.is_set()


def test_nobody_waits_on_a_server_database(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(writing, "connection", SimpleNamespace(vendor="postgresql"))
    with one_writer() as first, one_writer() as second:
        assert (first, second) == (False, False)
    assert not list(folder.iterdir())
