"""The worker's side of long deeds: claims a part by lease and does it in one transaction; a dead worker's part is
done by another, once."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.accounts.reading import reading_as
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts
from provenance_site.jobs import services as jobs
from provenance_site.kit.writing import one_writer
from sources.core.kinds import LongDeedKind
from sources.models import LongDeed, LongDeedPart, Source
from sources.queries.readable import readable
from sources.services import bulk_edit, duplicates, retractions, review_many
from sources.services.kept_edits import edit_of
from sources.services.long_deeds import JOB_KIND, tidy
from sources.services.source_edits import parts

LEASE_S = 60
_DONE = "done"
# Sentences kept of what was left alone; the rest is counted.
_SKIPPED_KEPT = 20

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class _Done:
    """What one part did: rows gone through, counts by word, and sentences about what was left alone."""

    rows: int
    tally: dict[str, int]
    skipped: tuple[str, ...] = ()


def work(*, clock: Clock) -> None:
    """Does the parts that wait, of whatever deeds, until none is left. Safe in any number of processes."""
    while True:
        with transaction.atomic():
            claim = jobs.claim(kind=JOB_KIND, limit=1, at=clock(), lease_s=LEASE_S)
        for item in claim.lost:
            end_if_done(item.job_id, at=clock())
        if not claim.items:
            return
        for item in claim.items:
            with one_writer(), transaction.atomic():
                if jobs.complete(lease=claim.lease, outcomes={item.id: _DONE}, at=clock()):
                    _do(job_id=item.job_id, number=item.subject_id, at=clock())
                    end_if_done(item.job_id, at=clock())


def end_if_done(job_id: int, *, at: datetime) -> None:
    """Ends the deed where no part is left to do. Twice is safe."""
    with transaction.atomic():
        if jobs.finish_if_done(job_id, at=at):
            tidy(LongDeed.objects.select_related("change_set").get(job=job_id))


def _do(*, job_id: int, number: int, at: datetime) -> None:
    # The deed's row last of all locks, and only for its counts: parts of one deed may be in several hands.
    deed = LongDeed.objects.select_related("job__created_by", "change_set__undoes").get(job=job_id)
    part = LongDeedPart.objects.get(deed=deed, number=number)
    by = deed.job.created_by
    if by is None:  # the person's account is gone: nobody answers for the rest
        done = _Done(0, {"ownerless": 1})
    else:
        # Whoever asked for it sees and touches by a worker what they could by themselves.
        with reading_as(by):
            done = _part_done(deed, part, by=by, at=at)
    locked = LongDeed.objects.select_for_update(no_key=True).get(pk=deed.pk)
    tally = Counter(locked.tally)
    tally.update({"rows": done.rows} | done.tally)
    locked.tally = dict(tally)
    locked.skipped = [*locked.skipped, *done.skipped][:_SKIPPED_KEPT]
    locked.save(update_fields=["tally", "skipped"])


def _part_done(deed: LongDeed, part: LongDeedPart, *, by: User, at: datetime) -> _Done:
    if deed.as_kind is LongDeedKind.UNDO:
        return _undo(deed, part, by=by, at=at)
    if deed.as_kind is LongDeedKind.FIND_PAIRS:
        return _look(deed, part, at=at)
    return _change_sources(deed, part, by=by, at=at)


def _change_sources(deed: LongDeed, part: LongDeedPart, *, by: User, at: datetime) -> _Done:
    assert deed.change_set is not None  # noqa: S101
    seen: dict[int, int] = dict(part.rows)
    now: dict[int, int] = {}
    for keys in parts(seen):
        rows = (
            readable(Source.objects.all())
            .standing()
            .select_for_update(no_key=True)
            .filter(workspace=deed.job.workspace_id, pk__in=keys)
        )
        now.update(rows.order_by("pk").values_list("pk", "row_version"))
    same = [key for key in sorted(seen) if now.get(key) == seen[key]]
    facts = _WRITING[deed.as_kind](deed, same, by, at)
    changes.add(change_set=deed.change_set, changes=facts)
    touched = len({fact.object_id for fact in facts if fact.model == bulk_edit.SOURCE}) or len(facts)
    return _Done(len(seen), {"changed": touched, "left": len(seen) - len(same)})


def _write_edit(deed: LongDeed, keys: Sequence[int], by: User, at: datetime) -> list[ChangeFacts]:
    return bulk_edit.write(workspace_id=deed.job.workspace_id, source_ids=keys, change=edit_of(deed.given), at=at)


def _write_drop(deed: LongDeed, keys: Sequence[int], by: User, at: datetime) -> list[ChangeFacts]:
    facts: list[ChangeFacts] = []
    for some in parts(keys):
        facts += review_many.write(
            workspace_id=deed.job.workspace_id, source_ids=some, reason=deed.given["note"], by=by, at=at
        )
    return facts


def _write_mark(deed: LongDeed, keys: Sequence[int], by: User, at: datetime) -> list[ChangeFacts]:
    return _mark(deed, keys, by, at, retracted=True)


def _write_lift(deed: LongDeed, keys: Sequence[int], by: User, at: datetime) -> list[ChangeFacts]:
    return _mark(deed, keys, by, at, retracted=False)


def _mark(deed: LongDeed, keys: Sequence[int], by: User, at: datetime, *, retracted: bool) -> list[ChangeFacts]:
    assert deed.change_set is not None  # noqa: S101
    note = deed.given["note"]
    return retractions.write(
        change_set=deed.change_set,
        source_ids=keys,
        retracted=retracted,
        note=note,
        by=by,
        at=at,
        over_decisions=bool(deed.given.get("over_decisions")),
    )


def _undo(deed: LongDeed, part: LongDeedPart, *, by: User, at: datetime) -> _Done:
    own = deed.change_set
    assert own is not None  # noqa: S101
    first, last = part.rows
    rows = list(Change.objects.filter(change_set=own.undoes, pk__range=(first, last)).order_by("pk"))
    for row in rows:
        row.change_set = own.undoes  # type: ignore[assignment]  # the deed that `own` undoes is loaded already
    result = changes.undo_part(own=own, changes=rows, by=by, at=at)
    return _Done(len(rows), {"changed": result.undone, "left": len(result.skipped)}, result.skipped)


def _look(deed: LongDeed, part: LongDeedPart, *, at: datetime) -> _Done:
    first, last = part.rows
    mine = readable(Source.objects.all()).standing().filter(workspace=deed.job.workspace_id, pk__range=(first, last))
    keys = list(mine.order_by("pk").values_list("pk", flat=True))
    found = duplicates.propose_for(source_ids=keys, at=at, renewed_only=True)
    return _Done(len(keys), {"pairs": found})


_WRITING: dict[LongDeedKind, Callable[[LongDeed, Sequence[int], User, datetime], list[ChangeFacts]]] = {
    LongDeedKind.EDIT: _write_edit,
    LongDeedKind.DROP: _write_drop,
    LongDeedKind.RETRACT: _write_mark,
    LongDeedKind.UNRETRACT: _write_lift,
}
