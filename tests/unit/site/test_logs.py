"""Passwords inside addresses reach no log line."""

import logging
import sys

import pytest
from django.conf import settings
from django.test import Client

from provenance_site.logs import Line, NoSecrets, without_userinfo
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://anna:hunter2@harbour.org/a", "https://***@harbour.org/a"),
        ("redis://:hunter2@redis:6379/0 and http://b@c.org", "redis://***@redis:6379/0 and http://***@c.org"),
        ("no address, but an@address.org", "no address, but an@address.org"),
        ("https://harbour.org/a@b", "https://harbour.org/a@b"),
    ],
)
def test_user_and_password_are_masked(text: str, clean: str) -> None:
    assert without_userinfo(text) == clean


def test_a_record_is_kept_without_its_secret() -> None:
    record = logging.LogRecord("x", logging.INFO, "f", 1, "fetching %s", ("https://anna:hunter2@harbour.org/",), None)
    assert NoSecrets().filter(record)
    assert record.getMessage() == "fetching https://***@harbour.org/"


def test_a_traceback_is_kept_without_its_secret() -> None:
    try:
        raise ConnectionError("no answer from https://anna:hunter2@harbour.org/")
    except ConnectionError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "a search failed", None, sys.exc_info())
    told = Line().format(record)
    assert "no answer from https://***@harbour.org/" in told
    assert "hunter2" not in told
    assert settings.LOGGING["formatters"]["line"]["()"] == f"{Line.__module__}.{Line.__qualname__}"


@pytest.mark.parametrize("piece", ["a", "a.", "a:", "/a", "://a", "://", "@", "a@"])
def test_a_stranger_s_long_address_costs_its_share(piece: str) -> None:
    """What is not there is logged as it was asked for, before anybody signs in."""
    assert_linear(lambda path: Client().get("/" + path), piece, 16_000)
