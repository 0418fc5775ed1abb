"""Where a source stands: moves verdict and disposition, and keeps a row of every move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from provenance_site.kit.rows import insert_rows, update_rows
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.core.review_policy import Decided, consequence
from sources.models import Check, Decision, Source, StatusChange
from sources.services.weighing import Weighed


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
    *,
    findings: Sequence[Weighed],
    sources: Mapping[int, Source],
    checks: Mapping[int, Check],
    decided: Mapping[int, Decision],
    at: datetime,
) -> list[Outcome]:
    """Writes the new standing of each source, how far it carries, and a StatusChange where it differs.

    Two queries per 500.
    """
    outcomes: list[Outcome] = []
    changes: list[StatusChange] = []
    for weighed in findings:
        source, finding = sources[weighed.told.source_id], weighed.told.finding
        decision = decided.get(source.pk)
        follows = consequence(finding, decided_of(decision) if decision else None)
        moved = (source.verdict, source.disposition) != (finding.verdict, follows.disposition)
        if moved:
            changes.append(
                StatusChange(
                    source=source,
                    from_verdict=source.verdict,
                    to_verdict=finding.verdict,
                    from_disposition=source.disposition,
                    to_disposition=follows.disposition,
                    at=at,
                    reason=finding.reason,
                )
            )
        source.verdict, source.cause = finding.verdict, finding.cause
        source.disposition = follows.disposition
        source.last_checked_at, source.latest_check = finding.at, checks[source.pk]
        carries = weighed.carries
        source.fresh_until, source.retry_at, source.is_final = carries.fresh_until, carries.retry_at, carries.is_final
        outcomes.append(Outcome(source_id=source.pk, moved=moved, open_reason=follows.open_reason))
    update_rows(
        [sources[weighed.told.source_id] for weighed in findings],
        [
            "verdict",
            "cause",
            "disposition",
            "last_checked_at",
            "latest_check",
            "fresh_until",
            "retry_at",
            "is_final",
        ],
    )
    insert_rows(changes)
    return outcomes
