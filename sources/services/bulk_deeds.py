"""What a person does to many sources beside editing their fields: drop them, mark them retracted, take the mark off.

Each is looked at first and done to exactly what was looked at; the writing is that of `review` and `retractions`.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Disposition
from sources.core.kinds import DecisionKind
from sources.models import Source
from sources.queries.readable import readable
from sources.services import retraction_policy, retractions, review_many
from sources.services.bulk_edit import hold
from sources.services.source_edits import SHOWN, Leaving, Look, RowPlan, digest_of, parts


class Deed(StrEnum):
    """What is done."""

    DROP = "drop"
    RETRACT = "retract"
    UNRETRACT = "unretract"


def look(*, workspace_id: int, source_ids: Sequence[int], deed: Deed, note: str) -> Look:
    """What the deed would do to these sources; writes nothing. One query per 500."""
    leaving = Leaving()
    shown: list[RowPlan] = []
    changing = total = 0
    versions: list[tuple[int, int]] = []
    for source, planned in plans(workspace_id=workspace_id, source_ids=source_ids, deed=deed, note=note):
        versions.append((source.pk, source.row_version))
        total += 1
        if isinstance(planned, str):
            leaving.leave(planned, source)
            continue
        changing += 1
        if len(shown) < SHOWN:
            shown.append(planned)
    return Look(total, changing, tuple(shown), leaving.all, digest_of(versions))


def plans(
    *, workspace_id: int, source_ids: Sequence[int], deed: Deed, note: str
) -> Iterator[tuple[Source, RowPlan | str]]:
    """Each standing source of these by its key, with what would change, or why it is left alone."""
    plan_one = _PLANS[deed]
    for part in parts(source_ids):
        standing = readable(Source.objects.all()).filter(workspace_id=workspace_id, pk__in=part).standing()
        for source in standing.order_by("pk"):
            yield source, plan_one(source, note)


def do(
    *,
    workspace_id: int,
    source_ids: Sequence[int],
    deed: Deed,
    note: str,
    seen: str,
    by: User,
    channel: Channel,
    at: datetime,
) -> ChangeSet:
    """Does it to all of them that it changes, or to none; one ChangeSet with `note`.

    Raises `bulk_edit.ListChanged` where the sources are not as `seen`, and what `review_many.drop`, `retractions.mark`
    and `retractions.lift` raise: PermissionDenied, a missing reason or note; `SecondPersonNeeded` where the workspace
    wants two persons for marks.
    """
    with transaction.atomic():
        if deed is not Deed.DROP:
            retraction_policy.check_one_is_enough(workspace_id=workspace_id)
        held = hold(workspace_id=workspace_id, source_ids=source_ids, seen=seen)
        return _DOING[deed](workspace_id=workspace_id, source_ids=held, note=note, by=by, channel=channel, at=at)


def _plan_drop(source: Source, note: str) -> RowPlan | str:
    if source.decided == DecisionKind.DROP:
        return "Dropped already: the earlier reason stays"
    after = {"disposition": Disposition.DROP.value, "reason": note}
    return RowPlan(source, {"disposition": source.disposition}, after)


def _plan_retract(source: Source, note: str) -> RowPlan | str:
    if source.retracted:
        return "Marked retracted already: the earlier note stays"
    before = {"retracted": source.retracted, "retraction_note": source.retraction_note}
    return RowPlan(source, before, {"retracted": True, "retraction_note": note})


def _plan_unretract(source: Source, note: str) -> RowPlan | str:
    if not source.retracted:
        return "Not marked retracted"
    before = {"retracted": source.retracted, "retraction_note": source.retraction_note}
    return RowPlan(source, before, {"retracted": False, "retraction_note": ""})


_PLANS: dict[Deed, Callable[[Source, str], RowPlan | str]] = {
    Deed.DROP: _plan_drop,
    Deed.RETRACT: _plan_retract,
    Deed.UNRETRACT: _plan_unretract,
}
_DOING: dict[Deed, Callable[..., ChangeSet]] = {
    Deed.DROP: review_many.drop,
    Deed.RETRACT: retractions.mark,
    Deed.UNRETRACT: retractions.lift,
}
