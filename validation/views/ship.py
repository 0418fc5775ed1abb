"""The ship gate on screen: check a finished document, watch, read what stands against it, spot-check drawn links."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.jobs.states import JobState
from provenance_site.kit.downloads import attachment
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import go_to, render_page
from sources import permissions
from sources.models import Draft, Project
from sources.queries.readable import readable
from validation import dispatch
from validation.core import gate_words
from validation.models import ShipCheck, SpotCheck
from validation.queries.readable_work import readable_work
from validation.queries.ship import checks_of, checks_of_draft, report_of, spots_of, state_of
from validation.services import ship_gate
from validation.services.ship_gate import Document
from validation.services.ship_reporting import ShipForm, ship_file
from validation.views.ship_forms import SpotForm, TextForm

# A document may cite thousands of works.
_PER_PAGE = 100


@needs_workspace
@require_http_methods(["GET", "POST"])
def project_ship(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The project's ship checks; a POST checks a pasted text or a file and goes to its page."""
    project = get_object_or_404(Project.objects.visible_to(request.user), uuid=uuid)
    form = TextForm(request.POST, request.FILES) if request.method == "POST" else TextForm()
    if request.method == "POST":
        permissions.check_can_curate(request.user, project.workspace_id)
        if form.is_valid():
            name = form.file_name or "Pasted text"
            document = Document(name=name, path=form.file_name or "text.md", text=form.given)
            try:
                check = dispatch.start_ship_check(
                    project=project, document=document, by=request.user, at=datetime.now(UTC)
                )
            except ship_gate.ShipRefused as refused:
                form.add_error(None, str(refused))
            else:
                return redirect("ship-check", check.job.uuid)
    context = {
        "project": project,
        "checks": checks_of(project),
        "form": form,
        "can_curate": permissions.can_curate(request.user, project.workspace_id),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render_page(request, "validation/ship_checks.html", context, status=status)


@needs_workspace
@require_http_methods(["GET", "POST"])
def ship_gate_of_draft(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The ship checks of a draft's versions; a POST checks its newest version and goes to the check's page."""
    drafts = readable(Draft.objects.all()).visible_to(request.user).select_related("project")
    draft = get_object_or_404(drafts, uuid=uuid)
    if request.method == "POST":
        permissions.check_can_curate(request.user, draft.project.workspace_id)
        try:
            document = ship_gate.document_of(ship_gate.newest_version(draft))
            check = dispatch.start_ship_check(
                project=draft.project, document=document, by=request.user, at=datetime.now(UTC)
            )
        except ship_gate.ShipRefused as refused:
            messages.warning(request, str(refused))
            return redirect("ship-gate", draft.uuid)
        return redirect("ship-check", check.job.uuid)
    context = {
        "project": draft.project,
        "draft": draft,
        "checks": checks_of_draft(draft),
        "can_curate": permissions.can_curate(request.user, draft.project.workspace_id),
    }
    return render_page(request, "validation/ship_checks.html", context)


@needs_workspace
@require_GET
def ship_check(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A check's page: what stands against the document, the spot check, every link; polls itself while it runs."""
    return render_page(
        request, "validation/ship_check.html", _context(request, uuid), partial="validation/_ship_check.html"
    )


@needs_workspace
@require_POST
def ship_cancel(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Stops a check that is under way."""
    if ship_gate.cancel(check=_check_for(request, uuid), by=request.user, at=datetime.now(UTC)):
        messages.info(request, "The check was stopped. It decides nothing.")
    return go_to(request, reverse("ship-check", args=[uuid]))


@needs_workspace
@require_POST
def ship_spot(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Keeps what a person says of one drawn link."""
    check = _check_for(request, uuid)
    permissions.check_can_decide(request.user, check.project.workspace_id)
    form = SpotForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "Choose “Supports the text” or “Wrong” for one of the drawn links.")
        return redirect("ship-check", uuid)
    spots = SpotCheck.objects.select_related("check_made__project")
    spot = get_object_or_404(spots, check_made=check, position=form.cleaned_data["position"])
    try:
        ship_gate.look(
            spot=spot,
            result=form.given_result,
            note=form.cleaned_data["note"],
            by=request.user,
            at=datetime.now(UTC),
        )
    except ship_gate.ShipRefused as refused:
        messages.warning(request, str(refused))
        return redirect("ship-check", uuid)
    return go_to(request, f"{reverse('ship-check', args=[uuid])}#spot-{spot.position}")


@needs_workspace
@require_GET
def ship_report_file(request: MemberRequest, uuid: UUID, form: str) -> HttpResponse:
    """The check as a file for pipelines and people."""
    check = _check_for(request, uuid)
    wanted = ShipForm(form)
    text = ship_file(report=report_of(check), form=wanted)
    answer = HttpResponse(text.encode("utf-8", "replace"), content_type=wanted.media_type)
    for header, value in attachment(f"ship-gate-{str(uuid)[:8]}.{wanted.ending}").items():
        answer.headers[header] = value
    return answer


def _check_for(request: MemberRequest, uuid: UUID) -> ShipCheck:
    visible = (
        readable_work(ShipCheck.objects.all())
        .visible_to(request.user)
        .select_related("job__created_by", "project__workspace", "version__draft")
    )
    return get_object_or_404(visible, job__uuid=uuid)


def _context(request: MemberRequest, uuid: UUID) -> dict[str, Any]:
    check = _check_for(request, uuid)
    report = report_of(check)
    workspace_id = check.project.workspace_id
    return {
        "check": check,
        "job": check.job,
        "project": check.project,
        "draft": check.version.draft if check.version else None,
        "report": report,
        "remarks": page_of(request, report.remarks, per_page=_PER_PAGE, parameter="remarks"),
        "links": page_of(request, report.links, per_page=_PER_PAGE),
        "is_stopped": check.job.state == JobState.CANCELLED,
        "state": state_of(check, at=datetime.now(UTC)),
        "sign": None if report.is_running else gate_words.sign_for(report.decision),
        "spots": spots_of(check),
        "forms": list(ShipForm),
        "can_decide": permissions.can_decide(request.user, workspace_id),
        "can_curate": permissions.can_curate(request.user, workspace_id),
    }
