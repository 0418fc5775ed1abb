"""Durable work in the admin: to read. Jobs are started, cancelled and finished by their own pages."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from provenance_site.jobs.models import Job, JobItem


@admin.register(Job)
class JobAdmin(ScopedAdmin[Job]):
    """Jobs, newest first."""

    list_display = ("created_at", "workspace", "kind", "title", "state", "created_by", "finished_at")
    list_filter = ("state", "kind", "workspace")
    list_select_related = ("workspace", "created_by")
    search_fields = ("title",)
    ordering = ("-created_at",)


@admin.register(JobItem)
class JobItemAdmin(ScopedAdmin[JobItem]):
    """Items, newest first: what is in whose hands, what was given up."""

    workspace_path = "job__workspace"
    list_display = ("job", "position", "subject_id", "state", "outcome", "attempts", "lease_until", "finished_at")
    list_filter = ("state",)
    list_select_related = ("job",)
    search_fields = ("=job__id", "=subject_id")
    ordering = ("-pk",)
