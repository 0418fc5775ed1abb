"""Stores and chunks in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import Chunk, ChunkStore

_PER_PAGE = 50


@admin.register(ChunkStore)
class ChunkStoreAdmin(ScopedAdmin[ChunkStore]):
    """Stores by name."""

    list_display = ["name", "workspace", "created_at"]
    list_select_related = ["workspace"]
    search_fields = ["name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Chunk)
class ChunkAdmin(ScopedAdmin[Chunk]):
    """Chunks by path, title and DOI; texts are not searched, which would read the whole table."""

    workspace_path = "store__workspace"
    list_display = ["path", "start_line", "source_title", "source_doi", "retracted", "store", "indexed_at"]
    list_filter = ["retracted"]
    list_select_related = ["store"]
    search_fields = ["path", "source_title", "source_doi", "content_hash"]
    search_help_text = "Path, title, DOI or hash."
    ordering = ["-pk"]
    list_per_page = _PER_PAGE
