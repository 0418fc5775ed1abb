"""Dropping many sources with one reason: the decisions of `review.decide`, written and undone together."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import insert_rows, update_rows
from sources import permissions
from sources.core.findings import Disposition
from sources.core.kinds import DecisionKind, ReviewReason
from sources.core.review_policy import fingerprint
from sources.models import Decision, ReviewItem, Source, StatusChange
from sources.services import review
from sources.services.source_edits import parts


def drop(
    *, workspace_id: int, source_ids: Sequence[int], note: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Drops the sources with `note` as the reason of each, skipping those dropped already; all or nothing.

    What it writes, `review_undo` takes back: each source gets its own decision, on its newest check, its open questions
    are closed, and its standing moves. Raises `review.DecisionRefused` without a reason. Six queries per 500.
    """
    permissions.check_can_decide(by, workspace_id)
    given = review.complete(review.Verdicted(kind=DecisionKind.DROP, reason=note))
    with transaction.atomic():
        facts: list[ChangeFacts] = []
        for part in parts(source_ids):
            facts += write(workspace_id=workspace_id, source_ids=part, reason=given.reason, by=by, at=at)
        return changes.record(
            workspace_id=workspace_id,
            kind=review.CHANGE_KIND,
            actor=by,
            channel=channel,
            note=given.reason,
            at=at,
            changes=facts,
        )


def write(*, workspace_id: int, source_ids: Sequence[int], reason: str, by: User, at: datetime) -> list[ChangeFacts]:
    """Drops up to 500 sources in the caller's transaction, as `drop` does; gives what changed."""
    sources = list(
        Source.objects.standing()
        .select_for_update(of=("self",), no_key=True)
        .filter(workspace_id=workspace_id, pk__in=source_ids)
        .exclude(decided=DecisionKind.DROP)
        .select_related("latest_check")
        .order_by("pk")
    )
    made = [
        Decision(
            source=source,
            check_seen=source.latest_check,
            kind=DecisionKind.DROP,
            reason=reason,
            evidence_fingerprint=fingerprint(review.finding_of(source.latest_check)) if source.latest_check else "",
            by=by,
            at=at,
        )
        for source in sources
    ]
    insert_rows(made)
    decisions = {decision.source_id: decision for decision in made}
    closed: dict[int, list[int]] = defaultdict(list)
    asked = ReviewItem.objects.filter(source__in=[source.pk for source in sources], closed_at__isnull=True)
    items = list(asked.exclude(reason=ReviewReason.RETRACTION))
    for item in items:
        item.closed_at, item.closed_by_decision = at, decisions[item.source_id]
        closed[item.source_id].append(item.pk)
    update_rows(items, ["closed_at", "closed_by_decision"])
    moves: list[StatusChange] = []
    facts: list[ChangeFacts] = []
    for source in sources:
        before = review.standing_of(source)
        moves.append(
            StatusChange(
                source=source,
                from_verdict=source.verdict,
                to_verdict=source.verdict,
                from_disposition=source.disposition,
                to_disposition=Disposition.DROP,
                at=at,
                by=by,
                reason=reason,
            )
        )
        source.decided, source.disposition = DecisionKind.DROP, Disposition.DROP
        source.row_version += 1
        after = review.standing_of(source) | {"decision": decisions[source.pk].pk, "closed_items": closed[source.pk]}
        facts.append(ChangeFacts(model="sources.source", object_id=source.pk, before=before, after=after))
    update_rows(sources, ["decided", "disposition", "row_version"])
    insert_rows(moves)
    return facts
