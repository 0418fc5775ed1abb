"""Writes many rows at the price of the database rather than of the ORM.

`bulk_create` and `bulk_update` resolve and compile an expression per row and field: two thirds of what a check cost on
the side of the database, most of it while the write lock of SQLite was held. These take plain values only, set no
defaults of the database, and run in the caller's transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar, cast

from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper

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


def update_rows(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Writes these fields of rows of one model that exist, like `bulk_update`: one statement, sent with all values."""
    if not rows:
        return
    model, connection = _places(rows)
    quote = connection.ops.quote_name
    by_name = {field.name: field for field in _fields(model)}
    key = next(field for field in by_name.values() if field.primary_key)
    changed = [by_name[name] for name in fields]
    assignments = ", ".join(f"{quote(str(column.column))} = %s" for column in changed)
    statement = f"UPDATE {quote(model._meta.db_table)} SET {assignments} WHERE {quote(str(key.column))} = %s"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.executemany(statement, _values(rows, [*changed, key], connection))


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
