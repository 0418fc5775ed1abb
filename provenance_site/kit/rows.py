"""Writes many rows at the price of the database rather than of the ORM.

`bulk_create` and `bulk_update` resolve and compile an expression per row and field: two thirds of what a check cost on
the side of the database, most of it while the write lock of SQLite was held. These take plain values only, set no
defaults of the database, and run in the caller's transaction. `…_rows` take instances of a model; `…_values` take rows
of values in the form that the adapter takes (`stored_moment`, `stored_json`), which can be made ready before the
transaction: an instance costs as much as its insertion.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

from django.db import connection, connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.transaction import TransactionManagementError

T = TypeVar("T")

# SQLite takes 32,766 parameters a statement (since 3.32), PostgreSQL 65,535.
_MOST_PARAMETERS = 30_000
# Such values in such fields are what the adapter takes; asking the field about each one costs a third of a write.
_TAKEN_AS_THEY_ARE = (models.CharField, models.TextField, models.IntegerField, models.BooleanField, models.ForeignKey)
_PLAIN = (str, int)


def in_parts(values: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """The values in their order, in lists of at most `size`: as many as a statement takes as parameters."""
    ordered = list(values)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


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
    table, column = model._meta.db_table, str(_key_of(model).column)
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
        for part in _statements(rows, len(columns)):
            beginning = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) VALUES "  # noqa: S608
            cursor.execute(
                beginning + _places_for(part, len(columns)) + ending, [value for row in part for value in row]
            )
            written += cursor.rowcount
    return written


def update_values(model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Writes fields of rows that exist: each of `rows` has the key and then the values in the order of `names`.

    Where a key comes twice, the last one holds. SQLite: one statement; PostgreSQL: one statement, sent with all rows.
    """
    columns = _columns(model, names)
    key = connection.ops.quote_name(str(_key_of(model).column))
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
        for part in _statements(last, len(columns) + 1):
            given = f"WITH given({told}) AS (VALUES {_places_for(part, len(columns) + 1)}) "
            statement = f"UPDATE {table} SET {changes} FROM given WHERE {table}.{key} = given.k"  # noqa: S608
            cursor.execute(given + statement, [value for row in part for value in row])


def update_rows(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Writes these fields of rows of one model that exist, like `bulk_update`."""
    if not rows:
        return
    model, there = _places(rows)
    by_name = {field.name: field for field in _fields(model)}
    changed = [by_name[name] for name in fields]
    names = [column.attname for column in changed]
    update_values(model, names, _values(rows, [_key_of(model), *changed], there))


def insert_rows(rows: Sequence[models.Model], *, ignore_conflicts: bool = False) -> None:
    """Inserts rows of one model that have no key yet, like `bulk_create`, and sets their keys.

    With `ignore_conflicts` a row that a constraint refuses is left out, and no keys are set.
    """
    if not rows:
        return
    model, connection = _places(rows)
    quote = connection.ops.quote_name
    columns = [field for field in _fields(model) if not field.primary_key]
    key = next(field for field in _fields(model) if field.primary_key)
    names = ", ".join(quote(str(column.column)) for column in columns)
    one = f"({', '.join(['%s'] * len(columns))})"
    ending = "ON CONFLICT DO NOTHING" if ignore_conflicts else f"RETURNING {quote(str(key.column))}"
    size = max(1, _MOST_PARAMETERS // len(columns))
    with connection.cursor() as cursor:
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES {', '.join([one] * len(part))} "  # noqa: S608
            values = _values(part, columns, connection)
            cursor.execute(statement + ending, [value for row in values for value in row])
            if ignore_conflicts:
                continue
            for row, (pk,) in zip(part, cursor.fetchall(), strict=True):
                row.pk = pk
                row._state.adding, row._state.db = False, connection.alias


def _places(rows: Sequence[models.Model]) -> tuple[type[models.Model], BaseDatabaseWrapper]:
    model = type(rows[0])
    return model, connections[router.db_for_write(model) or "default"]


def _key_of(model: type[models.Model]) -> "models.Field[Any, Any]":
    return next(field for field in _fields(model) if field.primary_key)


def _columns(model: type[models.Model], names: Sequence[str]) -> list[str]:
    by_name = {field.attname: str(field.column) for field in _fields(model)}
    return [by_name[name] for name in names]


def _statements(rows: Sequence[Sequence[Any]], width: int) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows in as many parts as a statement takes."""
    size = max(1, _MOST_PARAMETERS // width)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _places_for(rows: Sequence[Sequence[Any]], width: int) -> str:
    one = f"({', '.join(['%s'] * width)})"
    return ", ".join([one] * len(rows))


def _fields(model: type[models.Model]) -> list["models.Field[Any, Any]"]:
    return cast("list[models.Field[Any, Any]]", list(model._meta.concrete_fields))


def _values(
    rows: Sequence[models.Model], columns: Sequence["models.Field[Any, Any]"], connection: BaseDatabaseWrapper
) -> list[list[Any]]:
    """The values of these columns as the database's adapter takes them."""
    prepare = [(column.attname, isinstance(column, _TAKEN_AS_THEY_ARE), column) for column in columns]
    moments: dict[datetime, Any] = {}  # most rows of one write share theirs

    def prepared(column: "models.Field[Any, Any]", value: Any) -> Any:
        if type(value) is datetime and isinstance(column, models.DateTimeField):
            if value not in moments:
                moments[value] = connection.ops.adapt_datetimefield_value(value)
            return moments[value]
        return column.get_db_prep_save(value, connection)

    return [
        [
            value
            if (value := getattr(row, name)) is None or (is_plain and isinstance(value, _PLAIN))
            else prepared(column, value)
            for name, is_plain, column in prepare
        ]
        for row in rows
    ]
