"""Small pages are read on the loop, larger ones beside it, and none while a worker's short transaction is open."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from validation.services import reading
from validation.services.reading import readers_stand_aside

SMALL, MEDIUM, LARGE = 20_000, 100_000, 2_000_000


def read(work: Callable[[], Any], size: int = MEDIUM) -> Any:
    return reading.read(work, size=size)


@pytest.mark.parametrize(("size", "beside"), [(SMALL, False), (MEDIUM, True), (LARGE, True)])
def test_only_a_small_page_is_read_on_the_loop_itself(size: int, beside: bool) -> None:
    async def whole() -> bool:
        return await read(threading.current_thread, size) is not threading.current_thread()

    assert asyncio.run(whole()) is beside


@pytest.mark.parametrize("size", [SMALL, MEDIUM, LARGE])
def test_what_is_made_or_raised_comes_back(size: int) -> None:
    assert asyncio.run(read(partial("a b".replace, "b", "c"), size)) == "a c"
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(read(partial(int, "no number"), size))


@pytest.mark.parametrize("size", [SMALL, MEDIUM, LARGE])
def test_no_reading_begins_while_readers_stand_aside(size: int) -> None:
    async def whole() -> bool:
        with readers_stand_aside():
            page = asyncio.ensure_future(read(partial(len, "page"), size))
            done, _ = await asyncio.wait([page], timeout=0.1)
            began = bool(done)
        assert await asyncio.wait_for(page, 5) == 4
        return began

    assert asyncio.run(whole()) is False


def test_readers_go_on_after_a_transaction_that_failed() -> None:
    with pytest.raises(RuntimeError), readers_stand_aside():
        raise RuntimeError
    assert asyncio.run(read(partial(len, "page"))) == 4


def test_of_many_pages_at_once_each_comes_back_whoever_gives_up() -> None:
    async def whole() -> list[int]:
        lines = [asyncio.ensure_future(read(partial(int, str(place)))) for place in range(300)]
        await asyncio.sleep(0)
        for line in lines[::3]:
            line.cancel()
        found = await asyncio.wait_for(asyncio.gather(*lines, return_exceptions=True), 5)
        return [one for one in found if isinstance(one, int) and one % 3]  # some were read before they were given up

    assert asyncio.run(whole()) == [place for place in range(300) if place % 3]


def test_large_pages_are_read_one_after_another() -> None:
    inside, most = 0, 0

    def large() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        threading.Event().wait(0.01)
        inside -= 1

    async def whole() -> None:
        await asyncio.gather(*(read(large, LARGE) for _ in range(4)))

    asyncio.run(whole())
    assert most == 1
