"""App registration of notices."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """The inbox."""

    name = "provenance_site.notices"
    label = "notices"
