"""Bulk edits of retractions that wait for a second person, over JSON: listed, approved, refused, withdrawn.

The person is the token's; nobody approves what they proposed themselves by another door.
"""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources import dispatch, permissions
from sources.core.kinds import ProposalKind, ProposalState
from sources.models import RetractionProposal
from sources.queries.readable import readable
from sources.queries.retraction_proposals import proposals_of
from sources.services import retraction_proposals
from sources.services.retraction_proposals import ProposalRefused

router = Router(tags=["retractions"])
_PERMISSION = {"detail": "Only an administrator sees and decides about proposals."}


class ProposalOut(Schema):
    """One proposal. `change_set` is its deed in History once it was approved."""

    proposal: UUID
    kind: ProposalKind
    state: ProposalState
    note: str
    planned: int
    left: int
    proposed_by: str
    proposed_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    reason: str
    change_set: UUID | None


class ProposalsOut(Schema):
    """One page, those that wait first; `next_offset` is null on the last one."""

    total: int
    waiting: int
    proposals: list[ProposalOut]
    next_offset: int | None


class ProposalsIn(Schema):
    """Which page."""

    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(50, ge=1, le=200)


class ProposalRowOut(Schema):
    """One line of the preview. `why` says why it is left alone, '' where it changes."""

    line: int
    source: UUID | None
    spelling: str
    before: str
    after: str
    why: str


class RowsOut(Schema):
    """A proposal and one page of its lines; of one that waits, `why` also says what changed since."""

    proposal: ProposalOut
    rows: list[ProposalRowOut]
    next_offset: int | None


class RefuseIn(Schema):
    """Why it is refused; its proposer is told."""

    reason: str = Field(max_length=2_000)


class ApprovedOut(Schema):
    """What an approval did: the deed in History, how many sources, and what was skipped because it changed since."""

    change_set: UUID
    changed: int
    skipped: list[str]


@router.get(
    "/retractions/proposals",
    response={200: ProposalsOut, 403: Problem},
    summary="List proposals of bulk edits",
    url_name="retraction-proposals",
)
def list_proposals(request: HttpRequest, wanted: Query[ProposalsIn]) -> Status[Any] | dict[str, Any]:
    """The workspace's proposals. Needs the role admin."""
    token = token_of(request)
    if not permissions.can_retract(token.user, token.workspace_id):
        return Status(403, _PERMISSION)
    rows = proposals_of(workspace_id=token.workspace_id)
    total, end = rows.count(), wanted.offset + wanted.limit
    return {
        "total": total,
        "waiting": rows.waiting().count(),
        "proposals": [_told(row) for row in rows[wanted.offset : end]],
        "next_offset": end if end < total else None,
    }


@router.get(
    "/retractions/proposals/{uuid}",
    response={200: RowsOut, 403: Problem, 404: Problem},
    summary="Show a proposal with its preview",
    url_name="retraction-proposal",
)
def show_proposal(request: HttpRequest, uuid: UUID, wanted: Query[ProposalsIn]) -> Status[Any] | dict[str, Any]:
    """The preview as its proposer saw it, line by line. Needs the role admin."""
    try:
        found = _found(request, uuid)
    except PermissionDenied:
        return Status(403, _PERMISSION)
    waits = found.as_state is ProposalState.WAITING
    since = retraction_proposals.changed_since(found) if waits else {}
    rows = readable(found.rows.all()).select_related("source").order_by("line", "pk")
    total, end = rows.count(), wanted.offset + wanted.limit
    return {
        "proposal": _told(found),
        "rows": [
            {
                "line": row.line,
                "source": row.source.uuid if row.source else None,
                "spelling": row.spelling,
                "before": row.before,
                "after": row.after,
                "why": row.why or since.get(row.pk, ""),
            }
            for row in rows[wanted.offset : end]
        ],
        "next_offset": end if end < total else None,
    }


@router.post(
    "/retractions/proposals/{uuid}/approve",
    response={200: ApprovedOut, 403: Problem, 404: Problem, 409: Problem},
    summary="Approve another's proposal",
    url_name="retraction-proposal-approve",
)
def approve_proposal(request: HttpRequest, uuid: UUID) -> Status[Any] | dict[str, Any]:
    """Does what another person proposed, but for what changed since. 409 for one's own and for one that is decided."""
    try:
        done = dispatch.approve(
            proposal=_found(request, uuid), by=token_of(request).user, channel=Channel.API, at=datetime.now(UTC)
        )
    except PermissionDenied:
        return Status(403, _PERMISSION)
    except ProposalRefused as refused:
        return Status(409, {"detail": str(refused)})
    return {"change_set": done.change_set.uuid, "changed": done.changed, "skipped": list(done.skipped)}


@router.post(
    "/retractions/proposals/{uuid}/refuse",
    response={200: ProposalOut, 403: Problem, 404: Problem, 409: Problem},
    summary="Refuse another's proposal",
    url_name="retraction-proposal-refuse",
)
def refuse_proposal(request: HttpRequest, uuid: UUID, given: RefuseIn) -> Status[Any] | dict[str, Any]:
    """Ends another person's proposal with a reason. 409 for one's own and for one that is decided."""
    try:
        found = _found(request, uuid)
        retraction_proposals.refuse(
            proposal=found, reason=given.reason, by=token_of(request).user, at=datetime.now(UTC)
        )
    except PermissionDenied:
        return Status(403, _PERMISSION)
    except ProposalRefused as refused:
        return Status(409, {"detail": str(refused)})
    return _told(_found(request, uuid))


@router.post(
    "/retractions/proposals/{uuid}/withdraw",
    response={200: ProposalOut, 403: Problem, 404: Problem, 409: Problem},
    summary="Withdraw one's own proposal",
    url_name="retraction-proposal-withdraw",
)
def withdraw_proposal(request: HttpRequest, uuid: UUID) -> Status[Any] | dict[str, Any]:
    """Takes one's own proposal back. 409 for another's and for one that is decided."""
    try:
        retraction_proposals.withdraw(proposal=_found(request, uuid), by=token_of(request).user, at=datetime.now(UTC))
    except PermissionDenied:
        return Status(403, _PERMISSION)
    except ProposalRefused as refused:
        return Status(409, {"detail": str(refused)})
    return _told(_found(request, uuid))


def _found(request: HttpRequest, uuid: UUID) -> RetractionProposal:
    """The token's workspace's proposal; Http404 for any other, PermissionDenied below an administrator."""
    token = token_of(request)
    permissions.check_can_retract(token.user, token.workspace_id)
    found = proposals_of(workspace_id=token.workspace_id).filter(uuid=uuid).first()
    if found is None:
        raise Http404
    return found


def _told(row: RetractionProposal) -> dict[str, Any]:
    return {
        "proposal": row.uuid,
        "kind": row.kind,
        "state": row.state,
        "note": row.note,
        "planned": row.planned,
        "left": row.left,
        "proposed_by": str(row.proposed_by),
        "proposed_at": row.proposed_at,
        "decided_by": str(row.decided_by) if row.decided_by else None,
        "decided_at": row.decided_at,
        "reason": row.reason,
        "change_set": row.change_set.uuid if row.change_set else None,
    }
