"""What sources were called, what was fetched of them and how they stood, in the admin: to look at."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import Reading, SourceAlias, SourceVersion, StatusChange

_PER_PAGE = 50


@admin.register(SourceAlias)
class SourceAliasAdmin(ScopedAdmin[SourceAlias]):
    """Other spellings and identifiers."""

    list_display = ["spelling", "source", "workspace", "first_seen_at"]
    list_select_related = ["source", "workspace"]
    search_fields = ["spelling"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(SourceVersion)
class SourceVersionAdmin(ScopedAdmin[SourceVersion]):
    """Fetched and imported states, by hash."""

    workspace_path = "source__workspace"
    list_display = ["source", "origin", "sha256", "byte_count", "fetched_at"]
    list_filter = ["origin"]
    list_select_related = ["source"]
    search_fields = ["sha256", "final_url", "title"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(StatusChange)
class StatusChangeAdmin(ScopedAdmin[StatusChange]):
    """How verdicts and standings moved, and who moved them."""

    workspace_path = "source__workspace"
    list_display = ["source", "from_disposition", "to_disposition", "to_verdict", "by", "at"]
    list_filter = ["to_disposition"]
    list_select_related = ["source", "by"]
    search_fields = ["source__title", "source__identifier_value", "reason"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Reading)
class ReadingAdmin(ScopedAdmin[Reading]):
    """What was read of pages; the list leaves the texts where they are."""

    workspace_path = "source__workspace"
    list_display = ["pk", "source"]
    list_select_related = ["source"]
    search_fields = ["source__title", "source__identifier_value"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE

    def get_queryset(self, request: HttpRequest) -> QuerySet[Reading]:
        """Up to 20 KB a row that no list shows."""
        return super().get_queryset(request).defer("content")
