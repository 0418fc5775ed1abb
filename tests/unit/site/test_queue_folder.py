"""The queue folder of the embedded installation hands its worker back often."""

from pathlib import Path

import pytest
from kombu import Connection, Queue
from kombu.transport import filesystem

from provenance_site.queue_folder import Transport

# As long as Celery's worker lets one call wait (celery.worker.loops.synloop).
CELERY_WAITS_S = 2.0


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    folders = {name: tmp_path / name for name in ("data_folder_in", "control_folder", "processed_folder")}
    for folder in folders.values():
        folder.mkdir()
    options = {**folders, "data_folder_out": folders["data_folder_in"], "polling_interval": 0.05}
    return Connection("filesystem://", transport=Transport, transport_options=options)


def test_a_worker_at_an_empty_folder_comes_back_after_a_few_looks(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    seen = filesystem.Channel._get

    def look(channel: filesystem.Channel, queue: str) -> object:
        nonlocal looks
        looks += 1
        return seen(channel, queue)

    monkeypatch.setattr(filesystem.Channel, "_get", look)
    with connection, connection.Consumer(Queue("celery")), pytest.raises(TimeoutError):
        connection.drain_events(timeout=CELERY_WAITS_S)
    assert 1 <= looks <= 6


def test_a_message_is_handed_on(connection: Connection) -> None:
    taken = []
    with connection, connection.Consumer(Queue("celery"), callbacks=[lambda body, _: taken.append(body)]):
        connection.Producer().publish({"id": 1}, routing_key="celery", declare=[Queue("celery")])
        connection.drain_events(timeout=CELERY_WAITS_S)
    assert taken == [{"id": 1}]
