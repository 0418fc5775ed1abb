"""App registration of lineage."""

from django.apps import AppConfig


class LineageConfig(AppConfig):
    """Entities and edges."""

    name = "lineage"
