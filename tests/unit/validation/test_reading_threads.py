"""Pages are read beside the event loop, and by nobody while a worker's short transaction is open."""

import asyncio
import threading

import pytest

from validation.services.reading import beside_the_loop, readers_stand_aside


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
