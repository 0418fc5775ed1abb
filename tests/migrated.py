"""The migrated database of a run: the first of its processes makes it, the others begin with a copy.

Migrating takes as much CPU as some hundred tests, and each process would come to the very same tables. Whoever begins
with a copy is migrated like everybody else; there is only nothing left to do.
"""

import fcntl
import os
import shutil
from pathlib import Path

from django.db import connection

_LOCK = "migrated.lock"
_FILE = "migrated.sqlite3"
_NAME = "migrated.name"


class Turn:
    """The turn of one process among those that share `folder`. From `begin` to `end` the others wait.

    `copied` says whether its database begins as a copy. A process that dies on the way leaves its turn.
    """

    def __init__(self, folder: Path) -> None:
        self._file, self._name = folder / _FILE, folder / _NAME
        self._lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        self.copied = False

    def begin(self) -> None:
        """Waits for its turn; the test database, which is still to be made, begins as the copy where there is one."""
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        test = connection.settings_dict["TEST"]
        if self._file.exists():
            shutil.copyfile(self._file, test["NAME"])
            self.copied = True
        elif self._name.exists():
            test["TEMPLATE"] = self._name.read_text(encoding="utf-8")
            self.copied = True

    def end(self) -> None:
        """Keeps the test database, which is migrated by now and empty, as the copy, if it is the first."""
        if not self.copied and connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("VACUUM INTO %s", [str(self._file)])
        elif not self.copied:
            ours = connection.settings_dict["NAME"]
            copy = f"{ours}_migrated"
            connection.close()  # PostgreSQL copies no database that somebody is connected to
            _on_server("DROP DATABASE IF EXISTS {}", copy)
            _on_server("CREATE DATABASE {} TEMPLATE {}", copy, ours)
            self._name.write_text(copy, encoding="utf-8")
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def clear(self) -> None:
        """Leaves no copy of its own on a server that goes on after the run; who comes later migrates."""
        if not self.copied and self._name.exists():
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            copy = self._name.read_text(encoding="utf-8")
            self._name.unlink()
            _on_server("DROP DATABASE IF EXISTS {}", copy)
        os.close(self._lock)


def _on_server(statement: str, *names: str) -> None:
    with connection._nodb_cursor() as cursor:  # Django's own way to a server's other databases
        cursor.execute(statement.format(*(connection.ops.quote_name(name) for name in names)))
