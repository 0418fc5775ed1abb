"""Imports and what workers do to many sources, in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import ImportBatch, ImportRow, LongDeed, LongDeedPart

_PER_PAGE = 50


@admin.register(ImportBatch)
class ImportBatchAdmin(ScopedAdmin[ImportBatch]):
    """Imported lists and files."""

    workspace_path = "project__workspace"
    list_display = ["label", "format", "state", "project", "created_by", "created_at"]
    list_filter = ["state"]
    list_select_related = ["project", "created_by"]
    search_fields = ["label", "sha256", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(ImportRow)
class ImportRowAdmin(ScopedAdmin[ImportRow]):
    """What imports found, line by line."""

    workspace_path = "batch__project__workspace"
    list_display = ["batch", "line", "action", "record_kind", "title", "message"]
    list_filter = ["action", "record_kind"]
    list_select_related = ["batch"]
    search_fields = ["title", "spelling", "identifier_value"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(LongDeed)
class LongDeedAdmin(ScopedAdmin[LongDeed]):
    """Edits, undos and looks for duplicates that a worker does."""

    workspace_path = "job__workspace"
    list_display = ["job", "kind", "total", "tally"]
    list_filter = ["kind"]
    list_select_related = ["job"]
    search_fields = ["job__title"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(LongDeedPart)
class LongDeedPartAdmin(ScopedAdmin[LongDeedPart]):
    """Their parts."""

    workspace_path = "deed__job__workspace"
    list_display = ["deed", "number"]
    list_select_related = ["deed"]
    search_fields = ["=deed__id"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE
