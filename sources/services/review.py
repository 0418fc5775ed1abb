"""Decisions of people: accept, override with a reason, drop with a reason. Their undo is in `review_undo`.

A decision is made on what the person saw: the form carries the source's version, the check and the decision that were
shown. Where a colleague decided meanwhile, or a check found something else, the decision is refused with the news, so
that nobody overwrites a colleague or judges evidence without having seen it.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.findings import Cause, Disposition, Finding, Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.core.review_policy import fingerprint
from sources.models import Check, Decision, ReviewItem, Source, StatusChange
from sources.queries import decisions, evidence
from sources.services import standing

CHANGE_KIND = "review.decide"
_SOURCE = "sources.source"


class DecisionRefused(ValueError):
    """The decision lacks something; the message names the field and the way out."""


class Stale(Exception):
    """The source changed since the person looked; `newest` is the decision made meanwhile, if that is what changed."""

    def __init__(self, newest: Decision | None) -> None:
        self.newest = newest
        super().__init__("The source changed since you looked at it. Nothing was overwritten.")


@dataclass(frozen=True, slots=True)
class Seen:
    """What lay before the person: the source's version, the newest check and the decision that held (None: none)."""

    row_version: int
    check_id: int | None
    decision_id: int | None

    @classmethod
    def of(cls, source: Source) -> "Seen":
        """What is seen of `source` now."""
        holding = decisions.holding([source.pk]).get(source.pk)
        return cls(source.row_version, source.latest_check_id, holding.pk if holding else None)


@dataclass(frozen=True, slots=True)
class Verdicted:
    """What a person puts in: the kind, a verdict where it overrides, a reason where one is needed."""

    kind: DecisionKind
    reason: str = ""
    override_verdict: Verdict | None = None


def decide(*, source: Source, given: Verdicted, seen: Seen, by: User, channel: Channel, at: datetime) -> Decision:
    """Writes a decision, moves the source's standing, closes its open questions, and keeps all of it for undo.

    Raises `DecisionRefused` for a missing reason or verdict, `Stale` where the source or its evidence changed since
    `seen`. A later check that found the same is no change.
    """
    permissions.check_can_decide(by, source.workspace_id)
    given = complete(given)
    with transaction.atomic():
        locked = Source.objects.select_for_update(no_key=True).get(pk=source.pk)
        if locked.merged_into_id is not None:
            raise DecisionRefused("This source was merged into another one. Decide about the one that stays.")
        newest = _newest_check(locked)
        if locked.row_version != seen.row_version or not _same_evidence(seen.check_id, newest):
            holding = decisions.holding([locked.pk]).get(locked.pk)
            raise Stale(holding if holding and holding.pk != seen.decision_id else None)
        decision = Decision.objects.create(
            source=locked,
            check_seen=newest,
            kind=given.kind,
            override_verdict=given.override_verdict or "",
            reason=given.reason,
            evidence_fingerprint=fingerprint(finding_of(newest)) if newest else "",
            by=by,
            at=at,
        )
        before = standing_of(locked)
        move = moved(locked, decision=decision, by=by, at=at, reason=given.reason or given.kind.label)
        locked.save(update_fields=["decided", "disposition", "row_version"])
        move.save()
        asked = ReviewItem.objects.filter(source=locked, closed_at__isnull=True).exclude(reason=ReviewReason.RETRACTION)
        closed = list(asked.values_list("pk", flat=True))
        ReviewItem.objects.filter(pk__in=closed).update(closed_at=at, closed_by_decision=decision)
        decision.change_set = changes.record(
            workspace_id=locked.workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note=given.reason,
            at=at,
            changes=[
                ChangeFacts(
                    model=_SOURCE,
                    object_id=locked.pk,
                    before=before,
                    after=standing_of(locked) | {"decision": decision.pk, "closed_items": closed},
                )
            ],
        )
        decision.save(update_fields=["change_set"])
    return decision


def _same_evidence(seen_id: int | None, newest: Check | None) -> bool:
    """True where the newest check tells a person nothing that the one they saw did not."""
    if newest is None:
        return True
    if seen_id is None:
        return False
    shown = Check.objects.filter(source_id=newest.source_id, pk=seen_id).first()
    return shown is not None and fingerprint(finding_of(shown)) == fingerprint(finding_of(newest))


def _newest_check(source: Source) -> Check | None:
    return Check.objects.filter(source=source).order_by("-at", "-pk").first()


def standing_of(source: Source) -> dict[str, object]:
    """What of a source a decision moves, for before and after."""
    return {"decided": source.decided, "disposition": source.disposition, "row_version": source.row_version}


def complete(given: Verdicted) -> Verdicted:
    """What was given, in order to be written; raises `DecisionRefused` where a reason or a verdict is missing."""
    reason = without_credentials(given.reason.strip())
    given = Verdicted(kind=given.kind, reason=reason, override_verdict=given.override_verdict)
    if given.kind.needs_reason and not given.reason:
        raise DecisionRefused("Say why: the reason stays beside the decision for whoever reads it later.")
    if given.kind is DecisionKind.OVERRIDE and given.override_verdict is None:
        raise DecisionRefused("Choose the verdict that is right.")
    if given.kind is not DecisionKind.OVERRIDE:
        return Verdicted(kind=given.kind, reason=given.reason)
    return given


def moved(source: Source, *, decision: Decision | None, by: User, at: datetime, reason: str) -> StatusChange:
    """Sets what holds of `source` under `decision`, in memory, and gives the row of the move; neither is written."""
    was = source.disposition
    if decision is not None:
        source.decided, source.disposition = decision.kind, standing.decided_of(decision).disposition
    else:
        source.decided = ""
        source.disposition = Verdict(source.verdict).disposition if source.verdict else Disposition.UNCHECKED
    source.row_version += 1
    return StatusChange(
        source=source,
        from_verdict=source.verdict,
        to_verdict=source.verdict,
        from_disposition=was,
        to_disposition=source.disposition,
        at=at,
        by=by,
        reason=reason,
    )


def finding_of(check: Check) -> Finding:
    """The finding that a stored check holds."""
    return Finding(
        verdict=Verdict(check.verdict),
        cause=Cause(check.cause),
        at=check.at,
        rules_version=check.rules_version,
        evidence=evidence.of(check),
    )
