"""Rows of a stranger's SQLite file, read without running anything that the file brings along.

The file is opened read-only and immutable: nothing beside it is written, no lock is taken, no WAL is replayed. Only
real tables are read (the schema says `table`, and a root page proves that it is no virtual one) and of those only
stored columns: a generated column or a view can compute for ever. An authorizer refuses everything else, so that a view
or a trigger that was overlooked fails instead of running. Source: sqlite.org, “Defense Against The Dark Arts”.
"""

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sources.formats.format import Head, Unreadable

MAGIC = b"SQLite format 3\x00"
LONGEST_VALUE = 8 * 1024 * 1024
"""Bytes of the largest value that is read; a passage or a vector has thousands, not millions."""

_BEFORE_ALL = -(2**63)
# The module decodes SQLite's own messages, and a damaged schema is quoted in them.
_BROKEN = (sqlite3.Error, UnicodeDecodeError)
_LEAF = b"\x0d"
_SECONDS_A_ROW = 5.0
_STEPS_BETWEEN_LOOKS = 20_000
_COPY_AGAIN = "Close the program that uses it, copy the file again, and import the copy."
_RECOVER = "Rebuild it with “sqlite3 FILE .recover | sqlite3 NEW”, or take a backup, and import that."


@dataclass(frozen=True, slots=True)
class Damage:
    """A row, or all rows from one on, that could not be read. `row` is the row's number in its table, `reason` a
    sentence with the way out."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """The stored bytes of the columns that were asked for; None for NULL and for columns that the table lacks.

    Numbers stand as their digits. `number` is the row's id in the file (its rowid).
    """

    number: int
    values: dict[str, bytes | None]


class Tables:
    """The readable tables of one open file: `columns[name]` has their stored columns, in the table's order."""

    def __init__(self, connection: sqlite3.Connection, known: frozenset[str]) -> None:
        self._connection = connection
        self._patience = _Patience()
        connection.set_progress_handler(self._patience.is_over, _STEPS_BETWEEN_LOOKS)
        real = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall()
        self.others = sorted(name for (raw,) in real if (name := raw.decode(errors="replace")) not in known)
        self.columns: dict[str, tuple[str, ...]] = {}
        self._row_id: dict[str, str] = {}
        for name in sorted(known & {raw.decode(errors="replace") for (raw,) in real}):
            told = connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
            every = {_word(column[1]).lower() for column in told}
            self.columns[name] = tuple(_word(column[1]) for column in told if column[6] == 0)
            self._row_id[name] = next((free for free in ("rowid", "_rowid_", "oid") if free not in every), "")
        connection.set_authorizer(_only_reading(frozenset(self.columns)))

    def rows(self, table: str, wanted: tuple[str, ...]) -> Iterator[Row | Damage]:
        """Every row of `table` in the order of its row ids, with the `wanted` columns as far as the table has them.

        A value over `LONGEST_VALUE` costs its row only, and so does a row that is damaged by itself. Where a page is
        damaged, the rest of the table is given up: what lies behind it cannot be told from rubbish.
        """
        has = {column.lower(): column for column in self.columns[table]}
        read = {name: has[name] for name in wanted if name in has}
        row_id = self._row_id[table]
        if not row_id:
            yield Damage(0, f"Table “{table}” hides its row numbers, which no version of Harvey does. {_RECOVER}")
            return
        listed = ", ".join([row_id, *(_quoted(column) for column in read.values())])
        # NOT INDEXED: a covering index could be damaged, or be one over an expression.
        source = f"{_quoted(table)} NOT INDEXED"
        all_after = f"SELECT {listed} FROM {source} WHERE {row_id} > ? ORDER BY {row_id}"  # noqa: S608
        next_after = f"SELECT {row_id} FROM {source} WHERE {row_id} > ? ORDER BY {row_id} LIMIT 1"  # noqa: S608
        only = f"SELECT {listed} FROM {source} WHERE {row_id} = ?"  # noqa: S608
        last = _BEFORE_ALL
        while True:
            try:
                self._patience.begin()
                for number, *values in self._connection.execute(all_after, (last,)):
                    if number <= last:
                        # Pages that point to one another give the same rows again, up to 400 to the power of 18 times.
                        yield Damage(
                            last, f"Table “{table}” repeats itself after row {last}: it is damaged. {_RECOVER}"
                        )
                        return
                    last = number
                    yield Row(number, dict(zip(read, map(_stored, values), strict=True)))
                    self._patience.begin()
                return
            except _BROKEN as error:
                where = f"after row {last}" if last > _BEFORE_ALL else "at its first row"
                why = "it takes too long" if "interrupt" in str(error) else "the file is damaged there"
            # The module reads one row ahead, so the row after `last` may be a good one.
            self._patience.begin()
            try:
                found = self._connection.execute(next_after, (last,)).fetchone()
            except _BROKEN:
                found = None
            if not found or found[0] <= last:
                yield Damage(max(last, 0), f"Table “{table}” cannot be read {where}: {why}. {_RECOVER}")
                return
            (last,) = found
            try:
                values = self._connection.execute(only, (last,)).fetchone()[1:]
                yield Row(last, dict(zip(read, map(_stored, values), strict=True)))
            except sqlite3.DataError:
                yield Damage(
                    last,
                    f"Row {last} of table “{table}” holds a value of more than {LONGEST_VALUE // 2**20} MB. "
                    "Shorten it in the file, or leave the row out.",
                )
            except (*_BROKEN, TypeError):
                yield Damage(last, f"Row {last} of table “{table}” is damaged. {_RECOVER}")


@contextmanager
def opened(path: Path, known: frozenset[str]) -> Iterator[Tables]:
    """The tables of the file at `path` whose names are in `known`. The file and its folder stay as they are.

    Raises `Unreadable` for what is no SQLite file (an encrypted one has no readable beginning either), for one that is
    cut off, or whose last changes lie in a file beside it, and for one whose schema is damaged.
    """
    _check_whole(path)
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        try:
            connection.text_factory = bytes
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
                connection.execute(f"PRAGMA {pragma}")
            tables = Tables(connection, known)
        except _BROKEN:
            raise Unreadable(f"The list of tables in this SQLite file is damaged. {_RECOVER}") from None
        yield tables
    finally:
        connection.close()


def may_have_table(head: Head, name: str) -> bool:
    """Whether the beginning of an SQLite file tells of a table `name`. The schema's first page is looked at alone where
    it holds the whole schema: passages about databases, further on, quote such words too."""
    page = _page_size(head.data)
    schema = head.data[:page] if head.data[100:101] == _LEAF else head.data
    return bool(re.search(rb"CREATE TABLE [\"'`\[]?" + re.escape(name.encode()) + rb"\b", schema, re.IGNORECASE))


def _check_whole(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(100)
    if not head.startswith(MAGIC) or len(head) < 100:
        raise Unreadable("This is no SQLite file, or an encrypted one. Export it without a password and import that.")
    for ending, what in (("-wal", "its last changes are"), ("-journal", "an unfinished change is")):
        beside = path.with_name(path.name + ending)
        if beside.exists() and beside.stat().st_size:
            raise Unreadable(
                f"{what[0].upper()}{what[1:]} still in the file “{beside.name}” beside it: a program has it open, or "
                f"ended in the middle. {_COPY_AGAIN}"
            )
    pages = int.from_bytes(head[28:32], "big")
    # The count of pages is valid only where both change counters agree (file format 1.3.8).
    promised = _page_size(head) * pages if head[24:28] == head[92:96] else 0
    size = os.path.getsize(path)
    if size < promised:
        raise Unreadable(f"The file ends after {size:,} of {promised:,} bytes: a copy broke off. {_COPY_AGAIN}")


def _page_size(head: bytes) -> int:
    size = int.from_bytes(head[16:18], "big")
    return 65_536 if size == 1 else size


class _Patience:
    """Tells SQLite to stop where one row takes too long; the time between rows is the consumer's own."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._until = time.monotonic() + _SECONDS_A_ROW

    def is_over(self) -> int:
        return int(time.monotonic() > self._until)


def _only_reading(tables: frozenset[str]) -> Callable[[int, str | None, str | None, str | None, str | None], int]:
    def allowed(action: int, first: str | None, second: str | None, database: str | None, view: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT or (action == sqlite3.SQLITE_READ and first in tables and not view):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return allowed


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _word(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _stored(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return str(value).encode()
