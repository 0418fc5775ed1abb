"""Keeps the review queue in step with findings: one open question per source, closed when it no longer stands."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from provenance_site.kit.rows import insert_rows, update_rows
from sources.core.kinds import ReviewReason
from sources.models import ReviewItem
from sources.services.standing import Outcome


def follow(*, outcomes: Sequence[Outcome], checks: Mapping[int, int], at: datetime) -> None:
    """Opens the question each outcome leaves and closes those it answers. Three queries per call at most.

    `checks` has the keys of the checks that do it, by source.

    An item that stays open keeps its place in the queue. Called inside the transaction that wrote the checks.
    """
    open_items = list(
        # What a page answers says nothing about a retraction or what rests on it: those questions wait for a person.
        ReviewItem.objects.filter(
            source_id__in=[outcome.source_id for outcome in outcomes], closed_at__isnull=True
        ).exclude(reason__in=[ReviewReason.RETRACTION, ReviewReason.IMPACT])
    )
    wanted = {outcome.source_id: outcome.open_reason for outcome in outcomes}
    standing = set()
    closing = []
    for item in open_items:
        if item.reason == wanted[item.source_id]:
            standing.add(item.source_id)
        else:
            item.closed_at, item.closed_by_check_id = at, checks[item.source_id]
            closing.append(item)
    update_rows(closing, ["closed_at", "closed_by_check"])
    insert_rows(
        [
            ReviewItem(source_id=source_id, reason=reason, opened_at=at, opened_by_id=checks[source_id])
            for source_id, reason in wanted.items()
            if reason is not None and source_id not in standing
        ]
    )
