"""Bulk edits of retractions that wait for a second person, and the setting that makes them wait."""

from datetime import UTC, datetime
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import dispatch, permissions
from sources.core.kinds import ProposalState
from sources.models import RetractionProposal
from sources.queries import retraction_proposals as queries
from sources.queries.readable import readable
from sources.services import retraction_policy, retraction_proposals
from sources.services.retraction_policy import PolicyRefused
from sources.services.retraction_proposals import ProposalRefused
from sources.views.lookups import proposal_for

PER_PAGE = 20
ROWS_PER_PAGE = 100
# A cookie or a page should not hold more of them; the proposal's own page has all.
_SKIPPED_NAMED = 10


class SecondPersonForm(forms.Form):
    """Whether bulk edits wait for another person."""

    second_person = forms.BooleanField(
        required=False,
        label="A second person approves bulk edits of retractions",
        help_text="Lists, marking and taking marks off many sources at once: on the pages, in the admin and over JSON.",
    )


class RefuseForm(forms.Form):
    """Why a proposal is refused."""

    reason = forms.CharField(
        max_length=2_000, label="Why it is refused", help_text="The person who proposed it is told."
    )


@needs_workspace
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest) -> HttpResponse:
    """What the workspace wants of bulk edits, and who changed it last; a POST sets it."""
    workspace_id = request.workspace.pk
    permissions.check_can_retract(request.user, workspace_id)
    now = retraction_policy.needs_second_person(workspace_id=workspace_id)
    form = SecondPersonForm(request.POST if request.method == "POST" else None, initial={"second_person": now})
    if request.method == "POST" and form.is_valid():
        try:
            done = retraction_policy.set_second_person(
                workspace_id=workspace_id,
                wanted=form.cleaned_data["second_person"],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except PolicyRefused as refused:
            form.add_error("second_person", str(refused))
        else:
            messages.success(request, "Kept. History names you." if done else "Nothing changed.")
            return redirect("retraction-settings")
    deeds = readable(ChangeSet.objects.all()).filter(workspace=workspace_id, kind=retraction_policy.CHANGE_KIND)
    context = {
        "form": form,
        "deeds": list(deeds.select_related("actor").order_by("-at", "-pk")[:5]),
        "waiting": queries.waiting_count(workspace_id=workspace_id),
    }
    return render_page(request, "sources/retraction_settings.html", context, status=422 if form.errors else 200)


@needs_workspace
@require_GET
def proposals(request: MemberRequest) -> HttpResponse:
    """The workspace's proposals, those that wait first."""
    workspace_id = request.workspace.pk
    permissions.check_can_retract(request.user, workspace_id)
    context = {
        "page": page_of(request, queries.proposals_of(workspace_id=workspace_id), per_page=PER_PAGE),
        "waiting": queries.waiting_count(workspace_id=workspace_id),
        "two_persons": retraction_policy.needs_second_person(workspace_id=workspace_id),
    }
    return render_page(request, "sources/retraction_proposals.html", context)


@needs_workspace
@require_GET
def proposal(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """One proposal with its preview, what changed since, and what may be done about it."""
    return _one(request, _found(request, uuid))


@needs_workspace
@require_POST
def approve(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Does what another proposed, and says what was skipped; 409 with the reason where it cannot be."""
    found = _found(request, uuid)
    try:
        done = dispatch.approve(proposal=found, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except ProposalRefused as refused:
        return _one(request, _found(request, uuid), problem=str(refused), status=409)
    words = "is being changed by a worker" if done.is_a_workers else "changed"
    messages.success(
        request, f"Approved: {counted(done.changed, 'source')} {words}. The History page can take it back."
    )
    for left in done.skipped[:_SKIPPED_NAMED]:
        messages.warning(request, f"Left alone. {left}.")
    if (more := len(done.skipped) - _SKIPPED_NAMED) > 0:
        messages.warning(request, f"Left alone for such reasons: {more:,} more, below.")
    return redirect("retraction-proposal", found.uuid)


@needs_workspace
@require_POST
def refuse(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Ends another's proposal with a reason; 422 without one, 409 where it cannot be."""
    found = _found(request, uuid)
    form = RefuseForm(request.POST)
    if not form.is_valid():
        return _one(request, found, form=form, status=422)
    try:
        retraction_proposals.refuse(
            proposal=found, reason=form.cleaned_data["reason"], by=request.user, at=datetime.now(UTC)
        )
    except ProposalRefused as refused:
        return _one(request, _found(request, uuid), problem=str(refused), status=409)
    messages.success(request, f"Refused. {found.proposed_by} is told why.")
    return redirect("retraction-proposals")


@needs_workspace
@require_POST
def withdraw(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes one's own proposal back; 409 where it cannot be."""
    found = _found(request, uuid)
    try:
        retraction_proposals.withdraw(proposal=found, by=request.user, at=datetime.now(UTC))
    except ProposalRefused as refused:
        return _one(request, _found(request, uuid), problem=str(refused), status=409)
    messages.success(request, "Withdrawn. Nothing was changed.")
    return redirect("retraction-proposals")


def _found(request: MemberRequest, uuid: UUID) -> RetractionProposal:
    found = proposal_for(request.user, uuid)
    permissions.check_can_retract(request.user, found.workspace_id)
    return found


def _one(
    request: MemberRequest,
    found: RetractionProposal,
    *,
    form: RefuseForm | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    waits = found.as_state is ProposalState.WAITING
    since = retraction_proposals.changed_since(found) if waits else {}
    page = page_of(request, found.rows.select_related("source").order_by("line", "pk"), per_page=ROWS_PER_PAGE)
    context = {
        "proposal": found,
        "waits": waits,
        "is_own": found.proposed_by_id == request.user.pk,
        "going": found.planned - len(since),
        "changed": len(since),
        "page": page,
        "rows": [(row, row.why or since.get(row.pk, "")) for row in page.object_list],
        "form": form or RefuseForm(),
        "problem": problem,
    }
    return render_page(request, "sources/retraction_proposal.html", context, status=status)
