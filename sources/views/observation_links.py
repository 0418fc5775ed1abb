"""What observations rest on: linking a source, taking a link away, and taking up what turns retrieved."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.downloads import attachment
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.core.entries import Relationship
from sources.formats import fountain_notes
from sources.models import Source
from sources.queries.observations import observations_of, tell_of
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell
from sources.queries.turns import offers_of, record_of, sessions_of, turns_of, waiting
from sources.services import observation_links, turns
from sources.services.turns import Linked
from sources.views.knowledge_forms import LinkForm
from sources.views.knowledge_lookups import link_for, observation_for, session_for, turn_for
from sources.views.lookups import project_for
from sources.views.observations import observation_page

_NEWEST = 5


@needs_workspace
@require_POST
def observation_link(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Links an observation to a source of its workspace; 422 with the page where none was chosen."""
    row = observation_for(request.user, uuid)
    permissions.check_can_curate(request.user, row.project.workspace_id)
    form = LinkForm(request.POST)
    if not form.is_valid():
        problem = "Choose a source of the list, and how the observation rests on it."
        return observation_page(request, row, problem=problem, status=422)
    chosen = readable(Source.objects.all()).filter(workspace_id=row.project.workspace_id)
    source = get_object_or_404(chosen, uuid=form.cleaned_data["source"])
    is_new = observation_links.link(
        observation=row,
        source=source,
        relationship=Relationship(form.cleaned_data["relationship"]),
        by=request.user,
        channel=Channel.PAGE,
        at=datetime.now(UTC),
    )
    if is_new:
        messages.success(request, f"The observation rests on “{source}” now.")
    else:
        messages.info(request, f"The observation rested on “{source}” so already.")
    return redirect("observation", row.uuid)


@needs_workspace
@require_POST
def observation_unlink(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes the link `link` of an observation away."""
    row = observation_for(request.user, uuid)
    permissions.check_can_curate(request.user, row.project.workspace_id)
    link = link_for(row, request.POST.get("link", ""))
    observation_links.unlink(link=link, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(request, f"The link to “{link.source}” is taken away. History has the undo.")
    return redirect("observation", row.uuid)


@needs_workspace
@require_POST
def observation_link_turn(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Links an observation to the documents that its turn retrieved."""
    row = observation_for(request.user, uuid)
    done = turns.link_retrieved(observation=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    _say_linked(request, done)
    return redirect("observation", row.uuid)


@needs_workspace
@require_POST
def turn_link(request: MemberRequest, pk: int) -> HttpResponse:
    """Links all observations of a turn to what it retrieved."""
    turn = turn_for(request.user, pk)
    _say_linked(request, turns.link_turn(turn=turn, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC)))
    return redirect("session", turn.session_id)


@needs_workspace
@require_POST
def project_link_turns(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Links all observations of a project that wait for it to what their turns retrieved, in one deed."""
    project = project_for(request.user, uuid)
    _say_linked(
        request, turns.link_project(project=project, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    )
    return redirect("project-observations", project.uuid)


@needs_workspace
@require_GET
def project_observations(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A project's sessions and newest observations, and how many wait to be linked; htmx gets the panel alone."""
    project = project_for(request.user, uuid)
    rows = observations_of(workspace_id=project.workspace_id).filter(project=project)
    newest = list(rows[:_NEWEST])
    tell_of(newest)
    context = {
        "project": project,
        "newest": newest,
        "total": readable(project.observations.all()).count(),
        "waiting": waiting(project=project).count(),
        "sessions": page_of(request, sessions_of(project), per_page=20),
        "can_curate": permissions.can_curate(request.user, project.workspace_id),
    }
    partial = "sources/_project_observations.html"
    return render_page(request, "sources/project_observations.html", context, partial=partial)


@needs_workspace
@require_GET
def session(request: MemberRequest, pk: int) -> HttpResponse:
    """A session: its turns, what each retrieved, and the observations that belong to it."""
    found = session_for(request.user, pk)
    page = page_of(request, turns_of(found), per_page=20)
    offers = offers_of([turn.pk for turn in page.object_list])
    tell(offer.row.source for some in offers.values() for offer in some)
    context = {
        "session": found,
        "project": found.project,
        "page": page,
        "turns": [(turn, offers.get(turn.pk, [])) for turn in page.object_list],
        "can_curate": permissions.can_curate(request.user, found.project.workspace_id),
    }
    return render_page(request, "sources/session.html", context)


@needs_workspace
@require_GET
def turn_notes(request: MemberRequest, pk: int) -> HttpResponse:
    """The notes of a turn as a session has them, `[[rag: …]]` and `[[rag-source: …]]`, as a file."""
    found = turn_for(request.user, pk)
    lines = fountain_notes.notes(record_of(found))
    name = f"{found.session.name}-turn-{found.number}.fountain"
    text = "".join(f"{line}\n" for line in lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=attachment(name))


def _say_linked(request: MemberRequest, done: Linked) -> None:
    if done.links:
        messages.success(
            request,
            f"{counted(done.observations, 'observation rests', 'observations rest')} on what the turn retrieved: "
            f"{counted(done.links, 'new link')}. History has the undo.",
        )
    else:
        messages.info(request, "There was nothing to link: all documents are linked already, or none was retrieved.")
