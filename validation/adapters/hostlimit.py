"""Turns at hosts for the tasks of one event loop: first come, first served, at the pace of `core.pacing`."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from validation.core.pacing import HostPace, Manners

_MANY_HOSTS = 1000


@dataclass(slots=True)
class _Queue:
    pace: HostPace
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    alarm: asyncio.TimerHandle | None = None


class HostLimit:
    """Keeps a queue per host. No lock is held and nothing sleeps: a timer calls whoever is due, so that a slow host
    delays only those who want the same host.
    """

    def __init__(self, manners: Manners | None = None) -> None:
        self._manners = manners or Manners()
        self._queues: dict[str, _Queue] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Entered when a request to `host` may start, left when it is over. Safe to cancel at any point."""
        queue = self._queue(host)
        loop = asyncio.get_running_loop()
        ticket = loop.create_future()
        queue.waiting.append(ticket)
        self._call(queue, loop)
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self._leave(queue, loop)
            raise
        try:
            yield
        finally:
            self._leave(queue, loop)

    def _leave(self, queue: _Queue, loop: asyncio.AbstractEventLoop) -> None:
        queue.pace.finish()
        self._call(queue, loop)

    def _call(self, queue: _Queue, loop: asyncio.AbstractEventLoop) -> None:
        """Lets in everyone who is due, and sets the alarm for the next one who only has to wait for the clock."""
        if queue.alarm is not None:
            queue.alarm.cancel()
            queue.alarm = None
        while queue.waiting:
            if queue.waiting[0].done():  # cancelled while waiting
                queue.waiting.popleft()
                continue
            now = loop.time()
            due = queue.pace.due(now)
            if due is None:
                return
            if due > now:
                queue.alarm = loop.call_at(due, self._call, queue, loop)
                return
            queue.pace.start(now)
            queue.waiting.popleft().set_result(None)

    def _queue(self, host: str) -> _Queue:
        if host not in self._queues:
            if len(self._queues) >= _MANY_HOSTS:
                self._forget_idle(asyncio.get_running_loop().time())
            self._queues[host] = _Queue(HostPace(self._manners))
        return self._queues[host]

    def _forget_idle(self, now: float) -> None:
        self._queues = {
            host: queue for host, queue in self._queues.items() if queue.waiting or not queue.pace.is_idle(now)
        }
