"""The data folder has one owner, and its folders are closed to others."""

import os
import stat
from pathlib import Path

from provenance_site.supervisor import folder
from provenance_site.supervisor.budget import RestartBudget


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_second_owner_learns_who_the_first_is(tmp_path: Path) -> None:
    first = folder.take(tmp_path)
    assert not isinstance(first, int)
    with first:
        assert folder.take(tmp_path) == os.getpid()


def test_a_folder_can_be_taken_again_once_it_was_let_go(tmp_path: Path) -> None:
    first = folder.take(tmp_path)
    assert not isinstance(first, int)
    first.close()
    second = folder.take(tmp_path)
    assert not isinstance(second, int)
    second.close()


def test_the_queue_is_closed_to_others_even_where_it_was_open(tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    (queue / "messages").mkdir(parents=True, mode=0o755)
    for _ in range(2):
        folder.prepare(tmp_path, queue=queue)
    assert {mode(path) for path in (queue, *queue.iterdir(), folder.logs(tmp_path), folder.temporary(tmp_path))} == {
        0o700
    }
    assert {path.name for path in queue.iterdir()} == {"messages", "control", "done"}


def test_a_team_broker_needs_no_queue_folder(tmp_path: Path) -> None:
    folder.prepare(tmp_path, queue=None)
    assert not (tmp_path / "queue").exists()


def test_a_long_log_is_put_aside_and_a_short_one_kept(tmp_path: Path) -> None:
    logs = folder.logs(tmp_path)
    logs.mkdir()
    (logs / "web.log").write_bytes(b"." * (folder.LOG_KEPT_BYTES + 1))
    (logs / "beat.log").write_bytes(b"short")
    folder.prepare(tmp_path, queue=None)
    assert {path.name for path in logs.iterdir()} == {"web.log.1", "beat.log"}


def test_the_sample_port_is_remembered(tmp_path: Path) -> None:
    assert folder.remembered_sample_port(tmp_path) == 0
    folder.remember_sample_port(tmp_path, 8010)
    assert folder.remembered_sample_port(tmp_path) == 8010


def test_a_spoilt_memory_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / folder.SAMPLE_PORT_NAME).write_bytes(b"\xff\x00not a port")
    assert folder.remembered_sample_port(tmp_path) == 0


def test_each_restart_waits_twice_as_long_and_the_sixth_in_a_minute_is_refused() -> None:
    budget = RestartBudget()
    assert [budget.wait_after_exit(at) for at in (0.0, 1.0, 3.0, 6.0, 11.0, 20.0)] == [0.5, 1, 2, 4, 8, None]


def test_old_restarts_are_forgotten() -> None:
    budget = RestartBudget(limit=1, window_s=60)
    assert [budget.wait_after_exit(at) for at in (0.0, 59.0, 60.0)] == [0.5, None, 0.5]
