"""Politeness among workers: whoever asks, a host sees one queue."""

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.outbound import HostParked
from validation.adapters.hostlimit import HostLimit, SharedLimit
from validation.adapters.turns import FileTurns, RedisTurns
from validation.core.pacing import HostPace, Manners, interleaved
from validation.core.ports import HostTurns, Starts


@pytest.fixture(params=["file", pytest.param("redis", marks=pytest.mark.services)])
def turns(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostTurns]:
    found: HostTurns
    if request.param == "redis":
        url = request.getfixturevalue("redis_url")
        with redis.Redis.from_url(url) as client:
            client.flushdb()
        found = RedisTurns(url)
    else:
        found = FileTurns(tmp_path / "turns.sqlite3")
    yield found
    found.close()


def test_starts_that_were_taken_are_not_given_again(turns: HostTurns) -> None:
    begun = time.monotonic()
    first = turns.take({"a.example": 3, "b.example": 1}, interval_s=50.0)
    second = turns.take({"a.example": 1, "b.example": 1}, interval_s=50.0)
    # Exact but for the time that the questions themselves took, on a busy machine too.
    passed = time.monotonic() - begun + 0.01
    assert first["a.example"].first_s == pytest.approx(0.0, abs=passed)
    assert second["a.example"].first_s == pytest.approx(150.0, abs=passed)
    assert second["b.example"].first_s == pytest.approx(50.0, abs=passed)


def test_a_parking_is_known_to_all_and_never_shortened(turns: HostTurns) -> None:
    begun = time.monotonic()
    turns.park("a.example", for_s=60)
    turns.park("a.example", for_s=5)
    taken = turns.take({"a.example": 1, "b.example": 1}, interval_s=0.5)
    assert taken["a.example"].parked_s == pytest.approx(60, abs=time.monotonic() - begun + 0.01)
    assert taken["b.example"].parked_s == 0


def test_work_goes_on_at_a_worker_s_own_pace_while_redis_is_away() -> None:
    away = RedisTurns("redis://127.0.0.1:1/0")
    away.park("a.example", for_s=60)
    assert away.take({"a.example": 1}, interval_s=0.5)["a.example"].parked_s == 0
    away.close()


def test_work_goes_on_at_a_worker_s_own_pace_where_the_file_cannot_be_used(tmp_path: Path) -> None:
    unusable = FileTurns(tmp_path)  # a folder
    unusable.park("a.example", for_s=60)
    assert unusable.take({"a.example": 1}, interval_s=0.5)["a.example"] == Starts()
    unusable.close()


def test_many_workers_that_open_a_new_file_at_once_all_get_their_starts(tmp_path: Path) -> None:
    told: list[float] = []

    def take(place: int, start: threading.Barrier) -> None:
        turns = FileTurns(tmp_path / f"turns-{place}.sqlite3")
        start.wait()
        told.append(turns.take({"a.example": 1}, interval_s=10.0)["a.example"].first_s)
        turns.close()

    for place in range(10):
        start = threading.Barrier(6)
        threads = [threading.Thread(target=take, args=(place, start)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [round(first_s, -1) for first_s in sorted(told)] == [0, 10, 20, 30, 40, 50]
        told.clear()


def test_nobody_waits_for_ever_when_the_shared_turns_fail() -> None:
    class Broken(FileTurns):
        def take(self, wanted: Mapping[str, int], *, interval_s: float) -> Mapping[str, Starts]:
            raise RuntimeError("a fault")

    async def scene() -> int:
        limit = SharedLimit(Broken(Path("unused")), Manners(interval_s=0.0))
        came = 0
        for _ in range(3):
            async with limit.turn("a.example"):
                came += 1
        await limit.aclose()
        return came

    assert asyncio.run(scene()) == 3


def test_two_workers_keep_one_pace_at_a_host(tmp_path: Path) -> None:
    came: list[float] = []
    begun = time.monotonic()

    def worker() -> None:
        asyncio.run(scene())

    async def scene() -> None:
        limit = SharedLimit(FileTurns(tmp_path / "turns.sqlite3"), Manners(at_once=10, interval_s=0.02))

        async def visit() -> None:
            async with limit.turn("a.example"):
                came.append(time.monotonic())

        await asyncio.gather(*(visit() for _ in range(10)))
        await limit.aclose()

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(came) == 20
    # A late thread may shorten a single gap; from before the first to the last the pace holds on any machine.
    assert max(came) - begun >= 19 * 0.02 - 0.02


def test_what_parks_a_host_in_one_worker_sends_the_others_away(tmp_path: Path) -> None:
    path = tmp_path / "turns.sqlite3"

    async def scene() -> None:
        here, there = (SharedLimit(FileTurns(path), Manners(interval_s=0.0)) for _ in range(2))
        async with here.turn("a.example"):
            here.park("a.example", asyncio.get_running_loop().time() + 60)
        await here.aclose()
        with pytest.raises(HostParked):
            async with there.turn("a.example"):
                pass
        await there.aclose()

    asyncio.run(scene())


def test_a_host_that_says_too_many_is_asked_ever_less_often_until_it_is_well() -> None:
    pace = HostPace(Manners(interval_s=0.0))
    pauses = []
    for _ in range(9):
        pace.heard(429, 100.0)
        pauses.append(pace.back_off_s)
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert pace.due(100.0) == 130.0
    pace.heard(404, 140.0)
    assert pace.due(140.0) == 140.0
    pace.heard(500, 140.0)
    assert pace.due(140.0) == pytest.approx(140.2)


def test_a_failing_host_is_slowed_down_by_what_it_answers() -> None:
    async def scene() -> list[float]:
        limit, came = HostLimit(Manners(interval_s=0.0)), []
        for _ in range(2):
            async with limit.turn("a.example"):
                came.append(asyncio.get_running_loop().time())
                limit.heard("a.example", 503)
        return came

    first, second = asyncio.run(scene())
    assert second - first >= 0.19


@given(st.lists(st.sampled_from("abc"), max_size=30))
@settings(max_examples=60, deadline=None)
def test_hosts_are_interleaved_and_nothing_is_lost(hosts: list[str]) -> None:
    placed = list(enumerate(hosts))
    order = interleaved(placed)
    assert sorted(order) == [key for key, _ in placed]
    host_of = dict(placed)
    rounds = [sum(host_of[other] == host_of[key] for other in order[: order.index(key)]) for key in order]
    assert all(earlier <= later for earlier, later in pairwise(rounds))
