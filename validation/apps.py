"""App registration of validation."""

from django.apps import AppConfig


class ValidationConfig(AppConfig):
    """Checks of sources."""

    name = "validation"
