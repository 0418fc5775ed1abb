"""What a person does to many sources beside editing their fields: drop them, mark them retracted, take the mark off.

Each is looked at first and done to exactly what was looked at; the writing is that of `review` and `retractions`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, assert_never

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Disposition
from sources.core.kinds import DecisionKind
from sources.models import RetractionDecision, Source
from sources.queries.readable import readable
from sources.queries.retraction_evidence import decided_otherwise
from sources.services import retraction_policy, retractions, review_many
from sources.services.bulk_edit import hold
from sources.services.source_edits import SHOWN, Leaving, Look, RowPlan, digest_of, parts


class Deed(StrEnum):
    """What is done."""

    DROP = "drop"
    RETRACT = "retract"
    UNRETRACT = "unretract"


@dataclass(frozen=True, slots=True)
class Spared:
    """Why a source is left alone; `because` is what an editor said who decided otherwise, '' else."""

    why: str
    because: str = ""

    def __str__(self) -> str:
        return f"{self.why}: {self.because}" if self.because else self.why


def look(*, workspace_id: int, source_ids: Sequence[int], deed: Deed, note: str, over_decisions: bool = False) -> Look:
    """What the deed would do to these sources; writes nothing. Two queries per 500.

    What an editor decided otherwise about a retraction is left alone and named, unless `over_decisions`.
    """
    leaving = Leaving()
    shown: list[RowPlan] = []
    changing = total = 0
    versions: list[tuple[int, int]] = []
    for source, planned in plans(
        workspace_id=workspace_id, source_ids=source_ids, deed=deed, note=note, over_decisions=over_decisions
    ):
        versions.append((source.pk, source.row_version))
        total += 1
        if isinstance(planned, Spared):
            leaving.leave(planned.why, source, because=planned.because)
            continue
        changing += 1
        if len(shown) < SHOWN:
            shown.append(planned)
    gone = len(set(source_ids)) - total
    leaving.leave_unknown("Not here any more: removed, merged into another, or of another workspace", gone)
    return Look(total, changing, tuple(shown), leaving.all, digest_of(versions))


def plans(
    *, workspace_id: int, source_ids: Sequence[int], deed: Deed, note: str, over_decisions: bool = False
) -> Iterator[tuple[Source, RowPlan | Spared]]:
    """Each standing source of these by its key, with what would change, or why it is left alone."""
    plan_one = _PLANS[deed]
    for part in parts(source_ids):
        against = {} if over_decisions else _decided_otherwise(deed, part)
        standing = readable(Source.objects.all()).filter(workspace_id=workspace_id, pk__in=part).standing()
        for source in standing.order_by("pk"):
            planned = plan_one(source, note)
            if isinstance(planned, str):
                yield source, Spared(planned)
            elif decision := against.get(source.pk):
                why = f"An editor decided otherwise ({decision.label.lower()})"
                yield source, Spared(why, decision.reason)
            else:
                yield source, planned


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
    over_decisions: bool = False,
) -> ChangeSet:
    """Does it to all of them that it changes, or to none; one ChangeSet with `note`. `over_decisions` as for `look`.

    Raises `bulk_edit.ListChanged` where the sources are not as `seen`, and what `review_many.drop`, `retractions.mark`
    and `retractions.lift` raise: PermissionDenied, a missing reason or note; `SecondPersonNeeded` where the workspace
    wants two persons for marks.
    """
    with transaction.atomic():
        if deed is not Deed.DROP:
            retraction_policy.check_one_is_enough(workspace_id=workspace_id)
        held = hold(workspace_id=workspace_id, source_ids=source_ids, seen=seen)
        given: dict[str, Any] = {"workspace_id": workspace_id, "note": note, "by": by, "channel": channel, "at": at}
        match deed:
            case Deed.DROP:
                return review_many.drop(source_ids=held, **given)
            case Deed.RETRACT:
                return retractions.mark(source_ids=held, over_decisions=over_decisions, **given)
            case Deed.UNRETRACT:
                return retractions.lift(source_ids=held, over_decisions=over_decisions, **given)
            case _:
                assert_never(deed)


def _decided_otherwise(deed: Deed, source_ids: Sequence[int]) -> Mapping[int, RetractionDecision]:
    return {} if deed is Deed.DROP else decided_otherwise(source_ids, retracted=deed is Deed.RETRACT)


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
