"""The review queue: one card at a time, evidence beside the claim, and the decision that moves on to the next."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import move_focus, render_page, say, wants_fragment
from provenance_site.kit.text import counted, word_diff
from sources import permissions
from sources.core.findings import Verdict
from sources.core.kinds import ReviewReason
from sources.models import Project, Source
from sources.queries import review as reading
from sources.queries.retraction_evidence import tell
from sources.queries.review import QueueFilter
from sources.services import review
from sources.views.forms import DecisionForm, QueueForm
from sources.views.lookups import source_for


@needs_workspace
@require_GET
def queue(request: MemberRequest) -> HttpResponse:
    """The queue at `?at=<source>`, or at its oldest question; `?project=` and `?question=` narrow it."""
    return render_page(request, "sources/queue.html", _queue(request, request.GET), partial="sources/_queue_body.html")


@needs_workspace
@require_POST
def decide(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Writes a decision. From the queue it answers with the next card, from a source's page with that page.

    422 with the card and what is missing; 409 with the card and the decision that came between.
    """
    source = source_for(request.user, uuid)
    form = DecisionForm(request.POST)
    status = 200
    stale: review.Stale | None = None
    if form.is_valid():
        try:
            review.decide(
                source=source,
                given=form.given,
                seen=form.seen,
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except review.DecisionRefused as refused:
            form.add_error("reason", str(refused))
            status = 422
        except review.Stale as news:
            form.add_error(None, str(news))
            status, stale = 409, news
    else:
        status = 422
    if status == 200:
        return _decided(request, source=source, form=form)
    return _again(request, source=source, form=form, status=status, stale=stale)


def _decided(request: MemberRequest, *, source: Source, form: DecisionForm) -> HttpResponse:
    told = f"{form.given.kind.label}: {source}"
    if request.POST.get("from") != "queue":
        messages.success(request, told)
        return redirect("source", source.uuid)
    params = _queue_params(request.POST)
    if not wants_fragment(request):
        messages.success(request, told)
        return redirect(f"{reverse('queue')}?{params.urlencode()}")
    context = _queue(request, params)
    response = render_page(request, "sources/queue.html", context, partial="sources/_queue_body.html")
    return move_focus(
        say(response, f"{form.given.kind.label}. {counted(context['place'].total, 'question')} left."), "#card-heading"
    )


def _again(
    request: MemberRequest, *, source: Source, form: DecisionForm, status: int, stale: review.Stale | None
) -> HttpResponse:
    source = source_for(request.user, source.uuid)
    params = _queue_params(request.POST, at=source.uuid)
    context = _queue(request, params) | _card(request, source) | {"form": form, "stale": stale}
    response = render_page(request, "sources/queue.html", context, partial="sources/_queue_body.html", status=status)
    return move_focus(response, "#card-heading")


def _queue(request: MemberRequest, params: QueryDict) -> dict[str, Any]:
    form = QueueForm(params)
    valid = form.is_valid()
    wanted = QueueFilter(
        project=form.cleaned_data.get("project") if valid else None,
        reason=ReviewReason(form.cleaned_data["question"]) if valid and form.cleaned_data.get("question") else None,
    )
    workspace_id = request.workspace.pk
    items = reading.open_items(user=request.user, workspace_id=workspace_id, wanted=wanted)
    place = reading.place_at(items, source=form.cleaned_data.get("at") if valid else None)
    context: dict[str, Any] = {
        "place": place,
        "item": place.item,
        "wanted": wanted,
        "filter_is_bad": not valid,
        "reasons": reading.counts_by_reason(user=request.user, workspace_id=workspace_id, wanted=wanted),
        "projects": Project.objects.filter(workspace_id=workspace_id).order_by("name"),
        "params": _queue_params(params),
        "can_undo": permissions.can_decide(request.user, workspace_id),
        "recent": reading.recent_deeds(user=request.user, workspace_id=workspace_id),
    }
    if place.item is not None:
        context |= _card(request, place.item.source)
    return context


def _card(request: MemberRequest, source: Source) -> dict[str, Any]:
    dossier = reading.dossier_of(source)
    tell([source])
    return {
        "source": source,
        "dossier": dossier,
        "title_diff": word_diff(dossier.claimed_title, dossier.evidence.title_found),
        "verdicts": list(Verdict),
        "can_decide": permissions.can_decide(request.user, source.workspace_id),
    }


def _queue_params(params: QueryDict, at: UUID | None = None) -> QueryDict:
    """Only the queue's own parameters, so that a decision's fields never leak into its address."""
    kept = QueryDict(mutable=True)
    for name in ("project", "question"):
        value = params.get(name)
        if isinstance(value, str) and value:
            kept[name] = value
    if at is not None:
        kept["at"] = str(at)
    return kept
