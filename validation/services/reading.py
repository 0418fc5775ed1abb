"""Reads pages where it costs least: a small one on the event loop, larger ones beside it.

A small page takes half a millisecond. To hand it to a thread and back costs a sixth of that, since the two threads ask
each other for the interpreter at every step; with a worker for each core there is no idle core that would pay for it.
A large one takes a tenth of a second, in which all others would wait, so it goes to one of two threads: a slow page
then holds up none, and more threads gain nothing, since Python reads one page at a time. The largest have a third
thread for themselves: while it is read, a page of two megabytes takes ten times as much, and two workers with two such
pages each held 60 MB more.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Made = TypeVar("Made")

# Bytes of a body. The median of real pages has 83 KB.
_SMALL = 48 * 1024
_LARGE = 512 * 1024
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="reading")
_ONE_THREAD = ThreadPoolExecutor(1, thread_name_prefix="reading-large")
_may_read = Event()
_may_read.set()


class _Returns:
    """Brings what reading threads made back to their loop: however many pages come at once, the loop is woken once.

    asyncio's own way wakes it for each, by a byte through a socket, and keeps two futures in step: a tenth of what the
    loop did.
    """

    def __init__(self) -> None:
        self._made: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._woken = False

    def bring(self, awaited: "asyncio.Future[Any]", made: "Future[Any]") -> None:
        """From a reading thread, when `made` is there; the loop then gives it to `awaited`."""
        self._made.append((awaited, made))
        # After the append, as `_hand_out` takes the mark away before it looks: so nothing is left lying.
        if not self._woken:
            self._woken = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                awaited.get_loop().call_soon_threadsafe(self._hand_out)

    def _hand_out(self) -> None:
        self._woken = False
        while self._made:
            awaited, made = self._made.popleft()
            if awaited.done():  # cancelled meanwhile
                continue
            fault = made.exception()
            if fault is None:
                awaited.set_result(made.result())
            else:
                awaited.set_exception(fault)


_returns: "WeakKeyDictionary[asyncio.AbstractEventLoop, _Returns]" = WeakKeyDictionary()


async def read(work: Callable[[], Made], *, size: int) -> Made:
    """What `work` makes of a body of `size` bytes, done where that costs least."""
    if size < _SMALL and _may_read.is_set():
        return work()
    return await _done_in(_ONE_THREAD if size >= _LARGE else _THREADS, work)


async def _done_in(threads: ThreadPoolExecutor, work: Callable[[], Made]) -> Made:
    def read() -> Made:
        _may_read.wait()
        return work()

    loop = asyncio.get_running_loop()
    returns = _returns.get(loop)
    if returns is None:
        returns = _returns[loop] = _Returns()
    awaited: asyncio.Future[Made] = loop.create_future()
    threads.submit(read).add_done_callback(lambda made: returns.bring(awaited, made))
    return await awaited


@contextmanager
def readers_stand_aside() -> Iterator[None]:
    """While entered, no page begins to be read in this process; small ones go to the threads, and wait there.

    For who holds a lock that other processes wait for: Python gives a thread that asks for its turn up to 5 ms of
    waiting each time, and a transaction asks at every statement. With readers beside it, it took twice its own time.
    Not for two at once.
    """
    _may_read.clear()
    try:
        yield
    finally:
        _may_read.set()
