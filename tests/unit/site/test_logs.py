"""Passwords inside addresses reach no log line."""

import logging

import pytest

from provenance_site.logs import NoSecrets, without_userinfo


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
