"""Checking chosen sources again, from the sources table: one run for each project that they stand in."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.text import counted
from sources import permissions
from sources.queries.projects import projects_holding
from sources.views.bulk_edit import unusable
from sources.views.selection import Selection
from validation import dispatch
from validation.models import CheckRun
from validation.services import runs


@needs_workspace
@require_POST
def source_recheck(request: MemberRequest) -> HttpResponse:
    """Starts the runs and goes to the one, or back to the list where there are several or none."""
    workspace_id = request.workspace.pk
    permissions.check_can_curate(request.user, workspace_id)
    selection = Selection.of(request.POST)
    source_ids = selection.source_ids(workspace_id=workspace_id)
    back = f"{reverse('source-list')}?{selection.query}"
    problem = unusable(source_ids)
    if problem:
        messages.warning(request, problem)
        return redirect(back)
    started: list[CheckRun] = []
    by_project = projects_holding(workspace_id=workspace_id, source_ids=source_ids)
    for project, keys in by_project:
        try:
            run = dispatch.check_again(project=project, source_ids=keys, by=request.user, at=datetime.now(UTC))
        except runs.AlreadyRunning:
            messages.warning(
                request,
                f"“{project.name}” is being checked already; {counted(len(keys), 'source')} of it were not added.",
            )
        else:
            started.append(run)
            messages.success(request, f"Checking {counted(len(keys), 'source')} of “{project.name}” again.")
    without = len(source_ids) - sum(len(keys) for _, keys in by_project)
    if without:
        messages.warning(
            request,
            f"{counted(without, 'source stands', 'sources stand')} in no project: import into one to have it checked.",
        )
    return redirect("run", started[0].job.uuid) if len(started) == 1 else redirect(back)
