"""How much work SQLite does for an answer, in instructions of its machine: the same on every run and every machine."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_EVERY = 100


class Effort:
    """What was counted so far, in hundreds of instructions."""

    hundreds = 0


@contextmanager
def counted_effort() -> Iterator[Effort]:
    """Counts the instructions of all statements inside. SQLite alone can tell."""
    effort = Effort()

    def tick() -> int:
        effort.hundreds += 1
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(tick, _EVERY)
    try:
        yield effort
    finally:
        connection.connection.set_progress_handler(None, 0)
