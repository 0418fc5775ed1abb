"""Concepts: the list, one with what is about it, and its description."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.models import Project
from sources.queries.observations import concepts_of, observations_of, tell_of
from sources.services import concepts
from sources.services.concepts import ConceptChanged, ConceptRefused
from sources.views.knowledge_forms import ConceptForm
from sources.views.knowledge_lookups import concept_for


@needs_workspace
@require_GET
def concept_list(request: MemberRequest) -> HttpResponse:
    """The workspace's concepts with how many observations are about each."""
    page = page_of(request, concepts_of(request.workspace.pk))
    return render_page(request, "sources/concept_list.html", {"page": page})


@needs_workspace
@require_http_methods(["GET", "POST"])
def concept(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A concept and the observations about it; a POST describes it anew, or is refused with 409 where
    somebody else did since the form was opened."""
    row = concept_for(request.user, uuid)
    status = 200
    if request.method == "POST":
        permissions.check_can_curate(request.user, row.workspace_id)
        form, status = ConceptForm(request.POST), 422
        if form.is_valid():
            try:
                concepts.edit(
                    concept=row,
                    given=form.described,
                    seen=form.cleaned_data["seen"],
                    by=request.user,
                    channel=Channel.PAGE,
                    at=datetime.now(UTC),
                )
            except ConceptRefused as refused:
                form.add_error(refused.field, str(refused))
            except ConceptChanged as changed:
                form.add_error(None, str(changed))
                status = 409
            else:
                messages.success(request, "The concept is saved. History has the undo.")
                return redirect("concept", row.uuid)
    else:
        form = ConceptForm(initial=ConceptForm.values_of(row))
    rows = observations_of(workspace_id=row.workspace_id).filter(concepts=row)
    others = Project.objects.filter(workspace_id=row.workspace_id).exclude(concepts=row)
    page = page_of(request, rows, per_page=30)
    tell_of(page.object_list)
    context = {
        "concept": row,
        "form": form,
        "page": page,
        "projects": row.projects.order_by("name"),
        "other_projects": others.order_by("name"),
        "can_curate": permissions.can_curate(request.user, row.workspace_id),
    }
    return render_page(request, "sources/concept.html", context, status=status)


@needs_workspace
@require_POST
def concept_delete(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Deletes a concept; the observations about it stay."""
    row = concept_for(request.user, uuid)
    concepts.delete(concept=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(request, f"The concept “{row.name}” is deleted. History has the undo.")
    return redirect("concept-list")
