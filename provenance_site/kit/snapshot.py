"""Many reads of one state: what others write meanwhile is not seen, and nobody waits."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_state() -> Iterator[None]:
    """Every read inside sees the database as it was at the first one. For reads alone; inside a transaction of the
    caller that one's state holds, as it is.

    PostgreSQL: a read-only transaction, REPEATABLE READ. SQLite: a deferred transaction, which under WAL holds a state
    and no lock; Django's own would take the write lock at once (`transaction_mode` IMMEDIATE).
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
