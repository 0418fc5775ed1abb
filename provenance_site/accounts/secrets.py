"""The secrets under which what people entered is encrypted (`kit.sealing`)."""

from django.conf import settings


def installation_secrets() -> list[str]:
    """What rows are sealed under, the newest first: the secret of now, then those that it has replaced."""
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
