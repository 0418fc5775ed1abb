"""Files a bulk edit of retractions as a proposal, with the preview that its proposer saw."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from provenance_site.kit.rows import insert_columns
from provenance_site.notices import services as notices
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.kinds import ProposalKind
from sources.core.retraction_list import words_of
from sources.core.retraction_status import Status
from sources.models import RetractionProposal, RetractionProposalRow
from sources.queries import retraction_proposals as queries
from sources.queries.retraction_evidence import holding
from sources.services import bulk_deeds, bulk_edit, retraction_lists, retraction_policy, retractions
from sources.services.bulk_deeds import Deed, Spared
from sources.services.retraction_lists import Given, ListChanged
from sources.services.retraction_proposals import evidence_of
from sources.services.source_edits import RowPlan, digest_of

_COLUMNS = (
    "line", "source_id", "seen_version", "seen_decision", "seen_evidence", "status", "reason", "notice", "notice_date",
    "spelling", "before", "after", "why",
)  # fmt: skip
_SILENT = {"source_id": None, "seen_version": 0, "seen_decision": 0}
# A line of a list as somebody reads it again.
_SPELLED = 500


def propose_list(
    *, workspace_id: int, given: Given, seen: str, by: User, channel: Channel, at: datetime
) -> RetractionProposal | None:
    """Files what a look at a list has shown, and tells those who may approve; None where nothing would change.

    Raises as `retraction_lists.apply`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = retraction_lists.noted(given)
    with transaction.atomic():
        now = retraction_lists.look(workspace_id=workspace_id, given=given)
        if now.digest != seen:
            raise ListChanged
        if not now.planned:
            return None
        evidence = evidence_of([plan.source.pk for plan in now.planned])
        rows: list[dict[str, Any]] = [
            {
                "line": plan.line,
                "source_id": plan.source.pk,
                "seen_version": plan.source.row_version,
                "seen_decision": plan.decided.pk if plan.decided else 0,
                "seen_evidence": evidence.get(plan.source.pk, ""),
                "status": plan.ruling.status.value,
                "reason": plan.ruling.reason,
                "notice": plan.ruling.notice,
                "notice_date": plan.ruling.notice_date,
                "spelling": str(plan.source)[:_SPELLED],
                "before": plan.before,
                "after": plan.after,
            }
            for plan in now.planned
        ]
        rows += [_left(left.line, left.spelling, left.why, source_id=left.source_id) for left in now.skipped]
        rows += [_left(error.line, error.spelling, error.message) for error in now.errors]
        return _file(ProposalKind.LIST, rows, note, workspace_id=workspace_id, by=by, channel=channel, at=at)


def propose_deed(
    *,
    workspace_id: int,
    source_ids: Sequence[int],
    deed: Deed,
    note: str,
    seen: str,
    by: User,
    channel: Channel,
    at: datetime,
    over_decisions: bool = False,
) -> RetractionProposal | None:
    """Files marking the chosen sources, or taking marks off, and tells those who may approve; None where nothing would
    change. Raises as `bulk_deeds.do`."""
    permissions.check_can_retract(by, workspace_id)
    note = retractions.noted(note, lifts=deed is Deed.UNRETRACT)
    bulk_edit.check_number(source_ids)
    retracts = deed is Deed.RETRACT
    status = Status.RETRACTED if retracts else Status.NONE_FOUND
    with transaction.atomic():
        planned = list(
            bulk_deeds.plans(
                workspace_id=workspace_id, source_ids=source_ids, deed=deed, note=note, over_decisions=over_decisions
            )
        )
        if digest_of((source.pk, source.row_version) for source, _ in planned) != seen:
            raise bulk_edit.ListChanged
        keys = [source.pk for source, plan in planned if isinstance(plan, RowPlan)]
        if not keys:
            return None
        evidence, decided = evidence_of(keys), holding(keys)
        rows = [
            _left(line, str(source), str(plan), source_id=source.pk)
            if isinstance(plan, Spared)
            else {
                "line": line,
                "source_id": source.pk,
                "seen_version": source.row_version,
                "seen_decision": decided[source.pk].pk if source.pk in decided else 0,
                "seen_evidence": evidence.get(source.pk, ""),
                "status": status.value,
                "reason": note,
                "spelling": str(source)[:_SPELLED],
                "before": "Marked retracted" if source.retracted else "Not marked",
                "after": words_of(status) if retracts else "Not marked",
            }
            for line, (source, plan) in enumerate(planned, 1)
        ]
        kind = ProposalKind.RETRACT if retracts else ProposalKind.UNRETRACT
        return _file(kind, rows, note, workspace_id=workspace_id, by=by, channel=channel, at=at)


def _left(line: int, spelling: str, why: str, *, source_id: int | None = None) -> dict[str, Any]:
    return {"line": line, "source_id": source_id, "spelling": without_credentials(spelling)[:_SPELLED], "why": why}


def _file(
    kind: ProposalKind,
    rows: Iterable[dict[str, Any]],
    note: str,
    *,
    workspace_id: int,
    by: User,
    channel: Channel,
    at: datetime,
) -> RetractionProposal:
    ordered = sorted(rows, key=lambda row: int(row["line"]))
    left = sum(1 for row in ordered if row.get("why"))
    proposal = RetractionProposal.objects.create(
        workspace_id=workspace_id,
        kind=kind,
        note=note,
        planned=len(ordered) - left,
        left=left,
        channel=channel,
        proposed_by=by,
        proposed_at=at,
    )
    insert_columns(
        RetractionProposalRow,
        {name: [row.get(name, _SILENT.get(name, "")) for row in ordered] for name in _COLUMNS},
        same={"proposal_id": proposal.pk},
    )
    notices.tell(
        workspace_id=workspace_id,
        user_ids=retraction_policy.approvers(workspace_id=workspace_id) - {by.pk},
        kind=queries.KIND,
        key=f"proposal {proposal.pk}",
        subject_id=proposal.pk,
        at=at,
    )
    return proposal
