"""App registration of jobs."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Durable work with leases."""

    name = "provenance_site.jobs"
    label = "jobs"
