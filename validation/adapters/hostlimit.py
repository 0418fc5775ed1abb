"""Turns at hosts for the tasks of one event loop: first come, first served, at the pace of `core.pacing`.

`HostLimit` paces hosts for its own loop. Among several workers a request also needs a start that was taken from the
due times they share (`ports.HostTurns`): `SharedLimit` takes them in a thread of its own, for many hosts at once.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from provenance_site.kit.outbound import HostParked
from validation.core.pacing import HostPace, Manners
from validation.core.ports import HostTurns, Starts

_MANY_HOSTS = 1000
# So many starts of a host are taken ahead: more would be lost with a worker that dies, fewer asked for too often.
_AHEAD = 20
# A start that nobody used for so long is not used any more: another worker may have its own now.
_STALE_S = 1.0


@dataclass(slots=True)
class _Queue:
    pace: HostPace
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    alarm: asyncio.TimerHandle | None = None
    parked_until: float = 0.0
    held_until: float = 0.0
    starts: deque[float] = field(default_factory=deque)
    asked: int = 0


class HostLimit:
    """Keeps a queue per host. No lock is held and nothing sleeps: a timer calls whoever is due, so that a slow host
    delays only those who want the same host.
    """

    def __init__(self, manners: Manners | None = None) -> None:
        self._manners = manners or Manners()
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Entered when a request to `host` may start, left when it is over. Safe to cancel at any point.

        Raises HostParked on entering while the host is parked, also for those who waited when that began.
        """
        queue = self._queue(host)
        loop = asyncio.get_running_loop()
        if queue.parked_until > loop.time():
            raise _parked(queue, loop.time())
        ticket = loop.create_future()
        queue.waiting.append(ticket)
        self._call(queue, host, loop)
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self._leave(queue, host, loop)
            raise
        try:
            yield
        finally:
            self._leave(queue, host, loop)

    def park(self, host: str, until: float) -> None:
        """Sends everyone away from `host` until this moment of the loop's clock. Never shortens a parking."""
        now = asyncio.get_running_loop().time()
        self._send_away(self._queue(host), until, now)

    def goes_on(self, host: str) -> bool:
        """See `Turns`. A host that answers 429 or 5xx is asked one by one, redirects too."""
        queue, now = self._queue(host), asyncio.get_running_loop().time()
        return max(queue.parked_until, queue.held_until) <= now and not queue.pace.back_off_s

    def hold(self, host: str, until: float) -> None:
        """Starts nobody at `host` before this moment of the loop's clock; everyone keeps the place."""
        queue = self._queue(host)
        queue.held_until = max(queue.held_until, until)
        queue.pace.not_before = max(queue.pace.not_before, until)

    def change_manners(self, manners: Manners) -> None:
        """Treats every host so from now on; who waits already is called by the new manners."""
        if manners == self._manners:
            return
        self._manners = manners
        loop = asyncio.get_running_loop()
        for host, queue in self._queues.items():
            queue.pace.manners = manners
            self._call(queue, host, loop)

    def heard(self, host: str, status: int) -> None:
        """Slows down at a host that answers 429 or 5xx, until it answers otherwise."""
        self._queue(host).pace.heard(status, asyncio.get_running_loop().time())

    def _send_away(self, queue: _Queue, until: float, now: float) -> None:
        queue.parked_until = max(queue.parked_until, until)
        queue.starts.clear()
        while queue.waiting and queue.parked_until > now:
            ticket = queue.waiting.popleft()
            if not ticket.done():
                ticket.set_exception(_parked(queue, now))

    def _leave(self, queue: _Queue, host: str, loop: asyncio.AbstractEventLoop) -> None:
        queue.pace.finish()
        self._call(queue, host, loop)

    def _call(self, queue: _Queue, host: str, loop: asyncio.AbstractEventLoop) -> None:
        """Lets in everyone who is due, and sets the alarm for the next one who only has to wait for the clock."""
        if queue.alarm is not None:
            queue.alarm.cancel()
            queue.alarm = None
        while queue.waiting:
            if queue.waiting[0].done():  # cancelled while waiting
                queue.waiting.popleft()
                continue
            now = loop.time()
            due = self._due(queue, host, now)
            if due is None:
                return
            if due > now:
                queue.alarm = loop.call_at(due, self._call, queue, host, loop)
                return
            self._start(queue, now)
            queue.waiting.popleft().set_result(None)

    def _due(self, queue: _Queue, host: str, now: float) -> float | None:
        return queue.pace.due(now)

    def _start(self, queue: _Queue, now: float) -> None:
        queue.pace.start(now)

    def _queue(self, host: str) -> _Queue:
        if host not in self._queues:
            if len(self._queues) >= _MANY_HOSTS:
                self._forget_idle(asyncio.get_running_loop().time())
            self._queues[host] = _Queue(HostPace(self._manners))
        return self._queues[host]

    def _forget_idle(self, now: float) -> None:
        self._queues = {
            host: queue
            for host, queue in self._queues.items()
            if queue.waiting or queue.asked or queue.parked_until > now or not queue.pace.is_idle(now)
        }


class SharedLimit(HostLimit):
    """A HostLimit among several workers. To be closed at the end, in the loop that used it."""

    def __init__(self, turns: HostTurns, manners: Manners | None = None) -> None:
        super().__init__(manners)
        self._turns = turns
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="turns")
        self._wanting: set[str] = set()
        self._asking: set[asyncio.Task[None]] = set()

    async def aclose(self) -> None:
        """Ends after what was still to be told, such as a parking, has been told."""
        await asyncio.gather(*self._asking, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(self._thread, self._turns.close)
        self._thread.shutdown()

    def park(self, host: str, until: float) -> None:
        """See `HostLimit`; all workers are told."""
        super().park(host, until)
        self._soon(self._tell_parked(host, until - asyncio.get_running_loop().time()))

    def _due(self, queue: _Queue, host: str, now: float) -> float | None:
        due = queue.pace.due(now)
        if due is None:
            return None
        while queue.starts and queue.starts[0] < now - _STALE_S:
            queue.starts.popleft()
        if not queue.starts:
            if not self._wanting:
                asyncio.get_running_loop().call_soon(self._ask)
            self._wanting.add(host)
            return None
        return max(due, queue.starts[0])

    def _start(self, queue: _Queue, now: float) -> None:
        super()._start(queue, now)
        queue.starts.popleft()

    def _ask(self) -> None:
        """Asks for the starts of all hosts that came to want some in this round of the loop."""
        wanted: dict[str, int] = {}
        for host in self._wanting:
            queue = self._queue(host)
            number = min(_AHEAD, len(queue.waiting)) - queue.asked - len(queue.starts)
            if number > 0:
                queue.asked += number
                wanted[host] = number
        self._wanting.clear()
        if wanted:
            self._soon(self._take(wanted))

    def _soon(self, asking: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(asking)
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _take(self, wanted: Mapping[str, int]) -> None:
        loop = asyncio.get_running_loop()
        interval_s = self._manners.interval_s
        take = partial(self._turns.take, wanted, interval_s=interval_s)
        taken: Mapping[str, Starts] = {}
        try:
            taken = await loop.run_in_executor(self._thread, take)
        finally:
            # Whatever went wrong, nobody waits for ever: without an answer the host has this loop's own pace.
            self._give(wanted, taken, interval_s=interval_s)

    def _give(self, wanted: Mapping[str, int], taken: Mapping[str, Starts], *, interval_s: float) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for host in wanted:
            queue, starts = self._queue(host), taken.get(host, Starts())
            queue.asked -= wanted[host]
            if starts.parked_s > 0:
                self._send_away(queue, now + starts.parked_s, now)
            else:
                queue.starts.extend(now + starts.first_s + place * interval_s for place in range(wanted[host]))
                self._call(queue, host, loop)

    async def _tell_parked(self, host: str, for_s: float) -> None:
        park = partial(self._turns.park, host, for_s=for_s)
        await asyncio.get_running_loop().run_in_executor(self._thread, park)


def _parked(queue: _Queue, now: float) -> HostParked:
    return HostParked(math.ceil(queue.parked_until - now))
