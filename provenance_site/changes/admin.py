"""The history in the admin: to read, never to edit."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from provenance_site.changes.models import Change, ChangeSet


@admin.register(ChangeSet)
class ChangeSetAdmin(ScopedAdmin[ChangeSet]):
    """Deeds, newest first. Their rows are a list of their own: a deed may have 50,000."""

    list_display = ("at", "workspace", "kind", "actor", "channel", "note")
    list_filter = ("kind", "channel", "workspace")
    list_select_related = ("workspace", "actor")
    search_fields = ("note", "actor__username")
    ordering = ("-at",)


@admin.register(Change)
class ChangeAdmin(ScopedAdmin[Change]):
    """Changed rows; the search takes a model's label or a row's key."""

    workspace_path = "change_set__workspace"
    list_display = ("change_set", "model", "object_id", "before", "after")
    list_select_related = ("change_set",)
    search_fields = ("=model", "=object_id")
    ordering = ("-pk",)
