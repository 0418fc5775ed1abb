"""The queue folder of the embedded installation hands its worker back often, and its files are whole."""

import resource
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from kombu import Connection, Exchange, Queue
from kombu.exceptions import ChannelError
from kombu.transport import filesystem

from provenance_site.queue_folder import Transport

# As long as Celery's worker lets one call wait (celery.worker.loops.synloop).
CELERY_WAITS_S = 2.0


Folders = dict[str, Path]


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = {name: tmp_path / name for name in ("data_folder_in", "control_folder", "processed_folder")}
    for folder in made.values():
        folder.mkdir()
    return {**made, "data_folder_out": made["data_folder_in"]}


@pytest.fixture
def connection(folders: Folders) -> Connection:
    return connected(folders)


def connected(folders: Folders) -> Connection:
    return Connection("filesystem://", transport=Transport, transport_options={**folders, "polling_interval": 0.05})


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


def test_a_message_has_its_name_only_once_it_is_whole(folders: Folders) -> None:
    """Shown by a disk that takes no byte: what could not be written is seen by nobody, and does not stay."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with connected(folders) as connection:
        channel = connection.default_channel
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            with pytest.raises(ChannelError, match="Cannot put a message into"):
                channel._put("celery", {"body": "1"})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert list(folders["data_folder_in"].iterdir()) == []
        channel._put("celery", {"body": "2"})
        assert channel._get("celery") == {"body": "2"}


def test_a_message_that_a_crash_left_broken_keeps_nobody_from_the_next(
    folders: Folders, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[object] = []
    for name, content in (("0-a", b""), ("0-b", b'{"body": '), ("0-c", b"\xff\x00")):
        (folders["data_folder_in"] / f"{name}.celery.msg").write_bytes(content)
    _put(folders, 7)
    _take(folders, taken, 1)
    assert taken == [7]
    assert caplog.messages == ["A message of the queue celery could not be read and is left out."] * 3


def test_those_that_bind_at_once_find_whole_tables(folders: Folders) -> None:
    """Workers of one installation begin together, and each writes what it listens to."""
    names = [f"queue-{number}" for number in range(24)]
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(lambda name: _bind(folders, name), names))
    with connected(folders) as connection:
        bound = connection.default_channel.get_table("news")
    assert {one.queue for one in bound} == set(names)


def _put(folders: Folders, body: int) -> None:
    with connected(folders) as connection, connection.Producer() as producer:
        producer.publish(body, routing_key="celery", serializer="json", declare=[Queue("celery")])


def _take(folders: Folders, taken: list[object], number: int) -> None:
    with (
        connected(folders) as connection,
        connection.Consumer(Queue("celery"), callbacks=[lambda body, _: taken.append(body)], no_ack=True),
    ):
        while len(taken) < number:
            with suppress(TimeoutError):
                connection.drain_events(timeout=0.1)


def _bind(folders: Folders, name: str) -> None:
    with connected(folders) as connection:
        Queue(name, Exchange("news", type="fanout"))(connection.default_channel).declare()
