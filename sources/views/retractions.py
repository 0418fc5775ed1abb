"""The Retractions screen: what is new, what waits to be affirmed, what only an editor can say, what is meant."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.core.kinds import UseKind
from sources.core.retraction_status import Status
from sources.models import Source
from sources.queries import retraction_board, retraction_proposals
from sources.queries.retraction_board import Dossier, Tab
from sources.services import retraction_acknowledgements, retraction_decisions, retraction_parts
from sources.services.retraction_acknowledgements import AcknowledgementRefused
from sources.services.retraction_decisions import DecisionRefused, EvidenceChanged
from sources.services.retraction_parts import NoSuchHint
from sources.views.lookups import merged_source_for, source_for
from sources.views.retraction_forms import AcknowledgeForm, PartForm, RulingForm, WithdrawForm

PER_PAGE = 10


@needs_workspace
@require_GET
def board(request: MemberRequest) -> HttpResponse:
    """The sources of one tab, `?tab=new|stale|conflicts|acknowledged|retracted`; without it the first that has any."""
    workspace_id = request.workspace.pk
    counts = retraction_board.counts(workspace_id=workspace_id)
    wanted = request.GET.get("tab", "")
    tab = Tab(wanted) if wanted in set(Tab) else next((tab for tab in Tab if counts[tab]), Tab.NEW)
    page = page_of(request, retraction_board.sources_on(tab, workspace_id=workspace_id), per_page=PER_PAGE)
    dossiers = _dossiers(request, list(page.object_list))
    can_retract = permissions.can_retract(request.user, workspace_id)
    context = {
        "waiting": retraction_proposals.waiting_count(workspace_id=workspace_id) if can_retract else 0,
        "tab": tab,
        "tabs": [(one, counts[one]) for one in Tab],
        "page": page,
        "cards": [(dossier, _form_for(dossier)) for dossier in dossiers],
        "can_decide": permissions.can_decide(request.user, workspace_id),
        "can_retract": can_retract,
        "can_curate": permissions.can_curate(request.user, workspace_id),
    }
    return render_page(request, "sources/retractions.html", context)


@needs_workspace
@require_GET
def retraction(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """What is said and decided about the retraction of one source, and by what it is used."""
    winner = merged_source_for(request.user, uuid)
    if winner is not None:
        return redirect("source-retraction", winner.uuid)
    return _one(request, source_for(request.user, uuid))


@needs_workspace
@require_POST
def retraction_decide(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Keeps a decision, or affirms one; 422 with what is missing, 409 where providers said more since."""
    found = source_for(request.user, uuid)
    permissions.check_can_decide(request.user, found.workspace_id)
    form = RulingForm(request.POST, auto_id=_auto_id(found))
    if not form.is_valid():
        return _one(request, found, form=form, status=422)
    try:
        retraction_decisions.decide(
            source=found,
            ruling=form.given,
            seen=form.cleaned_data["seen"],
            expires_at=form.expires_at,
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except DecisionRefused as refused:
        form.add_error("reason", str(refused))
        return _one(request, found, form=form, status=422)
    except EvidenceChanged as news:
        messages.warning(request, str(news))
        return _one(request, found, status=409)
    words = dict(form.fields["status"].choices)[form.cleaned_data["status"]]  # type: ignore[attr-defined]
    messages.success(request, f"“{found}”: {words.lower()}. No check undoes this; History can take it back.")
    return redirect("retractions")


@needs_workspace
@require_POST
def retraction_acknowledge(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Keeps that one use is meant; 422 with the reason why not."""
    found = source_for(request.user, uuid)
    permissions.check_can_decide(request.user, found.workspace_id)
    form = AcknowledgeForm(request.POST)
    problem = "" if form.is_valid() else "Say which use is meant, and why."
    if not problem:
        try:
            retraction_acknowledgements.acknowledge(
                source=found,
                use_kind=UseKind(form.cleaned_data["kind"]),
                use_id=form.cleaned_data["use"],
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=datetime.now(UTC),
            )
        except AcknowledgementRefused as refused:
            problem = str(refused)
    if problem:
        return _one(request, found, problem=problem, status=422)
    messages.success(request, "Kept: this use is meant.")
    return redirect("source-retraction", found.uuid)


@needs_workspace
@require_POST
def acknowledgement_withdraw(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes back that one use is meant: it warns again. Twice is harmless; 422 where nobody said so."""
    found = source_for(request.user, uuid)
    permissions.check_can_decide(request.user, found.workspace_id)
    form = WithdrawForm(request.POST)
    kept = form.is_valid() and found.retraction_acknowledgements.filter(pk=form.cleaned_data["acknowledgement"]).first()
    if not kept:
        return _one(request, found, problem="Nobody says that this use is meant.", status=422)
    retraction_acknowledgements.withdraw(acknowledgement=kept, by=request.user, at=datetime.now(UTC))
    messages.success(request, "Withdrawn: this use warns again.")
    return redirect("source-retraction", found.uuid)


@needs_workspace
@require_POST
def retraction_part(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Keeps that the source is a part of the book that a hint names; 422 where nobody asks that any more."""
    found = source_for(request.user, uuid)
    permissions.check_can_decide(request.user, found.workspace_id)
    form = PartForm(request.POST)
    hint = found.retraction_hints.filter(pk=form.cleaned_data["hint"]).first() if form.is_valid() else None
    try:
        if hint is None:
            raise NoSuchHint("Nobody asks that any more.")
        retraction_parts.confirm(hint=hint, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except NoSuchHint as gone:
        return _one(request, found, problem=str(gone), status=422)
    messages.success(request, f"“{found}” is affected while that book is retracted. History can take it back.")
    return redirect("source-retraction", found.uuid)


def _one(
    request: MemberRequest, source: Source, *, form: RulingForm | None = None, problem: str = "", status: int = 200
) -> HttpResponse:
    (dossier,) = _dossiers(request, [source])
    context: dict[str, Any] = {
        "source": source,
        "dossier": dossier,
        "form": form or _form_for(dossier),
        "problem": problem,
        "can_decide": permissions.can_decide(request.user, source.workspace_id),
        "can_curate": permissions.can_curate(request.user, source.workspace_id),
    }
    return render_page(request, "sources/retraction.html", context, status=status)


def _dossiers(request: MemberRequest, sources: list[Source]) -> list[Dossier]:
    internal = permissions.can_export_internal(request.user, request.workspace.pk)
    return retraction_board.dossiers_of(sources, membership=request.membership, internal=internal)


def _form_for(dossier: Dossier) -> RulingForm:
    """A form that proposes what holds: the decision to affirm, else what providers say."""
    status = Status.NONE_FOUND
    if dossier.decision is not None:
        status = dossier.decision.as_status
    elif dossier.standing is not None and dossier.standing.as_status not in {Status.UNCHECKED, Status.CONFLICT}:
        status = dossier.standing.as_status
    initial = {
        "status": status.value,
        "reason": dossier.decision.reason if dossier.decision else "",
        "seen": dossier.seen,
    }
    return RulingForm(initial=initial, auto_id=_auto_id(dossier.source))


def _auto_id(source: Source) -> str:
    return f"id_{source.pk}_%s"
