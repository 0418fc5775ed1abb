"""Durable work in the admin: to read. Jobs are started, cancelled and finished by their own pages."""

from django.contrib import admin

from provenance_site.jobs.models import Job, JobItem
from provenance_site.kit.readonly import ReadOnlyAdmin


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin[Job]):
    """Jobs, newest first."""

    list_display = ("created_at", "workspace", "kind", "title", "state", "created_by", "finished_at")
    list_filter = ("state", "kind", "workspace")
    list_select_related = ("workspace", "created_by")
    search_fields = ("title",)
    ordering = ("-created_at",)


@admin.register(JobItem)
class JobItemAdmin(ReadOnlyAdmin[JobItem]):
    """Items, newest first: what is in whose hands, what was given up."""

    list_display = ("job", "position", "subject_id", "state", "outcome", "attempts", "lease_until", "finished_at")
    list_filter = ("state",)
    list_select_related = ("job",)
    search_fields = ("=job__id", "=subject_id")
    ordering = ("-pk",)
