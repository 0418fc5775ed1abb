"""Where projects use sources, in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import CatalogEntry, Citation, EntryAlias, ProjectVersion, Section

_PER_PAGE = 50


@admin.register(Section)
class SectionAdmin(ScopedAdmin[Section]):
    """Parts of projects' texts."""

    workspace_path = "project__workspace"
    list_display = ["title", "slug", "project"]
    list_select_related = ["project"]
    search_fields = ["title", "slug", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(ProjectVersion)
class ProjectVersionAdmin(ScopedAdmin[ProjectVersion]):
    """Versions of projects' texts."""

    workspace_path = "project__workspace"
    list_display = ["label", "project", "first_seen_at"]
    list_select_related = ["project"]
    search_fields = ["label", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(CatalogEntry)
class CatalogEntryAdmin(ScopedAdmin[CatalogEntry]):
    """Which source has which number in which project."""

    workspace_path = "project__workspace"
    list_display = ["number", "source", "project", "added_at"]
    list_select_related = ["source", "project"]
    search_fields = ["source__title", "source__identifier_value", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(EntryAlias)
class EntryAliasAdmin(ScopedAdmin[EntryAlias]):
    """Numbers of merged sources, which lead on."""

    workspace_path = "project__workspace"
    list_display = ["number", "entry", "project", "added_at"]
    list_select_related = ["entry__source", "entry__project", "project"]
    search_fields = ["project__name", "source__title"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Citation)
class CitationAdmin(ScopedAdmin[Citation]):
    """Places at which texts cite sources, as they spell them."""

    workspace_path = "entry__project__workspace"
    list_display = ["spelling", "status", "line", "section", "version", "entry"]
    list_filter = ["status"]
    list_select_related = ["entry__source", "entry__project", "section__project", "version__project"]
    search_fields = ["spelling", "claimed_title"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE
