"""Tags, pairs that may be one work, saved views and exports in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import DuplicatePair, Export, ExportOrder, SavedView, Tag


@admin.register(Tag)
class TagAdmin(ScopedAdmin[Tag]):
    """The words that curators put on sources."""

    list_display = ["name", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["name"]
    ordering = ["name", "pk"]


@admin.register(DuplicatePair)
class DuplicatePairAdmin(ScopedAdmin[DuplicatePair]):
    """Pairs of sources, and what people said about them."""

    list_display = ["pk", "first", "second", "reason", "state", "found_at", "decided_by"]
    list_filter = ["state", "reason"]
    list_select_related = ["first", "second", "decided_by"]
    search_fields = ["first__title", "second__title"]
    ordering = ["-pk"]


@admin.register(SavedView)
class SavedViewAdmin(ScopedAdmin[SavedView]):
    """Views of the table; one without a name holds the columns its owner sees."""

    list_display = ["label", "owner", "is_shared", "workspace", "created_at"]
    list_filter = ["is_shared"]
    list_select_related = ["owner", "workspace"]
    search_fields = ["name", "owner__username"]
    ordering = ["name", "pk"]

    @admin.display(description="View", ordering="name")
    def label(self, view: SavedView) -> str:
        """The name, or what the nameless one is."""
        return view.name or "(columns)"


@admin.register(Export)
class ExportAdmin(ScopedAdmin[Export]):
    """Files that were handed on."""

    list_display = ["file_name", "format", "project", "source_count", "left_out", "created_by", "created_at"]
    list_filter = ["format", "is_external"]
    list_select_related = ["project", "created_by"]
    search_fields = ["file_name", "sha256"]
    ordering = ["-pk"]


@admin.register(ExportOrder)
class ExportOrderAdmin(ScopedAdmin[ExportOrder]):
    """Large files that workers make, and what came of them."""

    list_display = ["created_at", "format", "project", "read", "expected", "export", "created_by"]
    list_filter = ["format", "is_external"]
    list_select_related = ["project", "export", "created_by"]
    search_fields = ["problem"]
    ordering = ["-pk"]
