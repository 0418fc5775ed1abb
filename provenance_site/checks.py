"""System checks: combinations of settings that must not go live. Run by every management command, before anything else.

Errors stop the start; warnings are printed. With DEBUG on nobody is protected anyway, and the checks are silent.
"""

import ipaddress
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

# What `.env.example` shows in the place of a secret.
SAMPLE_SECRET = "change-me"  # noqa: S105
SECRET_KEY_LENGTH = 40


@register(Tags.security)
def secrets_are_secret(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E001 the key that signs sessions is short or the sample's; E002 so is the database's password."""
    if settings.DEBUG:
        return []
    found: list[CheckMessage] = []
    if SAMPLE_SECRET in settings.SECRET_KEY or len(settings.SECRET_KEY) < SECRET_KEY_LENGTH:
        found.append(
            Error(
                f"DESK_SECRET_KEY is the sample value or shorter than {SECRET_KEY_LENGTH} characters.",
                hint="Leave it empty (one is made and kept in the data folder), or set one from: "
                'python -c "import secrets; print(secrets.token_urlsafe(50))"',
                id="desk.E001",
            )
        )
    if settings.DATABASES["default"].get("PASSWORD") == SAMPLE_SECRET:
        found.append(
            Error(
                "The database password is the sample value.",
                hint="Give the database user a password of its own and write it into DESK_DATABASE_URL.",
                id="desk.E002",
            )
        )
    return found


@register(Tags.security)
def doors_are_closed(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """W001 any host name is answered; W002 no HTTPS beyond this machine; W003 the sample publishers in a live site."""
    if settings.DEBUG:
        return []
    found: list[CheckMessage] = []
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            Warning(
                "DESK_ALLOWED_HOSTS holds *: links that the site writes can be made to lead to a stranger's host.",
                hint="List the names under which people reach this site, separated by commas.",
                id="desk.W001",
            )
        )
    elsewhere = [host for host in settings.ALLOWED_HOSTS if host != "*" and not _is_loopback(host)]
    if elsewhere and not settings.HTTPS:
        found.append(
            Warning(
                f"DESK_HTTPS is off, and the site answers as {', '.join(elsewhere)}: passwords travel in clear text.",
                hint="Put a proxy with a certificate in front and set DESK_HTTPS=1.",
                id="desk.W002",
            )
        )
    if settings.SAMPLE_PORT and settings.HTTPS and settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        found.append(
            Warning(
                "DESK_SAMPLE_PORT is set in what looks like a live installation.",
                hint="Unset it: the sample publishers are for a first try, and exempt from the loopback block.",
                id="desk.W003",
            )
        )
    return found


def _is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
