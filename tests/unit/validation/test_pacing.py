"""Politeness: so many at once, so far apart, and a slow host delays nobody else."""

import asyncio
from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.adapters.hostlimit import HostLimit
from validation.core.pacing import HostPace, Manners


def test_starts_lie_an_interval_apart() -> None:
    pace = HostPace(Manners(at_once=3, interval_s=0.5))
    starts = []
    for _ in range(3):
        due = pace.due(10.0)
        assert due is not None
        pace.start(due)
        starts.append(due)
    assert starts == [10.0, 10.5, 11.0]


def test_nobody_starts_while_as_many_as_allowed_are_under_way() -> None:
    pace = HostPace(Manners(at_once=1, interval_s=0.0))
    pace.start(1.0)
    assert pace.due(2.0) is None
    pace.finish()
    assert pace.due(2.0) == 2.0


def test_a_host_that_was_left_alone_waits_for_nothing() -> None:
    pace = HostPace(Manners(interval_s=5.0))
    pace.start(1.0)
    assert not pace.is_idle(100.0)
    pace.finish()
    assert pace.is_idle(100.0)
    assert not pace.is_idle(3.0)
    assert pace.due(100.0) == 100.0


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40),
    st.integers(1, 4),
    st.floats(0, 0.5),
)
@settings(max_examples=60, deadline=None)
def test_no_order_of_events_breaks_the_manners(
    events: list[tuple[float, bool]], at_once: int, interval_s: float
) -> None:
    pace, now, starts = HostPace(Manners(at_once=at_once, interval_s=interval_s)), 0.0, []
    for passed, finishes in events:
        now += passed
        if finishes and pace.under_way:
            pace.finish()
        due = pace.due(now)
        if due is not None:
            now = due
            pace.start(now)
            starts.append(now)
        assert pace.under_way <= at_once
    assert all(later - earlier >= interval_s - 1e-9 for earlier, later in pairwise(starts))


class Crowd:
    """Counts who is inside at each host, and notes when each came in."""

    def __init__(self, limit: HostLimit) -> None:
        self.limit = limit
        self.inside: dict[str, int] = defaultdict(int)
        self.most: dict[str, int] = defaultdict(int)
        self.came: dict[str, list[float]] = defaultdict(list)

    async def visit(self, host: str, seconds: float = 0.0) -> None:
        async with self.limit.turn(host):
            self.inside[host] += 1
            self.most[host] = max(self.most[host], self.inside[host])
            self.came[host].append(asyncio.get_running_loop().time())
            try:
                await asyncio.sleep(seconds)
            finally:
                self.inside[host] -= 1


def test_turns_at_one_host_are_few_at_once_and_apart() -> None:
    crowd = Crowd(HostLimit(Manners(at_once=2, interval_s=0.01)))

    async def scene() -> None:
        await asyncio.gather(*(crowd.visit("a.example", 0.03) for _ in range(8)))

    asyncio.run(scene())
    came = crowd.came["a.example"]
    assert crowd.most["a.example"] == 2
    assert len(came) == 8
    assert all(later - earlier > 0.008 for earlier, later in pairwise(came))


def test_a_slow_host_delays_nobody_else() -> None:
    crowd = Crowd(HostLimit(Manners(at_once=1, interval_s=0.0)))

    async def scene() -> list[float]:
        slow = [asyncio.create_task(crowd.visit("slow.example", 30.0)) for _ in range(20)]
        await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.gather(*(crowd.visit(f"h{n}.example") for n in range(100))), 1.0)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return crowd.came["slow.example"]

    assert len(asyncio.run(scene())) == 1


@pytest.mark.parametrize("when", ["waiting", "called", "inside"])
def test_whoever_gives_up_leaves_the_place_to_the_next(when: str) -> None:
    limit = HostLimit(Manners(at_once=1, interval_s=0.0))
    crowd = Crowd(limit)

    async def scene() -> None:
        first = asyncio.create_task(crowd.visit("a.example", 30.0))
        second = asyncio.create_task(crowd.visit("a.example", 30.0))
        third = asyncio.create_task(crowd.visit("a.example"))
        await asyncio.sleep(0.01)
        if when == "waiting":
            second.cancel()
            await asyncio.sleep(0)
        first.cancel()
        if when == "called":
            await asyncio.sleep(0)  # first has left and second was called, but has not come in yet
            second.cancel()
        if when == "inside":
            await asyncio.sleep(0.01)
            second.cancel()
        await asyncio.wait_for(third, 1.0)
        await asyncio.gather(first, second, return_exceptions=True)

    asyncio.run(scene())
    assert crowd.most["a.example"] == 1


def test_hosts_that_are_idle_are_forgotten() -> None:
    limit = HostLimit(Manners(interval_s=0.0))

    async def scene() -> None:
        for n in range(2_500):
            async with limit.turn(f"h{n}.example"):
                pass

    asyncio.run(scene())
    assert len(limit._queues) <= 1_000


def test_a_host_that_is_parked_held_or_in_trouble_is_asked_in_turn_for_its_redirects_too() -> None:
    limit = HostLimit(Manners())

    async def scene() -> list[bool]:
        now = asyncio.get_running_loop().time()
        limit.park("parked.example", now + 60)
        limit.hold("held.example", now + 60)
        limit.heard("failing.example", 503)
        limit.heard("well.example", 200)
        return [limit.goes_on(f"{name}.example") for name in ("well", "new", "parked", "held", "failing")]

    assert asyncio.run(scene()) == [True, True, False, False, False]
