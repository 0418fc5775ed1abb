"""What the site tells machines about itself."""

from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import Settings

from provenance_site import readiness
from provenance_site.readiness import Answer


@pytest.fixture
def queue(settings: Settings, tmp_path: Path) -> Path:
    settings.BROKER_URL = ""
    settings.QUEUE_DIR = tmp_path
    return tmp_path


@pytest.mark.django_db
def test_a_complete_installation_is_ready(queue: Path) -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert answer.json()["parts"] == {"database": "ok", "migrations": "ok", "queue": "ok"}


@pytest.mark.django_db
def test_a_missing_migration_is_told(queue: Path) -> None:
    MigrationRecorder.Migration.objects.filter(app="jobs").delete()
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"] == {"database": "ok", "migrations": "not migrated", "queue": "ok"}


@pytest.mark.django_db
def test_a_missing_queue_folder_is_told_unless_there_is_a_broker(queue: Path, settings: Settings) -> None:
    settings.QUEUE_DIR = queue / "none"
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"]["queue"] == "not writable"
    settings.BROKER_URL = "redis://user:secret@broker.example:6379/0"
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert b"secret" not in answer.content


def test_a_database_that_is_down_is_told_without_its_name(queue: Path) -> None:
    with mock.patch.object(connection, "cursor", side_effect=OperationalError("password of desk@db.example wrong")):
        answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"] == {"database": "not reachable", "migrations": "not looked at", "queue": "ok"}
    assert b"desk@db" not in answer.content


def test_health_asks_nobody() -> None:
    """No database fixture: a query would fail the test."""
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert django_settings.SESSION_COOKIE_NAME not in answer.cookies
    assert Client().post("/healthz").status_code == 405


@pytest.mark.parametrize(
    ("vendor", "version", "warned"),
    [
        ("sqlite", (3, 40, 1), True),
        ("sqlite", (3, 51, 2), True),
        ("sqlite", (3, 51, 3), False),
        ("sqlite", (3, 53, 0), False),
        ("postgresql", (3, 40, 1), False),
    ],
)
def test_an_sqlite_older_than_its_repair_is_noted(vendor: str, version: tuple[int, ...], warned: bool) -> None:
    assert bool(readiness.sqlite_notes(vendor=vendor, version=version)) is warned


def test_ready_means_every_part() -> None:
    assert readiness.Readiness({"a": Answer.OK}, ("a note",)).ready
    assert not readiness.Readiness({"a": Answer.OK, "b": Answer.UNKNOWN}, ()).ready
