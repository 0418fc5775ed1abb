"""Reads of exports for pages."""

from dataclasses import dataclass

from django.db.models import QuerySet

from provenance_site.accounts.models import User
from provenance_site.jobs.states import JobState
from sources.models import Export, ExportOrder, Project
from sources.queries.readable import readable


def exports_of(*, user: User, workspace_id: int, internal: bool, project: Project | None = None) -> "QuerySet[Export]":
    """The workspace's exports as `user` may see them, or those of one project, newest first; with `internal` also those
    that are not for others."""
    found = readable(Export.objects.all()).visible_to(user).filter(workspace_id=workspace_id)
    if project is not None:
        found = found.filter(project=project)
    if not internal:
        found = found.filter(is_external=True)
    return found.select_related("project", "created_by", "entity").order_by("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class Making:
    """How far a worker is with a file. `is_stuck`: nobody makes it, and there is neither a file nor a reason."""

    read: int
    expected: int
    is_running: bool
    is_stuck: bool


def making_of(order: ExportOrder) -> Making:
    """How far an order is; no query where `export` and `job` are loaded."""
    is_over = order.export is not None or bool(order.problem)
    is_running = not is_over and order.job is not None and order.job.state == JobState.RUNNING
    return Making(order.read, order.expected, is_running=is_running, is_stuck=not is_over and not is_running)
