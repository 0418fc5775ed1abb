"""What one worker has under way: the network in a thread of its own, so that writing to the database stops no fetch.

The calling thread claims and writes, the flight's thread runs the event loop. Measured with 2,000 pages on two cores:
in one thread the network stood still for half of the time, waiting for the database.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from types import TracebackType
from typing import NamedTuple, Self
from uuid import UUID

from provenance_site.jobs import services as jobs
from provenance_site.jobs.services import ClaimedItem
from sources.core.findings import Finding
from validation.adapters.registry import Outside
from validation.services.validate import Clock, Target, examine

OpenWorld = Callable[[], AbstractAsyncContextManager[Outside]]


class Landed(NamedTuple):
    """One item with its finding, or with the fault of ours that ended its check."""

    item: ClaimedItem
    finding: Finding | None
    fault: BaseException | None = None


class Flight:
    """The checks under way of one worker; a context manager, used from the one thread that opened it.

    The outside world is opened in the flight's thread on entering (what that raises is raised here) and closed on
    leaving, which cancels what is still under way.
    """

    def __init__(self, open_world: OpenWorld, *, clock: Clock) -> None:
        self._open_world = open_world
        self._clock = clock
        self._landed: queue.SimpleQueue[Landed] = queue.SimpleQueue()
        self._aboard: dict[int, ClaimedItem] = {}
        self._tasks: dict[asyncio.Task[Finding], ClaimedItem] = {}  # the flight's thread only
        self._ready = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="flight")

    def __enter__(self) -> Self:
        self._flying = self._thread.submit(asyncio.run, self._fly())
        self._flying.add_done_callback(lambda _: self._ready.set())
        self._ready.wait()
        if self._flying.done():
            self._thread.shutdown()
            self._flying.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.shutdown()
        self._flying.result()

    @property
    def world(self) -> Outside:
        """The outside world of this flight; of it only `lookups` may be touched from another thread."""
        return self._world

    @property
    def aboard(self) -> tuple[ClaimedItem, ...]:
        """The items that took off and were not handed out by `landed` or dropped."""
        return tuple(self._aboard.values())

    def take_off(self, checks: Iterable[tuple[ClaimedItem, Target]]) -> None:
        """Starts checks. An item that is aboard already must not be given again."""
        starting = list(checks)
        self._aboard.update((item.id, item) for item, _ in starting)
        if starting:
            self._loop.call_soon_threadsafe(self._start, starting)

    def landed(self, *, gather_s: float, most: int) -> list[Landed]:
        """What came down: waits for the first, then for as many as come within `gather_s`, until all are down.

        Waits `gather_s` for the first one too, so that the caller can look after its leases; empty when none came.
        """
        until = time.monotonic() + gather_s
        down: list[Landed] = []
        while self._aboard and len(down) < most:
            try:
                one = self._landed.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if self._aboard.pop(one.item.id, None) is not None:
                down.append(one)
        return down

    def drop(self, leases: set[UUID]) -> None:
        """Gives up the items of these leases: they are cancelled and never handed out."""
        lost = {item.id for item in self._aboard.values() if item.lease in leases}
        for item_id in lost:
            del self._aboard[item_id]
        if lost:
            self._loop.call_soon_threadsafe(self._cancel, lost)

    # -- the flight's own thread ---------------------------------------------------------------------------------------

    async def _fly(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        async with self._open_world() as self._world:
            self._ready.set()
            await self._over.wait()
            under_way = list(self._tasks)
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def _start(self, checks: list[tuple[ClaimedItem, Target]]) -> None:
        for item, target in checks:
            task = asyncio.create_task(examine(target, self._world, clock=self._clock))
            self._tasks[task] = item
            task.add_done_callback(self._land)

    def _land(self, task: asyncio.Task[Finding]) -> None:
        item = self._tasks.pop(task)
        if not task.cancelled():
            fault = task.exception()
            self._landed.put(Landed(item, None if fault else task.result(), fault))

    def _cancel(self, item_ids: set[int]) -> None:
        for task, item in self._tasks.items():
            if item.id in item_ids:
                task.cancel()


def keep_leases(flight: Flight, down: Iterable[Landed], *, until: datetime) -> None:
    """Renews the leases, also of what is about to be written; what another worker has taken over is given up."""
    held = {item.lease for item in flight.aboard} | {one.item.lease for one in down}
    flight.drop({lease for lease in held if not jobs.extend(lease=lease, until=until)})
