"""Two persons for a bulk edit of retractions: one proposes it with its preview, another approves or refuses it.

What changed between the two is left alone, and said. The edit itself is one ChangeSet that names both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from django.db import transaction
from django.http import Http404

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.rows import in_parts, update_rows
from provenance_site.notices import services as notices
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.kinds import ProposalKind, ProposalState
from sources.core.retraction_status import Status
from sources.models import RetractionProposal, RetractionProposalRow, RetractionStanding, Source
from sources.queries import retraction_proposals as queries
from sources.queries.readable import readable
from sources.queries.retraction_evidence import holding
from sources.services import long_deeds, retraction_decisions, retraction_policy, retractions
from sources.services.bulk_deeds import Deed
from sources.services.retraction_decisions import Ruling

# So many rows are written while the person waits; more are a worker's.
AT_ONCE = 2_000


class ProposalRefused(ValueError):
    """Nothing can be done about the proposal so; the message says why and the way out."""


class OwnProposal(ProposalRefused):
    """Somebody would approve or refuse what they proposed themselves."""

    def __str__(self) -> str:
        return "You proposed this, so somebody else decides about it. You may withdraw it."


@dataclass(frozen=True, slots=True)
class Approved:
    """What was done: the deed, how many sources it is about, and a sentence for each row that was skipped."""

    change_set: ChangeSet
    changed: int
    skipped: tuple[str, ...]
    is_a_workers: bool


def changed_since(proposal: RetractionProposal) -> dict[int, str]:
    """Rows of a waiting proposal, by key, that are not as its proposer saw them, and why. A few queries per 500."""
    rows = proposal.rows.filter(why="").order_by("source")
    return _changed_since(list(rows), workspace_id=proposal.workspace_id)


def approve(*, proposal: RetractionProposal, by: User, channel: Channel, at: datetime) -> Approved:
    """Does what was proposed, but for what changed since: such rows are skipped, and keep the reason.

    One ChangeSet in the approver's name that names both people; more than 2,000 marked sources are a worker's, in
    steps. Raises PermissionDenied for less than an administrator, `OwnProposal`, and `ProposalRefused` where it is no
    longer waiting, its proposer may no longer do this, or nothing of it is left.
    """
    with transaction.atomic():
        held = _held(proposal, by=by)
        if held.proposed_by_id not in retraction_policy.approvers(workspace_id=held.workspace_id):
            raise ProposalRefused(
                f"{held.proposed_by} is no administrator here any more. Refuse it, and propose it yourself."
            )
        rows = list(held.rows.filter(why="").order_by("source"))
        _lock(rows, workspace_id=held.workspace_id)
        since = _changed_since(rows, workspace_id=held.workspace_id)
        going = [row for row in rows if row.pk not in since]
        if not going:
            raise ProposalRefused("All of it changed since it was proposed. Refuse it; it can be proposed anew.")
        skipped = [row for row in rows if row.pk in since]
        for row in skipped:
            row.why = since[row.pk]
        update_rows(skipped, ["why"])
        done = _DOING[held.as_kind](held, going, by, channel, at)
        held.change_set = done
        _close(held, ProposalState.APPROVED, by=by, at=at)
    told = tuple(f"Line {row.line}, {row.spelling[:120]}: {row.why}" for row in skipped)
    return Approved(done, len(going), told, is_a_workers=hasattr(done, "long_deed"))


def refuse(*, proposal: RetractionProposal, reason: str, by: User, at: datetime) -> None:
    """Ends a proposal with the reason, which its proposer is told. Nothing else changes.

    Raises as `approve`, and `ProposalRefused` without a reason.
    """
    reason = without_credentials(reason.strip())
    with transaction.atomic():
        held = _held(proposal, by=by)
        if not reason:
            raise ProposalRefused("Say why: the person who proposed it is told.")
        held.reason = reason
        _close(held, ProposalState.REFUSED, by=by, at=at)


def withdraw(*, proposal: RetractionProposal, by: User, at: datetime) -> None:
    """Takes one's own proposal back. Raises `ProposalRefused` for another's and for one that is no longer waiting."""
    permissions.check_can_retract(by, proposal.workspace_id)
    with transaction.atomic():
        held = _locked(proposal)
        if held.proposed_by_id != by.pk:
            raise ProposalRefused(f"{held.proposed_by} proposed this. You may refuse it, with the reason.")
        _close(held, ProposalState.WITHDRAWN, by=by, at=at)


def _held(proposal: RetractionProposal, *, by: User) -> RetractionProposal:
    permissions.check_can_retract(by, proposal.workspace_id)
    held = _locked(proposal)
    if held.proposed_by_id == by.pk:
        raise OwnProposal
    return held


def _locked(proposal: RetractionProposal) -> RetractionProposal:
    """The waiting proposal, held to the end of the transaction: of two people at once the second finds it decided."""
    rows = RetractionProposal.objects.select_for_update(of=("self",), no_key=True).select_related("proposed_by")
    held = rows.filter(pk=proposal.pk).first()
    if held is None:
        raise Http404
    if held.as_state is not ProposalState.WAITING:
        raise ProposalRefused(f"It is {held.as_state.label.lower()} already.")
    return held


def _close(held: RetractionProposal, state: ProposalState, *, by: User, at: datetime) -> None:
    held.state, held.decided_by, held.decided_at = state, by, at
    held.save(update_fields=["state", "decided_by", "decided_at", "reason", "change_set"])
    notices.done_with(workspace_id=held.workspace_id, user_id=by.pk, kind=queries.KIND, subject_id=held.pk, at=at)
    if state is not ProposalState.WITHDRAWN:
        notices.tell(
            workspace_id=held.workspace_id,
            user_ids={held.proposed_by_id},
            kind=queries.KIND,
            key=f"proposal {held.pk} {state}",
            subject_id=held.pk,
            at=at,
        )


def _lock(rows: Sequence[RetractionProposalRow], *, workspace_id: int) -> None:
    for part in in_parts([row.source_id for row in rows if row.source_id is not None]):
        locked = (
            Source.objects.standing()
            .select_for_update(no_key=True)
            .filter(workspace_id=workspace_id, pk__in=part)
            .order_by("pk")
        )
        list(locked.values_list("pk"))


def _changed_since(rows: Sequence[RetractionProposalRow], *, workspace_id: int) -> dict[int, str]:
    changed: dict[int, str] = {}
    for part in in_parts(rows):
        keys = [row.source_id for row in part if row.source_id is not None]
        standing = readable(Source.objects.all()).standing().filter(workspace_id=workspace_id, pk__in=keys)
        versions = dict(standing.values_list("pk", "row_version"))
        decided = {pk: decision.pk for pk, decision in holding(keys).items()}
        evidence = evidence_of(keys)
        for row in part:
            pk = row.source_id or 0
            if pk not in versions:
                changed[row.pk] = "It was removed or merged since"
            elif decided.get(pk, 0) != row.seen_decision:
                changed[row.pk] = "Somebody decided about it since"
            elif versions[pk] != row.seen_version:
                changed[row.pk] = "It was edited since"
            elif evidence.get(pk, "") != row.seen_evidence:
                changed[row.pk] = "Providers said more since"
    return changed


def evidence_of(source_ids: Sequence[int]) -> dict[int, str]:
    """The fingerprint of what providers say of each of these sources of which they say anything. One query per 500."""
    found: dict[int, str] = {}
    for part in in_parts(sorted(source_ids)):
        told = RetractionStanding.objects.filter(source__in=part).exclude(evidence_fingerprint="")
        found.update(told.values_list("source", "evidence_fingerprint"))
    return found


def _note_of(held: RetractionProposal, by: User) -> str:
    return f"{held.note} (proposed by {held.proposed_by}, approved by {by})"


def _decide(
    held: RetractionProposal, rows: Sequence[RetractionProposalRow], by: User, channel: Channel, at: datetime
) -> ChangeSet:
    rulings: Mapping[int, Ruling] = {
        row.source_id: Ruling(Status(row.status), row.reason, row.notice, row.notice_date)
        for row in rows
        if row.source_id is not None
    }
    return retraction_decisions.write(
        workspace_id=held.workspace_id, rulings=rulings, note=_note_of(held, by), by=by, channel=channel, at=at
    )


def _mark(
    held: RetractionProposal, rows: Sequence[RetractionProposalRow], by: User, channel: Channel, at: datetime
) -> ChangeSet:
    match held.as_kind:
        case ProposalKind.RETRACT:
            deed, kind = Deed.RETRACT, retractions.CHANGE_KIND
        case ProposalKind.UNRETRACT:
            deed, kind = Deed.UNRETRACT, retractions.LIFT_KIND
        case ProposalKind.LIST:
            raise ValueError("a list is decided about, not marked")
        case _:
            assert_never(held.as_kind)
    versions = [(row.source_id, row.seen_version) for row in rows if row.source_id is not None]
    if len(versions) > AT_ONCE:
        begun = long_deeds.begin_agreed(
            workspace_id=held.workspace_id,
            versions=versions,
            deed=deed,
            note=held.note,
            deed_note=_note_of(held, by),
            # Rows of which somebody had decided are there only if the proposer wanted that decided anew.
            over_decisions=any(row.seen_decision for row in rows),
            by=by,
            channel=channel,
            at=at,
        )
        assert begun.change_set is not None  # noqa: S101
        return begun.change_set
    done = changes.record(
        workspace_id=held.workspace_id,
        kind=kind,
        actor=by,
        channel=channel,
        note=_note_of(held, by),
        at=at,
        changes=[],
    )
    facts = retractions.write(
        change_set=done,
        source_ids=[pk for pk, _ in versions],
        retracted=deed is Deed.RETRACT,
        note=held.note,
        by=by,
        at=at,
    )
    changes.add(change_set=done, changes=facts)
    return done


_Doing = Callable[[RetractionProposal, Sequence[RetractionProposalRow], User, Channel, datetime], ChangeSet]
_DOING: dict[ProposalKind, _Doing] = {
    ProposalKind.LIST: _decide,
    ProposalKind.RETRACT: _mark,
    ProposalKind.UNRETRACT: _mark,
}
