"""App registration of changes."""

from django.apps import AppConfig


class ChangesConfig(AppConfig):
    """Audit trail and undo."""

    name = "provenance_site.changes"
    label = "changes"
