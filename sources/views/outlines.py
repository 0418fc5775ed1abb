"""The outline of a project: on screen, as YAML, and from YAML."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.downloads import attachment
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.core import outline as outlines_core
from sources.core.decoding import NotText
from sources.core.outline import OutlineRefused, Part
from sources.models import Project
from sources.queries.outlines import parts_of, state_of
from sources.services import outlines
from sources.services.outlines import OutlineChanged
from sources.views.lookups import project_for
from sources.views.outline_forms import OutlineFileForm, PartForms, part_forms

FILE_NAME = "outline.yaml"


@needs_workspace
@require_http_methods(["GET", "POST"])
def outline(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The sections with their questions and preferred sources; a POST saves them all. One that was opened before
    somebody saved is refused with 409."""
    project = project_for(request.user, uuid)
    if request.method == "GET":
        return _page(request, project)
    permissions.check_can_curate(request.user, project.workspace_id)
    forms = part_forms(request.POST)
    if not forms.is_valid():
        return _page(request, project, forms=forms, status=422)
    return _saved(request, project, forms.parts, forms=forms)


@needs_workspace
@require_POST
def outline_take(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Puts an outline that was given as YAML in the place of the one that is there; a fault names its line."""
    project = project_for(request.user, uuid)
    permissions.check_can_curate(request.user, project.workspace_id)
    form = OutlineFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, project, file_form=form, status=422)
    try:
        parts = outlines_core.read(form.given)
    except (OutlineRefused, NotText) as refused:
        form.add_error("file" if form.cleaned_data["file"] else "text", str(refused))
        return _page(request, project, file_form=form, status=422)
    return _saved(request, project, parts, file_form=form)


@needs_workspace
@require_GET
def outline_file(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The outline as YAML."""
    text = outlines_core.write(parts_of(project_for(request.user, uuid)))
    return HttpResponse(text.encode(), content_type="application/yaml; charset=utf-8", headers=attachment(FILE_NAME))


def _saved(
    request: MemberRequest,
    project: Project,
    parts: list[Part],
    *,
    forms: PartForms | None = None,
    file_form: OutlineFileForm | None = None,
) -> HttpResponse:
    try:
        saved = outlines.save(
            project=project,
            parts=parts,
            seen=_seen(request),
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except OutlineRefused as refused:
        return _page(request, project, forms=forms, file_form=file_form, problem=str(refused), status=422)
    except OutlineChanged:
        return _page(request, project, forms=forms, file_form=file_form, is_stale=True, status=409)
    messages.success(request, f"The outline is saved: {counted(len(saved), 'section')}. History has the undo.")
    return redirect("outline", project.uuid)


def _page(
    request: MemberRequest,
    project: Project,
    *,
    forms: PartForms | None = None,
    file_form: OutlineFileForm | None = None,
    problem: str = "",
    is_stale: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The page with what was entered. It goes on from the state that was seen, until another is told of."""
    parts = parts_of(project)
    context = {
        "project": project,
        "parts": parts,
        "forms": forms or part_forms(parts=parts),
        "file_form": file_form or OutlineFileForm(),
        "seen": (not is_stale and _seen(request)) or state_of(parts),
        "problem": problem,
        "is_stale": is_stale,
        "can_curate": permissions.can_curate(request.user, project.workspace_id),
    }
    return render_page(request, "sources/outline.html", context, status=status)


def _seen(request: MemberRequest) -> str:
    return request.POST.get("seen", "")[:64]
