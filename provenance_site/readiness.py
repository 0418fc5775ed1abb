"""Whether this installation can work: what `/readyz` and the command line tell. No secrets, no names, no addresses."""

import os
import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

# Two connections that write and checkpoint at one moment can corrupt a WAL database before this version.
SQLITE_WITHOUT_WAL_RESET_BUG = (3, 51, 3)


class Answer(StrEnum):
    """What came of looking at one part."""

    OK = "ok"
    NOT_REACHABLE = "not reachable"
    NOT_MIGRATED = "not migrated"
    NOT_WRITABLE = "not writable"
    UNKNOWN = "not looked at"


@dataclass(frozen=True, slots=True)
class Readiness:
    """The parts and their answers, and what an operator should know although it works."""

    parts: dict[str, Answer]
    notes: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """True where every part is fine."""
        return all(answer is Answer.OK for answer in self.parts.values())


def look() -> Readiness:
    """Asks the database, compares its migrations with the code's (20 ms), and looks for the queue. Never raises."""
    database = _database()
    migrations = _migrations() if database is Answer.OK else Answer.UNKNOWN
    return Readiness(
        parts={"database": database, "migrations": migrations, "queue": _queue()},
        notes=tuple(sqlite_notes(vendor=connection.vendor, version=sqlite3.sqlite_version_info)),
    )


def sqlite_notes(*, vendor: str, version: tuple[int, ...]) -> list[str]:
    """A warning for an SQLite that is older than its repair; a message at every start would only be noise."""
    if vendor != "sqlite" or version >= SQLITE_WITHOUT_WAL_RESET_BUG:
        return []
    needed = ".".join(map(str, SQLITE_WITHOUT_WAL_RESET_BUG))
    return [
        f"SQLite is older than {needed}; in very rare cases it can damage a database. Keep backups, or use PostgreSQL."
    ]


def _database() -> Answer:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return Answer.NOT_REACHABLE
    return Answer.OK


def _migrations() -> Answer:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return Answer.NOT_REACHABLE
    return Answer.NOT_MIGRATED if missing else Answer.OK


def _queue() -> Answer:
    # A broker of its own is only a doorbell: without it work waits, and the sweeper finds it. So it is not asked here.
    if settings.BROKER_URL:
        return Answer.OK
    folder = Path(settings.QUEUE_DIR)
    return Answer.OK if folder.is_dir() and os.access(folder, os.W_OK) else Answer.NOT_WRITABLE
