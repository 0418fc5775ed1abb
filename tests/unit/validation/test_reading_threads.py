"""Pages are read beside the event loop, and by nobody while a worker's short transaction is open."""

import asyncio
import threading

import pytest

from validation.services.reading import beside_the_loop, one_after_another, readers_stand_aside


def test_what_a_reading_thread_makes_comes_back_to_the_loop() -> None:
    async def read() -> tuple[str, bool]:
        thread = await beside_the_loop(threading.current_thread)
        return await beside_the_loop("a b".replace, "b", "c"), thread is threading.current_thread()

    assert asyncio.run(read()) == ("a c", False)


def test_what_a_reading_thread_raises_comes_back_to_the_loop() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(beside_the_loop(int, "no number"))


def test_no_reading_begins_while_readers_stand_aside() -> None:
    async def read() -> bool:
        with readers_stand_aside():
            reading = asyncio.ensure_future(beside_the_loop(len, "page"))
            done, _ = await asyncio.wait([reading], timeout=0.1)
            began = bool(done)
        assert await asyncio.wait_for(reading, 5) == 4
        return began

    assert asyncio.run(read()) is False


def test_readers_go_on_after_a_transaction_that_failed() -> None:
    with pytest.raises(RuntimeError), readers_stand_aside():
        raise RuntimeError
    assert asyncio.run(beside_the_loop(len, "page")) == 4


def test_of_many_pages_at_once_each_comes_back_whoever_gives_up() -> None:
    async def read() -> list[int]:
        lines = [asyncio.ensure_future(beside_the_loop(int, str(place))) for place in range(300)]
        await asyncio.sleep(0)
        for line in lines[::3]:
            line.cancel()
        found = await asyncio.wait_for(asyncio.gather(*lines, return_exceptions=True), 5)
        return [one for one in found if isinstance(one, int) and one % 3]  # some were read before they were given up

    assert asyncio.run(read()) == [place for place in range(300) if place % 3]


def test_large_pages_are_read_one_after_another() -> None:
    inside, most = 0, 0

    def large() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        threading.Event().wait(0.01)
        inside -= 1

    async def read() -> None:
        await asyncio.gather(*(one_after_another(large) for _ in range(4)))

    asyncio.run(read())
    assert most == 1
