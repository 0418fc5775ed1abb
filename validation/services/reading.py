"""Reads pages beside the event loop: a large one takes a tenth of a second, in which all others would wait.

Two threads, so that a slow page holds up none; more gain nothing, since Python reads one page at a time.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")

_THREADS = ThreadPoolExecutor(2, thread_name_prefix="reading")
_may_read = Event()
_may_read.set()


async def beside_the_loop(work: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Made:
    """What `work` gives, done in a reading thread."""

    def read() -> Made:
        _may_read.wait()
        return work(*args, **kwargs)

    return await asyncio.get_running_loop().run_in_executor(_THREADS, read)


@contextmanager
def readers_stand_aside() -> Iterator[None]:
    """While entered, no page begins to be read in this process.

    For who holds a lock that other processes wait for: Python gives a thread that asks for its turn up to 5 ms of
    waiting each time, and a transaction asks at every statement. With readers beside it, it took twice its own time.
    Not for two at once.
    """
    _may_read.clear()
    try:
        yield
    finally:
        _may_read.set()
