"""Home (the workspace's projects) and a project's page."""

from datetime import UTC, datetime
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.models import ImportBatch
from sources.queries.project_retractions import retractions_of
from sources.queries.projects import projects_of, state_of, tell_of
from sources.queries.readable import readable
from sources.queries.review import QueueFilter, open_items
from sources.services import projects
from sources.views.forms import ProjectForm
from sources.views.lookups import project_for


@needs_workspace
@require_GET
def home(request: MemberRequest) -> HttpResponse:
    """The workspace at a glance: projects, and how many questions wait."""
    return _home(request, form=ProjectForm())


@needs_workspace
@require_http_methods(["POST"])
def project_create(request: MemberRequest) -> HttpResponse:
    """Makes a project and goes to its import page, the next thing to do."""
    form = ProjectForm(request.POST)
    if form.is_valid():
        try:
            project = projects.create(
                workspace_id=request.workspace.pk,
                name=form.cleaned_data["name"],
                firm=form.cleaned_data["firm"],
                by=request.user,
                at=datetime.now(UTC),
            )
        except projects.NameRefused as refused:
            form.add_error("name", str(refused))
        else:
            return redirect("import-new", project.uuid)
    return _home(request, form=form, status=422)


@needs_workspace
@require_GET
def project(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A project: where it stands, what to do next, its imports and runs."""
    found = project_for(request.user, uuid)
    return render_page(
        request,
        "sources/project.html",
        {
            "project": found,
            "state": state_of(found),
            "retractions": retractions_of(found),
            "concepts": found.concepts.order_by("name"),
            "imports": readable(ImportBatch.objects.all())
            .filter(project=found)
            .select_related("created_by")
            .order_by("-created_at")[:10],
            "can_curate": permissions.can_curate(request.user, found.workspace_id),
        },
    )


def _home(request: MemberRequest, *, form: ProjectForm, status: int = 200) -> HttpResponse:
    page = page_of(request, projects_of(user=request.user, workspace_id=request.workspace.pk), per_page=20)
    tell_of(page.object_list)
    waiting = open_items(user=request.user, workspace_id=request.workspace.pk, wanted=QueueFilter()).count()
    return render_page(
        request,
        "sources/home.html",
        {
            "page": page,
            "waiting": waiting,
            "form": form,
            "can_curate": permissions.can_curate(request.user, request.workspace.pk),
        },
        status=status,
    )
