"""Files read in a child process: what it gives back, and what is said when it goes over its limits or is killed."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from sources.adapters.parsing import Limits, parsed
from sources.core.entries import SourceRecord
from sources.core.records import RowError
from sources.formats.format import Unreadable
from tests.formats.samples import NO_FORMAT, SAMPLES

ENTRY = "@article{{k{n},\n  title = {{Tides}},\n  author = {{Müller, Jörg and Smith, Ann}},\n  year = 2019\n}}\n"
LONG = "".join(ENTRY.format(n=number) for number in range(40_000)).encode()


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_comes_through_the_child_as_it_is_read(name: str) -> None:
    with parsed(SAMPLES[name], name="sample") as file:
        items = list(file.items())
        assert file.format == name
        assert file.entries == len(items)
        assert file.counted in (None, len(items))
        assert list(file.items()) == items


def test_an_error_keeps_its_line() -> None:
    with parsed(b"@article{a, title={T}}\n@article{b, title={never closed\n", name="a.bib") as file:
        first, second = file.items()
    assert isinstance(first, SourceRecord)
    assert isinstance(second, RowError)
    assert second.line == 2


@pytest.mark.parametrize("what", NO_FORMAT)
def test_what_cannot_be_read_is_refused_through_the_child_too(what: str) -> None:
    with pytest.raises(Unreadable), parsed(NO_FORMAT[what], name="file"):
        pass


def test_a_file_that_takes_too_much_memory_is_refused_with_the_way_out() -> None:
    limits = Limits(memory=120 * 1024**2)
    deep = b"@article{a, title={" + b"x" * 90_000_000 + b"}}\n"
    with pytest.raises(Unreadable, match="memory"), parsed(deep, name="a.bib", limits=limits):
        pass


def test_a_file_that_takes_too_long_by_the_processor_is_refused() -> None:
    with pytest.raises(Unreadable, match="longer"), parsed(LONG, name="a.bib", limits=Limits(cpu_s=1)):
        pass


def test_a_file_that_takes_too_long_by_the_clock_is_refused() -> None:
    with pytest.raises(Unreadable, match="longer"), parsed(LONG, name="a.bib", limits=Limits(wall_s=0.3)):
        pass


def test_a_child_that_is_killed_is_told_and_nothing_is_taken() -> None:
    killer = threading.Thread(target=_kill_the_child)
    killer.start()
    with pytest.raises(Unreadable, match="Nothing was taken"), parsed(LONG, name="a.bib"):
        pass
    killer.join()


def test_a_fault_of_ours_is_called_one_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    # A limit that no system knows is an exception the child does not expect.
    limits = Limits(cpu_s=2**70)
    with pytest.raises(Unreadable, match="fault of this program"), parsed(SAMPLES["bibtex"], name="a", limits=limits):
        pass
    assert "OverflowError" in caplog.text


def _kill_the_child() -> None:
    """Kills the one process that this one starts, by its id, once it is there."""
    for _ in range(200):
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text().split():
                if b"sources.formats" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)
                    return
        time.sleep(0.02)
