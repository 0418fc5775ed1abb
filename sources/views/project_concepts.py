"""What projects are about: said and taken away, from the project's page or from the concept's."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.text import counted
from sources import permissions
from sources.models import Project
from sources.services import concepts, project_concepts
from sources.services.concepts import ConceptRefused
from sources.services.project_concepts import Said
from sources.views.knowledge_forms import ProjectConceptsForm, ProjectOfConceptForm
from sources.views.knowledge_lookups import concept_for
from sources.views.lookups import project_for


@needs_workspace
@require_POST
def project_concepts_change(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Says that a project is about the concepts `add` (names parted by commas), or no longer about `remove` (one)."""
    project = project_for(request.user, uuid)
    permissions.check_can_curate(request.user, project.workspace_id)
    form = ProjectConceptsForm(request.POST)
    if form.is_valid():
        remove = form.cleaned_data["remove"]
        try:
            done = project_concepts.change(
                project=project,
                add=concepts.names_in(form.cleaned_data["add"]),
                remove=[remove] if remove else [],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except ConceptRefused as refused:
            messages.error(request, str(refused))
        else:
            _say(request, done)
    else:
        messages.error(request, "Name the concepts in at most 5,000 characters, with commas between them.")
    return redirect("project", project.uuid)


@needs_workspace
@require_POST
def concept_projects_change(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Says that the project `project` is about a concept, or no longer where `take_away` is given."""
    concept = concept_for(request.user, uuid)
    permissions.check_can_curate(request.user, concept.workspace_id)
    form = ProjectOfConceptForm(request.POST)
    if form.is_valid():
        mine = Project.objects.filter(workspace_id=concept.workspace_id)
        takes_away = form.cleaned_data["take_away"]
        done = project_concepts.change(
            project=get_object_or_404(mine, uuid=form.cleaned_data["project"]),
            add=[] if takes_away else [concept.name],
            remove=[concept.name] if takes_away else [],
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
        _say(request, done)
    else:
        messages.error(request, "Choose a project of the list.")
    return redirect("concept", concept.uuid)


def _say(request: HttpRequest, done: Said) -> None:
    if done.added:
        messages.success(
            request, f"The project is about {counted(done.added, 'more concept')} now. History has the undo."
        )
    elif done.removed:
        messages.success(request, "The concept is taken away from the project. History has the undo.")
    else:
        messages.info(request, "Nothing changed: it was so already.")
