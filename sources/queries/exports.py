"""Reads of exports for pages."""

from django.db.models import QuerySet

from provenance_site.accounts.models import User
from sources.models import Export, Project


def exports_of(*, user: User, workspace_id: int, internal: bool, project: Project | None = None) -> "QuerySet[Export]":
    """The workspace's exports as `user` may see them, or those of one project, newest first; with `internal` also those
    that are not for others."""
    found = Export.objects.visible_to(user).filter(workspace_id=workspace_id)
    if project is not None:
        found = found.filter(project=project)
    if not internal:
        found = found.filter(is_external=True)
    return found.select_related("project", "created_by", "entity").order_by("-created_at", "-pk")
