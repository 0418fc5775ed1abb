"""Checking for retractions now: of a list, a project, or chosen sources; and how far that is."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.core.retraction_status import Provider
from sources.models import Source
from sources.queries.known import sources_by_key
from sources.queries.readable import hidden_keys
from sources.views.bulk_edit import unusable
from sources.views.selection import Selection
from validation import dispatch
from validation.adapters.retraction_world import absent_providers
from validation.models import RetractionRequest
from validation.queries.readable_work import readable_work
from validation.queries.retractions import statuses_of
from validation.services.retraction_requests import NothingToAsk
from validation.services.retraction_words import work_named
from validation.views.retraction_forms import CheckForm

PER_PAGE = 50


@needs_workspace
@require_http_methods(["GET", "POST"])
def retraction_check_new(request: MemberRequest) -> HttpResponse:
    """The form for a list or a project; a POST asks for the check and goes to its page."""
    workspace_id = request.workspace.pk
    permissions.check_can_curate(request.user, workspace_id)
    if request.method == "GET":
        form = CheckForm(workspace_id=workspace_id, initial={"project": request.GET.get("project", "")})
        return _form(request, form)
    form = CheckForm(request.POST, workspace_id=workspace_id)
    if not form.is_valid():
        return _form(request, form, status=422)
    project = form.cleaned_data["project"]
    try:
        made = dispatch.check_retractions(
            workspace_id=workspace_id,
            text=form.cleaned_data["text"],
            project_id=project.pk if project else None,
            source_ids=[],
            by=request.user,
            at=datetime.now(UTC),
        )
    except NothingToAsk as refused:
        form.add_error(None, str(refused))
        return _form(request, form, status=422)
    return redirect("retraction-check-page", made.uuid)


@needs_workspace
@require_POST
def retraction_check_sources(request: MemberRequest) -> HttpResponse:
    """Asks for a check of the sources that were chosen in the table, or of the one whose page it was asked on."""
    workspace_id = request.workspace.pk
    permissions.check_can_curate(request.user, workspace_id)
    selection = Selection.of(request.POST)
    source_ids = selection.source_ids(workspace_id=workspace_id)
    back = f"{reverse('source-list')}?{selection.query}"
    if problem := unusable(source_ids):
        messages.warning(request, problem)
        return redirect(back)
    try:
        made = dispatch.check_retractions(
            workspace_id=workspace_id,
            text="",
            project_id=None,
            source_ids=source_ids,
            by=request.user,
            at=datetime.now(UTC),
        )
    except NothingToAsk as refused:
        messages.warning(request, str(refused))
        return redirect(back)
    return redirect("retraction-check-page", made.uuid)


@needs_workspace
@require_GET
def retraction_check_page(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """How far a check is, and where its works stand by what is known now; htmx gets the part that changes."""
    made = get_object_or_404(readable_work(RetractionRequest.objects.all()), uuid=uuid, workspace=request.workspace)
    page = page_of(request, made.works, per_page=PER_PAGE)
    works = [work_named(one) for one in page.object_list]
    stand = statuses_of(works, at=datetime.now(UTC))
    sources = sources_by_key(workspace_id=request.workspace.pk, keys=[work.key for work in works])
    hidden = hidden_keys(Source, {source.pk for source in sources.values()})
    sources = {key: source for key, source in sources.items() if source.pk not in hidden}
    told: dict[str, Any] = made.told
    context = {
        "made": made,
        "total": len(made.works),
        "page": page,
        "works": [(work, stand[work], sources.get(work.key)) for work in works],
        "tallies": [(Provider(name), tally) for name, tally in sorted(told["providers"].items())],
        "absent": list(told["absent"].values()),
        "unchecked": len(told.get("unchecked", ())),
        "unregistered": told.get("unregistered", [])[:PER_PAGE],
    }
    partial = "validation/_retraction_check.html"
    return render_page(request, "validation/retraction_check.html", context, partial=partial)


def _form(request: MemberRequest, form: CheckForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "absent": list(absent_providers().values())}
    return render_page(request, "validation/retraction_check_new.html", context, status=status)
