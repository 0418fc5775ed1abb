"""App registration of the kit (its template tags)."""

from django.apps import AppConfig


class KitConfig(AppConfig):
    """Web helpers without knowledge of the product."""

    name = "provenance_site.kit"
    label = "kit"
