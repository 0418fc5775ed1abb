"""Typed readers of the environment; each name read here is documented in `.env.example` (a test compares them)."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class BadEnvironment(ValueError):
    """An environment variable holds something that cannot be used; the message names it and what it takes."""


def text(name: str, default: str = "") -> str:
    """The variable without surrounding space, or `default` where unset or empty."""
    return os.environ.get(name, "").strip() or default


def number(name: str, default: int) -> int:
    """The variable as a whole number."""
    raw = text(name)
    try:
        return int(raw) if raw else default
    except ValueError:
        raise BadEnvironment(f"{name} takes a whole number, not {raw!r}") from None


def flag(name: str, default: bool) -> bool:
    """The variable as yes or no: 1/true/yes/on, 0/false/no/off."""
    raw = text(name).lower()
    if not raw:
        return default
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise BadEnvironment(f"{name} takes 1 or 0, not {raw!r}")


def words(name: str, default: str = "") -> list[str]:
    """The variable as a list of comma-separated words."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def folder(name: str, default: Path) -> Path:
    """The variable as an absolute folder path (not created here)."""
    return Path(text(name, str(default))).expanduser().resolve()


def database(name: str, sqlite_file: Path) -> dict[str, Any]:
    """Django's settings for one database, from a `postgresql://user:password@host:port/name?option=…` URL.

    Without the variable: SQLite in `sqlite_file`, as measured for web and worker writing together (WAL, IMMEDIATE
    transactions, a long time-out: no "database is locked" in 46,000 writes; Django's defaults gave thousands). 60 s,
    since the commit of the largest import, 50,000 references, holds the write lock for 23 s (`benchmarks.lists`).

    On PostgreSQL statements are not compiled (`jit`): the planner takes walks and clearance for much dearer than they
    are, and compiled for longer than it then worked (60,000 sources, read with low clearance: 13 to 19 s a page, 5 to
    7 s without). An `options` in the URL stands in its place, also an empty one, for a pooler that takes none.
    """
    url = text(name)
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": sqlite_file,
            "CONN_MAX_AGE": 600,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 60,
                # Before each statement of many rows SQLite copies what it will change, to a file as soon as that is
                # 64 KB: 25,000 writes to it in a run over 2,000 sources, as many as to the database (strace). In memory
                # it is gone when the statement ends. A hundred findings change 650 pages; of SQLite's usual 2 MB they
                # are pushed out and read again, and its usual 1,000 pages of log were copied back after almost each of
                # them.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
                "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-4000; PRAGMA wal_autocheckpoint=4000;",
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise BadEnvironment(f"{name} takes postgresql://user:password@host:port/database")
    told = dict(parse_qsl(parts.query, keep_blank_values=True))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {name: value for name, value in {"options": "-c jit=off", **told}.items() if value},
    }


def mail_server(name: str) -> dict[str, Any]:
    """Django's settings for a mail server, from `smtp://user:password@host:port` (STARTTLS), `smtps://…` (TLS from the
    start) or `smtp+plain://…` (no TLS, for a server on the same machine). {} without the variable: nothing is mailed.
    """
    url = text(name)
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadEnvironment(f"{name} has no usable port") from None
    ports = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
    if parts.scheme not in ports or not parts.hostname:
        raise BadEnvironment(f"{name} takes smtp://user:password@host:port, smtps://… or smtp+plain://…")
    return {
        "host": parts.hostname,
        "port": port or ports[parts.scheme],
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "starttls": parts.scheme == "smtp",
        "tls": parts.scheme == "smtps",
    }
