"""Runs on screen: start, watch, stop."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.partials import go_to, render_page
from sources import permissions
from sources.models import Project
from validation import dispatch
from validation.models import CheckRun
from validation.queries.readable_runs import readable_runs
from validation.queries.report import gate_of_run
from validation.queries.runs import RunState, latest_checks, runs_of, state_of, unsearched_in
from validation.services import runs
from validation.services.runs import Scope


@needs_workspace
@require_http_methods(["GET", "POST"])
def project_runs(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The project's runs; a POST starts one and goes to its page, or to the page of the one that is going on."""
    project = get_object_or_404(Project.objects.visible_to(request.user), uuid=uuid)
    if request.method == "POST":
        return _start(request, project)
    context = {"project": project, "runs": runs_of(project)}
    return render_page(request, "validation/runs.html", context, partial="validation/_runs.html")


def _start(request: MemberRequest, project: Project) -> HttpResponse:
    wanted = request.POST.get("scope", Scope.ALL.value)
    scope = Scope(wanted) if wanted in set(Scope) else Scope.ALL
    try:
        started = dispatch.start_run(project=project, scope=scope, by=request.user, at=datetime.now(UTC))
    except runs.NothingToCheck as nothing:
        messages.warning(request, str(nothing))
        return redirect("project", project.uuid)
    except runs.AlreadyRunning as already:
        messages.info(request, str(already))
        started = already.run
    return redirect("run", started.job.uuid)


@needs_workspace
@require_GET
def run(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A run's page: progress that refreshes itself, and the verdicts as they come."""
    return render_page(request, "validation/run.html", _context(request, uuid))


@needs_workspace
@require_GET
def run_progress(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The part of the page that polls; the answer of a finished run has no trigger, so that polling stops by itself."""
    return render_page(request, "validation/run.html", _context(request, uuid), partial="validation/_progress.html")


@needs_workspace
@require_POST
def run_cancel(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Stops the run; what is done stays."""
    found = _run_for(request, uuid)
    runs.cancel(run=found, by=request.user, at=datetime.now(UTC))
    messages.info(request, "The run was stopped. What was checked stays.")
    return go_to(request, reverse("run", args=[uuid]))


def _run_for(request: MemberRequest, uuid: UUID) -> CheckRun:
    visible = readable_runs(CheckRun.objects.visible_to(request.user)).select_related(
        "job__created_by", "job__cancelled_by", "project"
    )
    return get_object_or_404(visible, job__uuid=uuid)


def _context(request: MemberRequest, uuid: UUID) -> dict[str, Any]:
    found = _run_for(request, uuid)
    state: RunState = state_of(found, at=datetime.now(UTC))
    return {
        "run": found,
        "job": found.job,
        "project": found.project,
        "state": state,
        "gate": None if state.is_running else gate_of_run(found),
        "unsearched": 0 if state.is_running else unsearched_in(found),
        "latest": latest_checks(found),
        "can_curate": permissions.can_curate(request.user, found.project.workspace_id),
    }
