"""Markers on screen: have sources searched for claims, pick one, close a request; corrected texts."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.models import Draft, DraftVersion, Section
from sources.queries.drafts import version_of
from sources.queries.readable import readable
from sources.services import drafts
from sources.services.projects import SourceMerged
from validation import dispatch
from validation.core.source_requests import MOST_CALLS, MOST_CANDIDATES, RequestState
from validation.models import HarvestRequest
from validation.queries.harvest_requests import calls_of, candidates_of, marker_rows, request_poll_s
from validation.queries.readable_work import readable_work
from validation.services import marker_resolution
from validation.services.marker_resolution import SearchBudget
from validation.views.ship_forms import CorrectionForm, SearchBudgetForm, TextForm


@needs_workspace
@require_http_methods(["GET", "POST"])
def draft_markers(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The open markers of a draft and its requests; a POST asks for sources for the chosen claims, or for all."""
    draft = _draft_for(request, uuid)
    version = version_of(draft)
    if request.method == "POST":
        permissions.check_can_curate(request.user, draft.project.workspace_id)
        if version is None:
            messages.warning(request, f"“{draft}” has no version yet. Give it a text first.")
            return redirect("draft-markers", uuid)
        version.draft = draft
        form = SearchBudgetForm(request.POST)
        if not form.is_valid():
            messages.warning(request, _faults(form))
            return redirect("draft-markers", uuid)
        claims = None if request.POST.get("all") else request.POST.getlist("claim")
        budget = form.budget(SearchBudget()) if form.is_told else None
        made = dispatch.request_sources(
            version=version, claims=claims, by=request.user, at=datetime.now(UTC), budget=budget
        )
        if not made:
            messages.warning(request, "No claim was chosen that still has a marker. Choose one of the list.")
            return redirect("draft-markers", uuid)
        if len(made) == 1:
            return redirect("marker", made[0].uuid)
        if searching := sum(one.state == RequestState.OPEN for one in made):
            messages.success(request, f"Searching sources for {counted(searching, 'claim')}.")
        else:
            messages.info(request, "All of them were searched. Open one to choose a source, or to search it again.")
        return redirect("draft-markers", uuid)
    context = {
        "draft": draft,
        "project": draft.project,
        "version": version,
        "page": page_of(request, marker_rows(draft, version)),
        "can_curate": permissions.can_curate(request.user, draft.project.workspace_id),
        "budget": SearchBudget(),
        "most_calls": MOST_CALLS,
        "most_candidates": MOST_CANDIDATES,
    }
    return render_page(request, "validation/markers.html", context)


@needs_workspace
@require_http_methods(["GET", "POST"])
def marker(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """One claim with its candidates, verdicts, best passages and scores; a POST picks one, searches again or closes."""
    found = _request_for(request, uuid)
    if request.method == "POST":
        permissions.check_can_curate(request.user, found.draft.project.workspace_id)
        return _deed(request, found)
    return render_page(request, "validation/marker.html", _context(request, found), partial="validation/_marker.html")


def _deed(request: MemberRequest, found: HarvestRequest) -> HttpResponse:
    at = datetime.now(UTC)
    match request.POST.get("step", ""):
        case "again":
            _again(request, found, at=at)
        case "dismiss":
            marker_resolution.dismiss(request=found, by=request.user, at=at)
            messages.info(request, "Closed without a source. The marker stays in the draft.")
            return redirect("draft-markers", found.draft.uuid)
        case "pick":
            return _pick(request, found, at=at)
        case _:
            messages.warning(request, "Choose a candidate, search again, or close the request.")
    return redirect("marker", found.uuid)


def _again(request: MemberRequest, found: HarvestRequest, *, at: datetime) -> None:
    form = SearchBudgetForm(request.POST)
    if form.is_valid():
        before = SearchBudget(found.call_budget, found.candidate_budget)
        dispatch.search_again(request=found, by=request.user, at=at, budget=form.budget(before))
    else:
        messages.warning(request, _faults(form))


def _faults(form: SearchBudgetForm) -> str:
    return " ".join(str(one) for errors in form.errors.values() for one in errors)


def _pick(request: MemberRequest, found: HarvestRequest, *, at: datetime) -> HttpResponse:
    try:
        wanted = UUID(request.POST.get("candidate", ""))
    except ValueError:
        messages.warning(request, "Choose one of the candidates.")
        return redirect("marker", found.uuid)
    candidates = readable_work(found.candidates.all()).select_related("request__draft__project__workspace")
    candidate = get_object_or_404(candidates, uuid=wanted)
    section = Section.objects.filter(project=found.draft.project, slug=request.POST.get("section", "")).first()
    try:
        version = marker_resolution.pick(
            candidate=candidate, section=section, by=request.user, channel=Channel.PAGE, at=at
        )
    except (marker_resolution.PickRefused, drafts.DraftRefused, drafts.DraftChanged) as refused:
        messages.warning(request, str(refused))
        return redirect("marker", found.uuid)
    except SourceMerged:
        messages.warning(request, "The source was merged at the same moment. Choose it again.")
        return redirect("marker", found.uuid)
    messages.success(request, f"The source is in the corpus, and {version} cites it.")
    return redirect("draft-markers", found.draft.uuid)


@needs_workspace
@require_http_methods(["GET", "POST"])
def draft_correct(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A corrected text of the draft: it passes the gate, and its new links become requests."""
    draft = _draft_for(request, uuid)
    permissions.check_can_curate(request.user, draft.project.workspace_id)
    newest = version_of(draft)
    initial = {"text": newest.gated_text if newest else "", "seen": newest.number if newest else 0}
    form = CorrectionForm(initial=initial)
    if request.method == "POST":
        form = CorrectionForm(request.POST, request.FILES, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            made = dispatch.correct(
                draft=draft,
                text=form.given,
                seen=form.cleaned_data["seen"],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except drafts.DraftRefused as refused:
            form.add_error(None, str(refused))
        except drafts.DraftChanged:
            theirs = version_of(draft)
            mine = CorrectionForm(initial={"text": form.given, "seen": theirs.number if theirs else 0})
            return _correct_page(request, draft, mine, newest=theirs, status=409)
        else:
            if made.requests:
                messages.warning(
                    request,
                    f"{made.version} was gated. {counted(len(made.requests), 'link')} outside the corpus became "
                    "a request: choose a source for each.",
                )
                return redirect("draft-markers", uuid)
            messages.success(request, f"{made.version} was gated.")
            return redirect("draft", uuid)
    return _correct_page(request, draft, form, status=422 if form.is_bound and form.errors else 200)


def _correct_page(
    request: MemberRequest, draft: Draft, form: TextForm, *, newest: DraftVersion | None = None, status: int
) -> HttpResponse:
    context = {
        "draft": draft,
        "project": draft.project,
        "form": form,
        "newest": newest,
        "is_stale": newest is not None,
    }
    return render_page(request, "validation/draft_correct.html", context, status=status)


def _draft_for(request: MemberRequest, uuid: UUID) -> Draft:
    drafts_here = readable(Draft.objects.all()).visible_to(request.user).select_related("project__workspace")
    return get_object_or_404(drafts_here, uuid=uuid)


def _request_for(request: MemberRequest, uuid: UUID) -> HarvestRequest:
    visible = readable_work(HarvestRequest.objects.all()).visible_to(request.user)
    return get_object_or_404(visible.select_related("draft__project__workspace", "version"), uuid=uuid)


def _context(request: MemberRequest, found: HarvestRequest) -> dict[str, Any]:
    project = found.draft.project
    return {
        "wanted": found,
        "draft": found.draft,
        "project": project,
        "candidates": candidates_of(found),
        "calls": calls_of(found),
        "most_calls": MOST_CALLS,
        "most_candidates": MOST_CANDIDATES,
        "sections": list(Section.objects.filter(project=project).order_by("outline__position", "pk")[:200]),
        "poll_s": request_poll_s(found, at=datetime.now(UTC)),
        "can_curate": permissions.can_curate(request.user, project.workspace_id),
    }
