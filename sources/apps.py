"""App registration of sources."""

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    """The registry of record."""

    name = "sources"
