"""Harvests on screen: plan, change the plan, run, watch, stop, take up, read what came of it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import go_to, render_page
from sources import permissions
from sources.core.decoding import NotText
from sources.models import Project, Section
from sources.queries.outlines import parts_of
from sources.services.staging import ImportRefused
from validation import dispatch
from validation.core.harvest_states import CandidateState, HarvestMode, HarvestState
from validation.core.harvest_tools import Tool
from validation.models import HarvestRun
from validation.queries.harvest_tools import tools_of
from validation.queries.harvests import calls_in_trouble, candidates_of, harvests_of, queries_of, standing_of
from validation.queries.readable_work import readable_work
from validation.services import harvest_plans, harvest_runs
from validation.services.harvest_plans import Budget, PlanChanged, PlanRefused
from validation.services.harvest_runs import NothingToHarvest
from validation.views.harvest_forms import (
    BudgetForm,
    ListHarvestForm,
    OutlineHarvestForm,
    QueryForms,
    query_forms,
)

_BUTTON_START = "start"
_BUTTON_DISCARD = "discard"


@needs_workspace
@require_http_methods(["GET", "POST"])
def project_harvests(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The project's harvests; a POST plans one, from the outline or from an analyst's list, and goes to its page."""
    project = get_object_or_404(Project.objects.visible_to(request.user).select_related("workspace"), uuid=uuid)
    outline_form, list_form, status = OutlineHarvestForm(), ListHarvestForm(), 200
    if request.method == "POST":
        permissions.check_can_curate(request.user, project.workspace_id)
        status = 422
        if "text" in request.POST or request.FILES:
            list_form = ListHarvestForm(request.POST, request.FILES)
            if list_form.is_valid() and (run := _of_list(request, project, list_form)):
                return redirect("harvest", run.uuid)
        else:
            outline_form = OutlineHarvestForm(request.POST)
            if outline_form.is_valid() and (run := _of_outline(request, project, outline_form)):
                return redirect("harvest", run.uuid)
    context = {
        "project": project,
        "harvests": harvests_of(project),
        "parts": parts_of(project),
        "tools": [tool for tool in Tool if tool in tools_of(project.workspace_id)],
        "outline_form": outline_form,
        "list_form": list_form,
        "can_curate": permissions.can_curate(request.user, project.workspace_id),
    }
    return render_page(request, "validation/harvests.html", context, status=status)


@needs_workspace
@require_http_methods(["GET", "POST"])
def harvest(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A harvest: its plan until it is started, then its progress and what came of it. A POST changes the plan, starts
    it or throws it away; one from a page that is older than the plan is refused with 409 and keeps what was written."""
    run = _run_for(request, uuid)
    if request.method == "POST":
        permissions.check_can_curate(request.user, run.project.workspace_id)
        return _planned(request, run)
    if run.state == HarvestState.PLANNED:
        return _plan_page(request, run)
    return render_page(request, "validation/harvest.html", _context(request, run))


@needs_workspace
@require_GET
def harvest_progress(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The part of the page that polls; the answer of a finished harvest has no trigger, so that polling stops."""
    context = _context(request, _run_for(request, uuid))
    return render_page(request, "validation/harvest.html", context, partial="validation/_harvest_progress.html")


@needs_workspace
@require_POST
def harvest_cancel(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Stops the harvest; what is in the corpus stays."""
    run = _run_for(request, uuid)
    harvest_runs.cancel(run=run, by=request.user, at=datetime.now(UTC))
    messages.info(request, "The harvest was stopped. What is in the corpus stays.")
    return go_to(request, reverse("harvest", args=[uuid]))


@needs_workspace
@require_POST
def harvest_resume(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes the harvest up again, under the budget that was entered."""
    run = _run_for(request, uuid)
    permissions.check_can_curate(request.user, run.project.workspace_id)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Enter a budget of calls and of candidates, as numbers.")
        return redirect("harvest", uuid)
    try:
        dispatch.resume_harvest(run=run, by=request.user, at=datetime.now(UTC), budget=form.budget)
    except (NothingToHarvest, PlanRefused) as refused:
        messages.warning(request, str(refused))
    return redirect("harvest", uuid)


def _of_outline(request: MemberRequest, project: Project, form: OutlineHarvestForm) -> HarvestRun | None:
    try:
        return harvest_plans.from_outline(
            project=project,
            budget=form.budget,
            exclude=form.cleaned_data["exclude"],
            by=request.user,
            at=datetime.now(UTC),
        )
    except PlanRefused as refused:
        form.add_error(None, str(refused))
        return None


def _of_list(request: MemberRequest, project: Project, form: ListHarvestForm) -> HarvestRun | None:
    try:
        return harvest_plans.from_list(
            project=project,
            data=form.given,
            budget=form.budget,
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except (PlanRefused, ImportRefused, NotText) as refused:
        form.add_error("file" if form.cleaned_data["file"] else "text", str(refused))
        return None


def _planned(request: MemberRequest, run: HarvestRun) -> HttpResponse:
    deed = request.POST.get("do", "")
    if run.state != HarvestState.PLANNED:
        messages.info(request, "This harvest was started already; its plan stays as it was then.")
        return redirect("harvest", run.uuid)
    if deed == _BUTTON_DISCARD:
        return _discarded(request, run)
    budget_form, forms = BudgetForm(_with_calls(request)), _forms_of(run, request)
    if not (budget_form.is_valid() and forms.is_valid()):
        return _plan_page(request, run, budget_form=budget_form, forms=forms, status=422)
    try:
        run = harvest_plans.edit(
            run=run,
            queries=forms.queries,
            budget=budget_form.budget,
            seen=_seen(request),
            by=request.user,
            at=datetime.now(UTC),
        )
        if deed == _BUTTON_START:
            dispatch.start_harvest(run=run, by=request.user, at=datetime.now(UTC))
    except (PlanRefused, NothingToHarvest) as refused:
        return _plan_page(request, run, budget_form=budget_form, forms=forms, problem=str(refused), status=422)
    except PlanChanged:
        run = _run_for(request, run.uuid)
        if run.state != HarvestState.PLANNED:
            messages.warning(request, "Somebody started this harvest meanwhile; what you changed is not in it.")
            return redirect("harvest", run.uuid)
        return _plan_page(request, run, budget_form=budget_form, forms=forms, is_stale=True, status=409)
    if deed != _BUTTON_START:
        messages.success(request, "The plan is saved. Nothing was asked yet.")
    return redirect("harvest", run.uuid)


def _discarded(request: MemberRequest, run: HarvestRun) -> HttpResponse:
    try:
        harvest_plans.discard(run=run, seen=_seen(request), by=request.user)
    except PlanChanged as changed:
        messages.error(request, f"{changed} It was not thrown away.")
        return redirect("harvest", run.uuid)
    messages.info(request, "The plan was thrown away.")
    return redirect("project-harvests", run.project.uuid)


def _with_calls(request: MemberRequest) -> Any:
    """A list asks no search, so its page has no field for calls."""
    data = request.POST.copy()
    data.setdefault("calls", "0")
    return data


def _seen(request: MemberRequest) -> int:
    told = request.POST.get("seen", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 10 else 0


def _forms_of(run: HarvestRun, request: MemberRequest | None = None) -> QueryForms:
    queries = [query.planned for query in queries_of(run)]
    in_outline_first = F("outline__position").asc(nulls_last=True)
    sections = Section.objects.filter(project=run.project).order_by(in_outline_first, "pk")
    usable = tools_of(run.project.workspace_id) | {tool for query in queries for tool in query.tools}
    return query_forms(
        request.POST if request is not None and run.mode == HarvestMode.SEARCH else None,
        queries=queries,
        sections=list(sections.values_list("slug", "title")),
        tools=[tool for tool in Tool if tool in usable],
    )


def _plan_page(
    request: MemberRequest,
    run: HarvestRun,
    *,
    budget_form: BudgetForm | None = None,
    forms: QueryForms | None = None,
    problem: str = "",
    is_stale: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The plan with what was entered. It goes on from the version that was seen, until another is told of."""
    forms = forms or _forms_of(run)
    context = {
        "run": run,
        "project": run.project,
        "forms": forms,
        "calls": sum(len(query.tools) for query in queries_of(run)),
        "budget_form": budget_form
        or BudgetForm(initial={"calls": run.call_budget, "candidates": run.candidate_budget}),
        "problem": problem,
        "is_stale": is_stale,
        "seen": (not is_stale and _seen(request)) or run.row_version,
        "is_list": run.mode == HarvestMode.LIST,
        "page": page_of(request, candidates_of(run)),
        "can_curate": permissions.can_curate(request.user, run.project.workspace_id),
    }
    return render_page(request, "validation/harvest_plan.html", context, status=status)


def _run_for(request: MemberRequest, uuid: UUID) -> HarvestRun:
    visible = (
        readable_work(HarvestRun.objects.all())
        .visible_to(request.user)
        .select_related("project__workspace", "created_by")
    )
    return get_object_or_404(visible, uuid=uuid)


def _context(request: MemberRequest, run: HarvestRun) -> dict[str, Any]:
    wanted = request.GET.get("state", "")
    state = CandidateState(wanted) if wanted in set(CandidateState) else None
    standing = standing_of(run, at=datetime.now(UTC))
    budget = Budget(run.call_budget, run.candidate_budget)
    return {
        "run": run,
        "project": run.project,
        "standing": standing,
        "counts": [(one, number) for one, number in standing.candidates.items() if number],
        "shown": state,
        "page": page_of(request, candidates_of(run, state)),
        "trouble": [] if run.as_state.is_under_way else calls_in_trouble(run),
        "queries": [] if run.as_state.is_under_way else queries_of(run),
        "budget_form": BudgetForm(initial={"calls": budget.calls, "candidates": budget.candidates}),
        "can_curate": permissions.can_curate(request.user, run.project.workspace_id),
    }
