"""Writes rows of values, in the form that the adapter takes, so that they can be made ready before the transaction.

An instance of a model costs as much as its insertion, and writers of SQLite wait for each other. `stored_moment` and
`stored_json` give that form; keys are reserved, so that rows can name each other before any of them is written.

All run in the caller's transaction and set no defaults: what is not named is NULL. `kit.rows` takes instances and plain
columns.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, cast

from django.db import connection, models
from django.db.transaction import TransactionManagementError

# SQLite takes 32,766 parameters a statement (since 3.32), PostgreSQL 65,535.
MOST_PARAMETERS = 30_000


def stored_moment(at: datetime | None) -> Any:
    """A time as the default database's adapter takes it; None stays None."""
    return None if at is None else _adapted_moment(at)


# A finding's time stands in several rows; and finding the connection costs more than what is asked of it.
@lru_cache(maxsize=1024)
def _adapted_moment(at: datetime) -> Any:
    return _adapter_of_moments()(at)


@cache
def _adapter_of_moments() -> Callable[[datetime], Any]:
    adapt: Callable[[datetime], Any] = connection.ops.adapt_datetimefield_value
    return adapt


def stored_json(value: Any) -> str:
    """A JSON value as text, which both databases take for a JSON column."""
    return json.dumps(value)


def reserve_keys(model: type[models.Model], number: int) -> list[int]:
    """Keys for so many new rows of `model`, in rising order, which no other writer gets. One query; none for 0.

    To be called in the transaction that inserts the rows. So a row can name another before either is written, and no
    key has to be read back: each row that SQLite returns is a step in which other threads may take the interpreter.
    PostgreSQL: from the sequence. SQLite: what follows the highest key ever used, which nobody else can use while this
    transaction holds the write lock. Keys of rows that are not inserted stay unused, or are given again (SQLite).
    """
    if not number:
        return []
    table, column = model._meta.db_table, str(key_of(model).column)
    if not connection.in_atomic_block:
        raise TransactionManagementError("reserve_keys() belongs in the transaction that inserts the rows")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)", [table, column, number]
            )
            return sorted(key for (key,) in cursor.fetchall())
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
    highest = row[0] if row else 0
    return list(range(highest + 1, highest + 1 + number))


def insert_values(
    model: type[models.Model],
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    ignore_conflicts: bool = False,
    replacing: str = "",
) -> int:
    """Inserts rows of values, in the order of `names` (attribute names); gives how many rows were written.

    With `ignore_conflicts` a row that a constraint refuses is left out. With `replacing`, the name of a unique field, a
    row that has its value is overwritten, except for its key; no two of `rows` may then have the same.
    """
    quote = connection.ops.quote_name
    columns = _columns(model, names)
    ending = " ON CONFLICT DO NOTHING" if ignore_conflicts else ""
    if replacing:
        (unique,) = _columns(model, [replacing])
        others = ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in columns if name != unique)
        ending = f" ON CONFLICT ({quote(unique)}) DO UPDATE SET {others}"
    written = 0
    with connection.cursor() as cursor:
        for part in in_statements(rows, len(columns)):
            beginning = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) VALUES "  # noqa: S608
            cursor.execute(
                beginning + places_for(part, len(columns)) + ending, [value for row in part for value in row]
            )
            written += cursor.rowcount
    return written


def update_values(model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Writes fields of rows that exist: each of `rows` has the key and then the values in the order of `names`.

    Where a key comes twice, the last one holds. SQLite: one statement; PostgreSQL: one statement, sent with all rows.
    """
    columns = _columns(model, names)
    key = connection.ops.quote_name(str(key_of(model).column))
    table = connection.ops.quote_name(model._meta.db_table)
    last = list({row[0]: row for row in rows}.values())
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql" and last:
            changes = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in columns)
            statement = f"UPDATE {table} SET {changes} WHERE {key} = %s"  # noqa: S608
            cursor.executemany(statement, [[*row[1:], row[0]] for row in last])
            return
        told = ", ".join(["k", *(f"v{place}" for place in range(len(columns)))])
        changes = ", ".join(f"{connection.ops.quote_name(name)} = v{place}" for place, name in enumerate(columns))
        for part in in_statements(last, len(columns) + 1):
            given = f"WITH given({told}) AS (VALUES {places_for(part, len(columns) + 1)}) "
            statement = f"UPDATE {table} SET {changes} FROM given WHERE {table}.{key} = given.k"  # noqa: S608
            cursor.execute(given + statement, [value for row in part for value in row])


def fields_of(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    """The fields of a model that have a column, in their order."""
    return cast("list[models.Field[Any, Any]]", list(model._meta.concrete_fields))


def key_of(model: type[models.Model]) -> "models.Field[Any, Any]":
    """The field of the primary key."""
    return next(field for field in fields_of(model) if field.primary_key)


def in_statements(rows: Sequence[Sequence[Any]], width: int) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows in as many parts as a statement takes, for so many parameters a row."""
    size = max(1, MOST_PARAMETERS // width)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def places_for(rows: Sequence[Sequence[Any]], width: int) -> str:
    """The placeholders of a VALUES list for these rows."""
    one = f"({', '.join(['%s'] * width)})"
    return ", ".join([one] * len(rows))


def _columns(model: type[models.Model], names: Sequence[str]) -> list[str]:
    by_name = {field.attname: str(field.column) for field in fields_of(model)}
    return [by_name[name] for name in names]
