"""Observations: the list, one with what it rests on, and the forms that write, edit and delete."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.filtering import active_filters
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.core.kinds import UseKind
from sources.core.lines import one_line
from sources.models import Concept, Observation
from sources.queries.observations import observations_of, sources_matching, tell_of
from sources.queries.retraction_evidence import meant, tell
from sources.queries.turns import offers_of
from sources.services import observations
from sources.services.concepts import ConceptRefused
from sources.services.observations import EditedMeanwhile, ObservationRefused
from sources.views.knowledge_forms import RELATIONSHIPS, ObservationFilterForm, ObservationForm
from sources.views.knowledge_lookups import observation_for
from sources.views.lookups import project_for

PER_PAGE = 30
_SUGGESTED = 100
# So many of the sources that one observation rests on stand on its page.
_LINKS = 100


@needs_workspace
@require_GET
def observation_list(request: MemberRequest) -> HttpResponse:
    """The workspace's observations under the filter of the query string; htmx gets the results alone."""
    form = ObservationFilterForm(request.GET, workspace_id=request.workspace.pk)
    narrowing = form.chosen if form.is_valid() else None
    rows = observations_of(workspace_id=request.workspace.pk, by=narrowing)
    active = active_filters(form, request.GET)
    page = page_of(request, rows if narrowing else rows.none(), per_page=PER_PAGE)
    tell_of(page.object_list)
    names = Concept.objects.filter(workspace=request.workspace).order_by("name").values_list("name", flat=True)
    context = {
        "form": form,
        "page": page,
        "active": active,
        "filter_is_bad": narrowing is None,
        "nothing_at_all": not page.paginator.count and not active and narrowing is not None,
        "concept_names": list(names[:_SUGGESTED]),
    }
    return render_page(request, "sources/observation_list.html", context, partial="sources/_observations.html")


@needs_workspace
@require_GET
def observation(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """One observation: its text, its sources, its turn. `find=` looks for a source to link."""
    return observation_page(request, observation_for(request.user, uuid))


@needs_workspace
@require_http_methods(["GET", "POST"])
def observation_new(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The form of a new observation; a good one leads to its page, where sources are linked."""
    project = project_for(request.user, uuid)
    permissions.check_can_curate(request.user, project.workspace_id)
    form = ObservationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = observations.add(
                project=project, said=form.said, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC)
            )
        except ObservationRefused as refused:
            form.add_error("body", str(refused))
        except ConceptRefused as refused:
            form.add_error("concepts", str(refused))
        else:
            messages.success(request, "The observation is written down. Link the sources that it rests on.")
            return redirect("observation", made.uuid)
    return render_page(
        request,
        "sources/observation_form.html",
        {"form": form, "project": project},
        status=422 if form.errors else 200,
    )


@needs_workspace
@require_http_methods(["GET", "POST"])
def observation_edit(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The form of an observation; one that was opened before somebody's edit is refused with 409."""
    row = observation_for(request.user, uuid)
    permissions.check_can_curate(request.user, row.project.workspace_id)
    status = 200
    if request.method == "POST":
        form, status = ObservationForm(request.POST), 422
        if form.is_valid():
            try:
                observations.edit(
                    observation=row,
                    said=form.said,
                    seen=form.cleaned_data["seen"],
                    by=request.user,
                    channel=Channel.PAGE,
                    at=datetime.now(UTC),
                )
            except EditedMeanwhile as edited:
                form.add_error(None, str(edited))
                status = 409
            except ObservationRefused as refused:
                form.add_error("body", str(refused))
            except ConceptRefused as refused:
                form.add_error("concepts", str(refused))
            else:
                messages.success(request, "The observation is saved. History has the undo.")
                return redirect("observation", row.uuid)
    else:
        form = ObservationForm(initial=ObservationForm.values_of(row))
    context = {"form": form, "project": row.project, "observation": row}
    return render_page(request, "sources/observation_form.html", context, status=status)


@needs_workspace
@require_POST
def observation_delete(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Deletes an observation with its links and goes to the list."""
    row = observation_for(request.user, uuid)
    try:
        observations.delete(observation=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except observations.ObservationRefused as refused:
        return observation_page(request, row, problem=str(refused), status=409)
    messages.success(request, f"Observation #{row.pk} is deleted, its sources are free. History has the undo.")
    return redirect("observation-list")


def observation_page(request: MemberRequest, row: Observation, *, problem: str = "", status: int = 200) -> HttpResponse:
    """The page of an observation as it is now; `problem` stands above what it is about."""
    links = list(row.source_links.all())
    page = page_of(request, links, per_page=_LINKS)
    words = one_line(request.GET.get("find", ""))[:500]
    offers = offers_of([row.turn_id]).get(row.turn_id, []) if row.turn_id is not None else []
    linked = {link.source_id for link in links if link.relationship == "retrieved"}
    found = sources_matching(workspace_id=row.project.workspace_id, words=words)
    tell([*(link.source for link in page.object_list), *(offer.row.source for offer in offers), *found])
    acknowledged = meant(use_kind=UseKind.OBSERVATION, use_ids=[row.pk])
    context = {
        "observation": row,
        "page": page,
        "links": [(link, acknowledged.get((link.source_id, row.pk))) for link in page.object_list],
        "offers": offers,
        "unlinked": [offer for offer in offers if offer.row.source_id not in linked],
        "find": words,
        "found": found,
        "relationships": RELATIONSHIPS,
        "problem": problem,
        "can_curate": permissions.can_curate(request.user, row.project.workspace_id),
    }
    return render_page(request, "sources/observation.html", context, status=status)
