"""Settings that must not go live are told, with the way out."""

import pytest
from django.core.checks import CheckMessage
from pytest_django import Settings

from provenance_site import checks

GOOD_KEY = "k" * 60


@pytest.fixture(autouse=True)
def _a_sound_installation(settings: Settings) -> None:
    settings.DEBUG = False
    settings.SECRET_KEY = GOOD_KEY
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
    settings.HTTPS = False
    settings.SAMPLE_PORT = 0


def found() -> list[CheckMessage]:
    return [*checks.secrets_are_secret(None), *checks.doors_are_closed(None)]


def ids() -> list[str | None]:
    assert all(message.hint for message in found())
    return [message.id for message in found()]


def test_a_sound_installation_is_not_bothered() -> None:
    assert ids() == []


@pytest.mark.parametrize("key", ["change-me", "change-me" * 10, "k" * 39])
def test_a_key_that_others_know_or_can_guess_stops_the_start(settings: Settings, key: str) -> None:
    settings.SECRET_KEY = key
    assert ids() == ["desk.E001"]
    assert found()[0].is_serious()


def test_the_sample_password_of_the_database_stops_the_start(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings.DATABASES["default"], "PASSWORD", "change-me")
    assert ids() == ["desk.E002"]
    assert found()[0].is_serious()


def test_any_host_name_is_a_warning(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert ids() == ["desk.W001"]
    assert not found()[0].is_serious()


@pytest.mark.parametrize("host", ["desk.example.org", ".example.org", "192.0.2.1", "[2001:db8::1]"])
def test_passwords_on_the_open_network_are_a_warning(settings: Settings, host: str) -> None:
    settings.ALLOWED_HOSTS = ["localhost", host]
    assert ids() == ["desk.W002"]
    assert host in found()[0].msg
    settings.HTTPS = True
    assert ids() == []


@pytest.mark.parametrize("host", ["localhost", "a.localhost", ".localhost", "127.0.0.9", "[::1]"])
def test_this_machine_alone_needs_no_https(settings: Settings, host: str) -> None:
    settings.ALLOWED_HOSTS = [host]
    assert ids() == []


def test_sample_publishers_in_a_live_site_are_a_warning(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.postgresql")
    settings.SAMPLE_PORT = 8010
    assert ids() == []
    settings.HTTPS = True
    assert ids() == ["desk.W003"]


def test_nobody_is_bothered_while_debugging(settings: Settings) -> None:
    settings.DEBUG = True
    settings.SECRET_KEY = "short"
    settings.ALLOWED_HOSTS = ["*"]
    assert ids() == []
