"""Entities and edges in the admin: to look at, never to edit. Lineage is written by `lineage.capture` alone."""

from django.contrib import admin

from lineage.models import Edge, Entity
from provenance_site.accounts.scoped_admin import ScopedAdmin


@admin.register(Entity)
class EntityAdmin(ScopedAdmin[Entity]):
    """Nodes, found by ref."""

    list_display = ["ref", "type", "state", "classification", "created_at"]
    list_filter = ["type", "state"]
    search_fields = ["ref"]
    ordering = ["-pk"]


@admin.register(Edge)
class EdgeAdmin(ScopedAdmin[Edge]):
    """Edges with both ends."""

    list_display = ["from_entity", "relation", "to_entity", "created_at"]
    list_filter = ["relation"]
    list_select_related = ["from_entity", "to_entity"]
    search_fields = ["=from_entity__ref", "=to_entity__ref"]
    search_help_text = "A ref, whole."
    ordering = ["-pk"]
