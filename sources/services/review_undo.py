"""Takes decisions of people back, one or thousands: what held before holds again, and the right question is open."""

from collections.abc import Sequence
from datetime import datetime

from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import insert_rows, update_rows
from sources import permissions
from sources.core.review_policy import consequence
from sources.models import Check, Decision, ReviewItem, Source
from sources.queries import decisions
from sources.services import review, review_items, standing
from sources.services.source_edits import parts


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes decisions back: the one before each holds again, and the question that is then left opens again.

    Registered for `review.decide`. A source that someone decided on again since is left alone. A dozen queries per 500.
    """
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    if changes:
        permissions.check_can_decide(by, changes[0].change_set.workspace_id)
    of_sources = {change.object_id: change for change in changes}
    for part in parts(of_sources):
        _undo_part({key: of_sources[key] for key in part}, undone, skipped, by=by, at=at)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _undo_part(
    wanted: dict[int, Change], undone: list[ChangeFacts], skipped: list[str], *, by: User, at: datetime
) -> None:
    locked = Source.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk")
    holding = decisions.holding(wanted)
    sources: list[Source] = []
    for source in locked:
        held = holding.get(source.pk)
        if held is None or held.pk != wanted[source.pk].after["decision"]:
            skipped.append(f"{source} was decided again since")
        else:
            sources.append(source)
    if not sources:
        return
    keys = [source.pk for source in sources]
    Decision.objects.filter(pk__in=[holding[key].pk for key in keys]).update(undone_at=at)
    earlier = decisions.holding(keys)
    moves = []
    for source in sources:
        before = review.standing_of(source)
        moves.append(review.moved(source, decision=earlier.get(source.pk), by=by, at=at, reason="Decision taken back"))
        after = review.standing_of(source)
        undone.append(ChangeFacts(model="sources.source", object_id=source.pk, before=before, after=after))
    update_rows(sources, ["decided", "disposition", "row_version"])
    insert_rows(moves)
    closed = {key: list(wanted[key].after["closed_items"]) for key in keys}
    _ask_again(keys, earlier=earlier, closed=closed, at=at)


def _ask_again(
    keys: Sequence[int], *, earlier: dict[int, Decision], closed: dict[int, list[int]], at: datetime
) -> None:
    """Leaves open the one question that the newest check asks beside a decision: the closed item where it is the same.

    Checks may have come since, so what was asked then need not be what is asked now. Without any check, what was closed
    reopens.
    """
    newest = Source.objects.filter(pk__in=keys).exclude(latest_check=None).values("latest_check")
    checks = {check.source_id: check for check in Check.objects.filter(pk__in=newest)}
    asked = {
        (key, reason)
        for key, reason in ReviewItem.objects.filter(source_id__in=keys, closed_at__isnull=True).values_list(
            "source_id", "reason"
        )
    }
    outcomes: list[standing.Outcome] = []
    reasons: dict[int, str] = {}
    for key, check in checks.items():
        decided = standing.decided_of(earlier[key]) if key in earlier else None
        reason = consequence(review.finding_of(check), decided).open_reason
        reasons[key] = reason or ""
        outcomes.append(standing.Outcome(source_id=key, moved=False, open_reason=reason))
    again: list[ReviewItem] = []
    for part in parts(item for items in closed.values() for item in items):
        for item in ReviewItem.objects.filter(pk__in=part):
            wanted = reasons.get(item.source_id, item.reason)
            if item.reason == wanted and (item.source_id, item.reason) not in asked:
                item.closed_at, item.closed_by_decision, item.closed_by_check = None, None, None
                asked.add((item.source_id, item.reason))
                again.append(item)
    update_rows(again, ["closed_at", "closed_by_decision", "closed_by_check"])
    review_items.follow(outcomes=outcomes, checks={key: check.pk for key, check in checks.items()}, at=at)
