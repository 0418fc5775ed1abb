"""Where a source stands: moves verdict and disposition, and keeps a row of every move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from provenance_site.kit.values import insert_values, stored_moment, update_values
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.core.review_policy import Decided, consequence
from sources.models import Decision, Source, StatusChange
from sources.services.ready import Ready

_MOVED = (
    "verdict",
    "cause",
    "disposition",
    "last_checked_at",
    "latest_check_id",
    "fresh_until",
    "retry_at",
    "is_final",
)
_CHANGE = (
    "source_id",
    "from_verdict",
    "to_verdict",
    "from_disposition",
    "to_disposition",
    "at",
    "reason",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one finding did: whether the standing moved, and which question it leaves open (None: none)."""

    source_id: int
    moved: bool
    open_reason: ReviewReason | None


def decided_of(decision: Decision) -> Decided:
    """The decision as the policy sees it."""
    return Decided(
        kind=DecisionKind(decision.kind),
        override_verdict=Verdict(decision.override_verdict) if decision.override_verdict else None,
        evidence_fingerprint=decision.evidence_fingerprint,
    )


def move(
    *, findings: Sequence[Ready], checks: Mapping[int, int], decided: Mapping[int, Decision], at: datetime
) -> list[Outcome]:
    """Writes the new standing of each source, how far it carries, and a StatusChange where it differs.

    `checks` has the keys of the new checks by source. Two statements.
    """
    outcomes: list[Outcome] = []
    changes: list[tuple[Any, ...]] = []
    stands: dict[int, tuple[str, str]] = {}
    rows: list[tuple[Any, ...]] = []
    moment = stored_moment(at)
    for one in findings:
        source, finding = one.state, one.weighed.told.finding
        decision = decided.get(source.pk)
        follows = consequence(finding, decided_of(decision) if decision else None)
        before = stands.get(source.pk, (source.verdict, source.disposition))
        after = (finding.verdict.value, follows.disposition.value)
        stands[source.pk] = after
        if before != after:
            changes.append((source.pk, before[0], after[0], before[1], after[1], moment, finding.reason))
        verdict, cause, checked_at = one.check[:3]
        rows.append((source.pk, verdict, cause, after[1], checked_at, checks[source.pk], *one.carries))
        outcomes.append(Outcome(source_id=source.pk, moved=before != after, open_reason=follows.open_reason))
    update_values(Source, _MOVED, rows)
    insert_values(StatusChange, _CHANGE, changes)
    return outcomes
