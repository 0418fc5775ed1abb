"""Decisions about retractions as rows, and the questions that wait for a person."""

from collections.abc import Collection, Mapping
from datetime import datetime

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet
from provenance_site.kit.rows import in_parts, insert_rows
from sources.core.kinds import ReviewReason
from sources.core.retraction_status import Status
from sources.models import RetractionDecision, RetractionStanding, ReviewItem
from sources.queries.retraction_evidence import holding


def decide(
    *,
    statuses: Mapping[int, Status],
    reasons: Mapping[int, str],
    notices: Mapping[int, tuple[str, str]],
    change_set: ChangeSet,
    by: User,
    at: datetime,
    expires_at: datetime | None = None,
) -> None:
    """Writes a decision for each source, on the evidence of now, and closes the questions about their retraction.

    `notices` gives the notice and its date where there is one. In the caller's transaction, which marks the sources.
    """
    evidence: dict[int, str] = {}
    for part in in_parts(sorted(statuses)):
        rows = RetractionStanding.objects.filter(source__in=part)
        evidence.update(rows.values_list("source", "evidence_fingerprint"))
    insert_rows(
        [
            RetractionDecision(
                source_id=pk,
                status=status,
                reason=reasons[pk],
                notice=notices.get(pk, ("", ""))[0],
                notice_date=notices.get(pk, ("", ""))[1],
                evidence_fingerprint=evidence.get(pk, ""),
                expires_at=expires_at,
                change_set=change_set,
                by=by,
                at=at,
            )
            for pk, status in sorted(statuses.items())
        ]
    )
    close(source_ids=statuses, at=at)


def close(*, source_ids: Collection[int], at: datetime) -> None:
    """Closes the open questions about the retraction of these sources."""
    for part in in_parts(sorted(source_ids)):
        ReviewItem.objects.filter(source__in=part, reason=ReviewReason.RETRACTION, closed_at__isnull=True).update(
            closed_at=at
        )


def superseded(*, change_set: ChangeSet, source_ids: Collection[int]) -> set[int]:
    """Those of the sources about which somebody decided again after this deed."""
    return {
        pk for pk, row in holding(source_ids).items() if row.change_set_id != change_set.pk and row.at > change_set.at
    }


def undo(*, change_set: ChangeSet, source_ids: Collection[int], at: datetime) -> None:
    """Takes the decisions of this deed about these sources back: what was decided before them holds again.

    Where nothing was decided before and there is evidence, a person is asked.
    """
    for part in in_parts(sorted(source_ids)):
        RetractionDecision.objects.filter(change_set=change_set, source__in=part, undone_at=None).update(undone_at=at)
        decided = holding(part)
        told = RetractionStanding.objects.filter(source__in=part).exclude(evidence_fingerprint="")
        ask(source_ids=[pk for pk in told.values_list("source", flat=True) if pk not in decided], at=at)


def ask(*, source_ids: Collection[int], at: datetime) -> None:
    """Opens the question of their retraction for those of the sources where it is not open. Twice changes nothing."""
    for part in in_parts(sorted(source_ids)):
        insert_rows(
            [ReviewItem(source_id=pk, reason=ReviewReason.RETRACTION, opened_at=at) for pk in part],
            ignore_conflicts=True,
        )
