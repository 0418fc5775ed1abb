"""The wiring as an app: it carries system checks, undo registrations and the site-wide commands."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Registers what only the wiring may know of all apps."""

    name = "provenance_site"
    label = "site"
    verbose_name = "Provenance Desk"

    def ready(self) -> None:
        """Runs the registrations by importing their modules."""
        # Here and not above: this module is loaded before any model may be imported (Django, AppConfig.ready).
        from provenance_site import checks, wiring  # noqa: F401
