"""Outlines, corpora and drafts, in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import CorpusEntry, Draft, DraftVersion, OutlineSection

_PER_PAGE = 50


@admin.register(OutlineSection)
class OutlineSectionAdmin(ScopedAdmin[OutlineSection]):
    """What sections of texts ask."""

    workspace_path = "project__workspace"
    list_display = ["section", "project", "position"]
    list_select_related = ["section", "project"]
    search_fields = ["section__title", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(CorpusEntry)
class CorpusEntryAdmin(ScopedAdmin[CorpusEntry]):
    """What sections may cite, and how it was found."""

    workspace_path = "entry__project__workspace"
    list_display = ["entry", "section", "verdict", "retrieval_tool", "rank", "kept_at"]
    list_filter = ["verdict", "retrieval_tool"]
    list_select_related = ["entry__source", "entry__project", "section__project"]
    search_fields = ["entry__source__title", "entry__source__identifier_value", "retrieval_query"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Draft)
class DraftAdmin(ScopedAdmin[Draft]):
    """Texts that cite the corpus of their project."""

    workspace_path = "project__workspace"
    list_display = ["name", "project", "mode", "created_by", "created_at"]
    list_filter = ["mode"]
    list_select_related = ["project", "created_by"]
    search_fields = ["name", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(DraftVersion)
class DraftVersionAdmin(ScopedAdmin[DraftVersion]):
    """Their versions, as given and through the gate."""

    workspace_path = "draft__project__workspace"
    list_display = ["draft", "number", "origin", "marker_count", "refused_count", "created_by", "created_at"]
    list_filter = ["origin"]
    list_select_related = ["draft", "created_by"]
    search_fields = ["draft__name", "=sha256"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE
