"""Writes many rows at the price of the database rather than of the ORM.

`bulk_create` and `bulk_update` resolve and compile an expression per row and field: two thirds of what a check cost on
the side of the database, most of it while the write lock of SQLite was held. These take plain values only, set no
defaults of the database, and run in the caller's transaction. `kit.values` has the same for values that were made ready
before it.

PostgreSQL is sent one array a column, SQLite a parameter a value: to read a statement with ten thousand placeholders
took psycopg longer than the server took to write the rows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar, cast
from uuid import UUID

from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper

from provenance_site.kit.values import fields_of, in_statements, key_of, places_for, update_values

T = TypeVar("T")

_MOST_ROWS = 5_000
# Such values in such fields are what the adapter takes; asking the field about each one costs a third of a write.
_TAKEN_AS_THEY_ARE = (models.CharField, models.TextField, models.IntegerField, models.BooleanField, models.ForeignKey)
_PLAIN = frozenset({str, int, bool, type(None)})


def in_parts(values: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """The values in their order, in lists of at most `size`: as many as a statement takes as parameters."""
    ordered = list(values)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def update_rows(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Writes these fields of rows of one model that exist, like `bulk_update`: one statement, see `update_values`."""
    if not rows:
        return
    model = type(rows[0])
    connection = _connection(model)
    by_name = {field.name: field for field in fields_of(model)}
    changed = [by_name[name] for name in fields]
    told = [
        _prepared(field, [getattr(row, field.attname) for row in rows], connection)
        for field in [key_of(model), *changed]
    ]
    update_values(model, [field.attname for field in changed], list(zip(*told, strict=True)))


def insert_rows(rows: Sequence[models.Model], *, ignore_conflicts: bool = False) -> None:
    """Inserts rows of one model that have no key yet, like `bulk_create`, and sets their keys.

    With `ignore_conflicts` a row that a constraint refuses is left out, and no keys are set.
    """
    if not rows:
        return
    model = type(rows[0])
    connection = _connection(model)
    columns = {field: [getattr(row, field.attname) for row in rows] for field in _columns(model)}
    keys = _insert(model, connection, columns, ignore_conflicts=ignore_conflicts)
    for row, pk in zip(rows, keys, strict=not ignore_conflicts):
        row.pk = pk
        row._state.adding, row._state.db = False, connection.alias


def insert_columns(
    model: type[models.Model],
    each: Mapping[str, Sequence[Any]],
    *,
    same: Mapping[str, Any],
    ignore_conflicts: bool = False,
) -> list[int]:
    """Inserts rows that no instances are made for, and gives their keys in the order of the rows.

    `each` has one value a row by the field's attname, `same` one for all of them. Every other field has its default,
    which is the same in all rows too: a unique field must be given. With `ignore_conflicts` a row that a constraint
    refuses is left out, and no keys are given. ValueError for columns of unequal length, or that the model has not.
    """
    fields = {field.attname: field for field in _columns(model)}
    if unknown := (each.keys() | same.keys()) - fields.keys():
        raise ValueError(f"{model.__name__} has no {', '.join(sorted(unknown))}")
    if len(lengths := {len(values) for values in each.values()}) != 1:
        raise ValueError(f"columns of unequal length: {sorted(lengths)}")
    if 0 in lengths:
        return []
    columns = {fields[name]: values for name, values in each.items()}
    constants = {
        field: same[name] if name in same else field.get_default() for name, field in fields.items() if name not in each
    }
    return _insert(model, _connection(model), columns, constants, ignore_conflicts=ignore_conflicts)


def _insert(
    model: type[models.Model],
    connection: BaseDatabaseWrapper,
    columns: Mapping["models.Field[Any, Any]", Sequence[Any]],
    constants: Mapping["models.Field[Any, Any]", Any] | None = None,
    *,
    ignore_conflicts: bool,
) -> list[int]:
    """Writes columns of values and values that are the same in every row; gives the keys unless conflicts are ignored.

    The server answers in the order in which it inserts, and inserts in the order in which it was told.
    """
    quote = connection.ops.quote_name
    each = [_prepared(field, values, connection) for field, values in columns.items()]
    same = [_prepared(field, [value], connection)[0] for field, value in (constants or {}).items()]
    fields = [*columns, *(constants or {})]
    names = ", ".join(quote(str(field.column)) for field in fields)
    into = f"INSERT INTO {quote(model._meta.db_table)} ({names})"
    ending = "ON CONFLICT DO NOTHING" if ignore_conflicts else f"RETURNING {quote(str(key_of(model).column))}"
    count = len(each[0])
    keys: list[int] = []
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            types = [_type_of(field, connection) for field in fields]
            arrays = ", ".join(f"%s::{kind}[]" for kind in types[: len(each)])
            others = "".join(f", %s::{kind}" for kind in types[len(each) :])
            statement = f"{into} SELECT told.*{others} FROM unnest({arrays}) AS told {ending}"  # noqa: S608
            for start in range(0, count, _MOST_ROWS):
                cursor.execute(statement, [*same, *(_array(values[start : start + _MOST_ROWS]) for values in each)])
                keys += [] if ignore_conflicts else [pk for (pk,) in cursor.fetchall()]
        else:
            rows = [(*row, *same) for row in zip(*each, strict=True)]
            for part in in_statements(rows, len(fields)):
                statement = f"{into} VALUES {places_for(part, len(fields))} {ending}"
                cursor.execute(statement, [value for row in part for value in row])
                keys += [] if ignore_conflicts else [pk for (pk,) in cursor.fetchall()]
    return keys


def _array(values: list[Any]) -> Any:
    """A column as PostgreSQL writes arrays, in one text: psycopg takes each quote in each value by itself. What is none
    of these types goes to it as it is."""
    told = [_WRITERS.get(type(value), _not_known)(value) for value in values]
    return values if None in told else "{" + ",".join(cast("list[str]", told)) + "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _not_known(_: Any) -> None:
    return None


_WRITERS: dict[type, Callable[[Any], str | None]] = {
    type(None): lambda _: "NULL",
    str: _quoted,
    int: str,
    bool: lambda value: "true" if value else "false",
    UUID: str,
    datetime: lambda value: f'"{value.isoformat()}"',
}


def _connection(model: type[models.Model]) -> BaseDatabaseWrapper:
    return connections[router.db_for_write(model) or "default"]


def _columns(model: type[models.Model]) -> list["models.Field[Any, Any]"]:
    return [field for field in fields_of(model) if not field.primary_key]


def _type_of(field: "models.Field[Any, Any]", connection: BaseDatabaseWrapper) -> str:
    """The column's type for a cast, without its length: such a cast would shorten what is too long instead of
    refusing it."""
    return re.sub(r"\([^)]*\)", "", str(field.db_type(connection)))


def _prepared(field: "models.Field[Any, Any]", values: Sequence[Any], connection: BaseDatabaseWrapper) -> list[Any]:
    """The values of a column as the database's adapter takes them."""
    is_plain, is_moment = isinstance(field, _TAKEN_AS_THEY_ARE), isinstance(field, models.DateTimeField)
    moments: dict[datetime, Any] = {}  # most rows of one write share theirs

    def prepared(value: Any) -> Any:
        if is_plain and isinstance(value, str | int):
            return value.value if isinstance(value, Enum) else value
        if is_moment and type(value) is datetime:
            if value not in moments:
                moments[value] = connection.ops.adapt_datetimefield_value(value)
            return moments[value]
        if value is None:
            return None
        told = field.get_db_prep_save(value, connection)
        # On PostgreSQL a value of JSON is wrapped; as text it goes into an array like any other.
        return told.dumps(told.obj) if isinstance(field, models.JSONField) and hasattr(told, "dumps") else told

    return [value if is_plain and type(value) in _PLAIN else prepared(value) for value in values]
