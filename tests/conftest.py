"""Fixtures and rules of all tests: which database they touch, no way out of the machine, one moment in time."""

import gc
import os
import socket
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from tests import migrated, network, places, services
from tests.clock import NOW
from tests.desk import Desk, furnish

# Children of tests run the product as it is; this process has read its settings already.
os.environ["DJANGO_SETTINGS_MODULE"] = "provenance_site.settings"

_DATABASE_FIXTURES = frozenset({"db", "transactional_db", "django_db_setup", "live_server"})
_OWN_MARKERS = (
    "database: touches the database, so it runs on SQLite and on PostgreSQL (set by itself)",
    "postgres: is about PostgreSQL, so it runs nowhere else",
    "sqlite: is about SQLite, so it runs nowhere else",
)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers that choose a database."""
    for line in _OWN_MARKERS:
        config.addinivalue_line("markers", line)
    # Collecting makes a million objects that all live to the end; looking among them for garbage took a third of its
    # time, and as much again in every full collection while tests run.
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leaves what was collected out of garbage collections from here on."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests that touch the database, and leaves out those that are about the other one."""
    other = "sqlite" if connection.vendor == "postgresql" else "postgres"
    kept: list[pytest.Item] = []
    foreign: list[pytest.Item] = []
    for item in items:
        if _touches_database(item):
            item.add_marker("database")
        (foreign if item.get_closest_marker(other) else kept).append(item)
    lost = places.strays(items)
    if lost:
        raise pytest.UsageError(f"By tests.places the phases of these would not find them: {lost}")
    if foreign:
        config.hook.pytest_deselected(items=foreign)
        items[:] = kept


def _touches_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    owner = getattr(item, "cls", None)
    return (
        item.get_closest_marker("django_db") is not None
        or bool(fixtures & _DATABASE_FIXTURES)
        or (isinstance(owner, type) and issubclass(owner, TransactionTestCase))
    )


@pytest.fixture(autouse=True, scope="session")
def _no_way_out() -> Iterator[None]:
    """No test connects to another machine or asks a name server; see `tests.network`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", network.guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", network.guarded(socket.socket.connect_ex))
        patch.setattr(socket, "getaddrinfo", network.local_names_only(socket.getaddrinfo))
        yield


@pytest.fixture(scope="session")
def _migrating(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: DjangoDbBlocker,
    django_db_use_migrations: bool,
    django_db_modify_db_settings_parallel_suffix: None,
) -> Iterator[migrated.Turn | None]:
    """This process's turn to migrate or to take a copy; None where no other process could use one."""
    if not hasattr(request.config, "workerinput") or not django_db_use_migrations:
        yield None
        return
    turn = migrated.Turn(tmp_path_factory.getbasetemp().parent)
    turn.begin()
    yield turn
    with django_db_blocker.unblock():
        turn.clear()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool, _migrating: migrated.Turn | None) -> bool:
    """Lets a copied file stand when the database is made; it goes with the process's data folder."""
    return django_db_keepdb or (_migrating is not None and _migrating.copied and connection.vendor == "sqlite")


@pytest.fixture(scope="session")
def django_db_setup(
    _migrating: migrated.Turn | None, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> None:
    """The database of this process, migrated once for all processes of the run; see `tests.migrated`."""
    if _migrating is not None:
        with django_db_blocker.unblock():
            _migrating.end()


@pytest.fixture
def now() -> datetime:
    """The moment at which tests take place; the same constant as `tests.clock.NOW`."""
    return NOW


@pytest.fixture
def desk(db: Any) -> Desk:
    """A workspace with one person per role; `desk.client(Role.EDITOR)` gives a signed-in client."""
    return furnish("Harbour desk")


@pytest.fixture
def other_desk(db: Any) -> Desk:
    """Another workspace with people of its own, of which nobody of `desk` may see anything."""
    return furnish("Stranger desk")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a real PostgreSQL server; skips with the reason where there is none."""
    with services.postgres() as url:
        if isinstance(url, services.Missing):
            pytest.skip(url.reason)
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty database of its own on a real PostgreSQL."""
    with services.database_on(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a real server of Redis's protocol; skips with the reason where there is none."""
    with services.redis_server() as url:
        if isinstance(url, services.Missing):
            pytest.skip(url.reason)
        yield url
