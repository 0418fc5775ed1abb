"""Ways to disturb a deed: a database that fails at each statement in turn, and several people at the same moment."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, TypeVar

from django.db import DatabaseError, connection, transaction

from tests.architecture.packages import our_models

T = TypeVar("T")
_WAIT_S = 30.0
_MEETING_S = 0.2


class Injected(DatabaseError):
    """The fault that a test put in."""


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of ours: equal before and after a deed that did nothing."""
    return {model._meta.label: list(model._base_manager.order_by("pk").values_list()) for model in our_models()}


@contextmanager
def failing_at(number: int) -> Iterator[None]:
    """Lets the `number`-th database statement of the block raise `Injected`; statements that undo it run."""
    statements = count(1)

    def fail(execute: Callable[..., Any], *args: Any) -> Any:
        if next(statements) == number:
            raise Injected(f"statement {number}")
        return execute(*args)

    with connection.execute_wrapper(fail):
        yield


def faults_until_done(deed: Callable[[], object]) -> int:
    """Runs `deed` with a fault at its 1st, 2nd, 3rd … statement until it passes; gives how many faults there were.

    After each fault every table holds what it held before.
    """
    before = everything()
    for number in count(1):
        try:
            with failing_at(number):
                deed()
        except Injected:
            assert everything() == before, f"a fault at statement {number} left something behind"
        else:
            return number - 1
    raise AssertionError  # `count` has no end


def together(*deeds: Callable[[], T], meet_before: str | tuple[str, ...] = "") -> list[T | Exception]:
    """What each deed gave or raised, in their order; each ran in a thread of its own, all let go at one moment.

    With `meet_before` every statement that begins so (in one of these ways) is held until all threads have come that
    far: what they decided on is then out of date, unless something kept them apart. Who is kept apart never comes, so
    nobody waits for long.
    """
    start, meeting = threading.Barrier(len(deeds)), threading.Barrier(len(deeds))
    results: list[T | Exception] = [AssertionError("the thread did not end")] * len(deeds)

    def meet(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if meet_before and sql.startswith(meet_before):
            with suppress(threading.BrokenBarrierError):
                meeting.wait(_MEETING_S)
        return execute(sql, *args)

    def run(place: int) -> None:
        try:
            start.wait(_WAIT_S)
            with connection.execute_wrapper(meet):
                results[place] = deeds[place]()
        except Exception as raised:  # noqa: BLE001  # handed to the test, which knows what may be raised
            results[place] = raised
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(deeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_WAIT_S)
    return results


def one_in_the_other(first: Callable[[], T], second: Callable[[], T]) -> list[T | Exception]:
    """What both gave or raised, where `second` begins while the transaction of `first` is written and not ended: on
    PostgreSQL it comes as far as something of the first's keeps it waiting; SQLite has one writer."""
    written, following = threading.Event(), threading.Event()

    def hold() -> T:
        with transaction.atomic():
            done = first()
            written.set()
            following.wait(_WAIT_S)
            if connection.vendor == "postgresql":
                threading.Event().wait(_MEETING_S)
        return done

    def follow() -> T:
        written.wait(_WAIT_S)
        following.set()
        return second()

    return together(hold, follow)
