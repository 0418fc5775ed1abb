"""Begins what is done to more sources than one transaction should hold; `long_deed_work` does it, part by part.

What a short deed checks is checked here at once, so that nothing is refused when nobody looks any more. A source that
somebody edits between the look and its part is left alone and counted, not overwritten.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from provenance_site.accounts.models import User, Workspace
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.jobs import services as jobs
from provenance_site.jobs.states import JobState
from provenance_site.kit.rows import in_parts
from sources import permissions
from sources.core.kinds import DecisionKind, LongDeedKind
from sources.models import LongDeed, LongDeedPart, Source
from sources.queries.readable import readable
from sources.services import bulk_edit, kept_edits, retraction_policy, retractions, review
from sources.services.bulk_deeds import Deed
from sources.services.source_edits import Edit, digest_of, versions_of

JOB_KIND = "sources.long-deed"
# So many rows hold SQLite's write lock for half a second.
STEP = 1_000
_MARK_KINDS = {Deed.RETRACT: retractions.CHANGE_KIND, Deed.UNRETRACT: retractions.LIFT_KIND}
# Looking compares with the rest of the registry: fewer at a time.
LOOK_STEP = 500


class InTheWorks(ValueError):
    """The same is being done already, or what is to be taken back is not done yet; the message says which."""


def begin_edit(
    *,
    workspace_id: int,
    source_ids: Sequence[int],
    change: Edit,
    seen: str,
    query: str,
    by: User,
    channel: Channel,
    at: datetime,
) -> LongDeed:
    """Has a worker make `change` to all these sources. Raises as `bulk_edit.edit` where it cannot begin."""
    permissions.check_can_curate(by, workspace_id)
    change = bulk_edit.checked(change, workspace_id=workspace_id)
    return _begin_on_sources(
        kind=LongDeedKind.EDIT,
        change_kind=bulk_edit.CHANGE_KIND,
        note=bulk_edit.note_of(change),
        given=kept_edits.given_of(change),
        workspace_id=workspace_id,
        source_ids=source_ids,
        seen=seen,
        query=query,
        by=by,
        channel=channel,
        at=at,
    )


def begin_deed(
    *,
    workspace_id: int,
    source_ids: Sequence[int],
    deed: Deed,
    note: str,
    seen: str,
    query: str,
    by: User,
    channel: Channel,
    at: datetime,
    over_decisions: bool = False,
) -> LongDeed:
    """Has a worker do what `bulk_deeds.do` does at once. Raises as that does where it cannot begin."""
    match deed:
        case Deed.DROP:
            permissions.check_can_decide(by, workspace_id)
            note = review.complete(review.Verdicted(kind=DecisionKind.DROP, reason=note)).reason
            change_kind = review.CHANGE_KIND
        case Deed.RETRACT | Deed.UNRETRACT:
            permissions.check_can_retract(by, workspace_id)
            retraction_policy.check_one_is_enough(workspace_id=workspace_id)
            note = retractions.noted(note, lifts=deed is Deed.UNRETRACT)
            change_kind = _MARK_KINDS[deed]
    return _begin_on_sources(
        kind=LongDeedKind(deed.value),
        change_kind=change_kind,
        note=note,
        given={"note": note, "over_decisions": over_decisions},
        workspace_id=workspace_id,
        source_ids=source_ids,
        seen=seen,
        query=query,
        by=by,
        channel=channel,
        at=at,
    )


def begin_agreed(
    *,
    workspace_id: int,
    versions: Sequence[tuple[int, int]],
    deed: Deed,
    note: str,
    deed_note: str,
    over_decisions: bool,
    by: User,
    channel: Channel,
    at: datetime,
) -> LongDeed:
    """Has a worker mark sources, or take marks off, that a second person has approved; in the caller's transaction.

    `versions` are (key, row_version) of each; `note` is shown with the sources, `deed_note` stands in History. With
    `over_decisions` what editors decided otherwise is decided anew. The caller has checked both people.
    """
    kind = LongDeedKind(deed.value)
    change_set = changes.record(
        workspace_id=workspace_id,
        kind=_MARK_KINDS[deed],
        actor=by,
        channel=channel,
        note=deed_note,
        at=at,
        changes=[],
    )
    return _queued(
        workspace_id=workspace_id,
        kind=kind,
        title=f"{kind.label}: {deed_note}",
        given={"note": note, "over_decisions": over_decisions},
        change_set=change_set,
        rows=list(in_parts(sorted(versions), STEP)),
        total=len(versions),
        query="",
        by=by,
        at=at,
    )


def begin_undo(*, change_set: ChangeSet, by: User, channel: Channel, at: datetime) -> LongDeed:
    """Has a worker take back a deed that is undone by parts. Raises as `changes.undo`, and `InTheWorks`."""
    check_is_done(change_set)
    with transaction.atomic():
        own = changes.begin_undo(change_set=change_set, by=by, at=at, channel=channel)
        _try_one(own, change_set, by=by, at=at)
        keys = list(change_set.changes.order_by("pk").values_list("pk", flat=True))
        return _queued(
            workspace_id=change_set.workspace_id,
            kind=LongDeedKind.UNDO,
            title=f"Undo of {change_set.note or change_set.kind}",
            given={},
            change_set=own,
            rows=[[part[0], part[-1]] for part in in_parts(keys, STEP)],
            total=len(keys),
            query="",
            by=by,
            at=at,
        )


def _try_one(own: ChangeSet, change_set: ChangeSet, *, by: User, at: datetime) -> None:
    """Undoes the first row and rolls it back: what the kind asks of the person is refused now, not in the worker."""
    with transaction.atomic():
        changes.undo_part(own=own, changes=list(change_set.changes.order_by("pk")[:1]), by=by, at=at)
        transaction.set_rollback(True)


def begin_look(*, workspace_id: int, by: User, at: datetime) -> LongDeed:
    """Has a worker look through all sources of the workspace for works that may be one.

    Raises `InTheWorks` while one looks already.
    """
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        # Two who ask at once take turns here: the second finds the first's.
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace_id)
        if running_look(workspace_id=workspace_id) is not None:
            raise InTheWorks("A worker is looking for duplicates already.")
        keys = list(
            readable(Source.objects.all())
            .standing()
            .filter(workspace=workspace_id)
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        return _queued(
            workspace_id=workspace_id,
            kind=LongDeedKind.FIND_PAIRS,
            title=LongDeedKind.FIND_PAIRS.label,
            given={},
            change_set=None,
            rows=[[part[0], part[-1]] for part in in_parts(keys, LOOK_STEP)],
            total=len(keys),
            query="",
            by=by,
            at=at,
        )


def running_look(*, workspace_id: int) -> LongDeed | None:
    """The look for duplicates that goes on in the workspace, None where there is none. One query."""
    running = LongDeed.objects.filter(job__workspace=workspace_id, job__state=JobState.RUNNING)
    return running.filter(kind=LongDeedKind.FIND_PAIRS).select_related("job").order_by("-pk").first()


def check_is_done(change_set: ChangeSet) -> None:
    """Raises `InTheWorks` while a worker still writes this deed."""
    deed = LongDeed.objects.filter(change_set=change_set).select_related("job").first()
    if deed is not None and deed.job.state == JobState.RUNNING:
        raise InTheWorks("This is still being done. Stop it or wait for its end, then take it back.")


def stop(*, deed: LongDeed, by: User, at: datetime) -> bool:
    """Stops it after the part in hand; what is done stays done and can be taken back. False where it had ended.

    An undo goes on to its end: half of one could be neither finished nor begun again.
    """
    permissions.check_can_curate(by, deed.job.workspace_id)
    if deed.kind == LongDeedKind.UNDO:
        raise InTheWorks("An undo goes on to its end.")
    with transaction.atomic():
        stopped = jobs.cancel(job=deed.job, by=by, at=at)
        if stopped:
            tidy(deed)
    return stopped


def tidy(deed: LongDeed) -> None:
    """Takes an ended deed that changed nothing out of the history: an undo of nothing can then be tried again."""
    if deed.change_set is not None and not deed.change_set.changes.exists():
        deed.change_set.delete()


def _begin_on_sources(
    *,
    kind: LongDeedKind,
    change_kind: str,
    note: str,
    given: dict[str, Any],
    workspace_id: int,
    source_ids: Sequence[int],
    seen: str,
    query: str,
    by: User,
    channel: Channel,
    at: datetime,
) -> LongDeed:
    bulk_edit.check_number(source_ids)
    versions = sorted(versions_of(workspace_id=workspace_id, source_ids=source_ids))
    if digest_of(versions) != seen:
        raise bulk_edit.ListChanged
    with transaction.atomic():
        change_set = changes.record(
            workspace_id=workspace_id, kind=change_kind, actor=by, channel=channel, note=note, at=at, changes=[]
        )
        return _queued(
            workspace_id=workspace_id,
            kind=kind,
            title=f"{kind.label}: {note}",
            given=given,
            change_set=change_set,
            rows=list(in_parts(versions, STEP)),
            total=len(versions),
            query=query,
            by=by,
            at=at,
        )


def _queued(
    *,
    workspace_id: int,
    kind: LongDeedKind,
    title: str,
    given: dict[str, Any],
    change_set: ChangeSet | None,
    rows: Iterable[Any],
    total: int,
    query: str,
    by: User,
    at: datetime,
) -> LongDeed:
    parts = [LongDeedPart(number=number, rows=part) for number, part in enumerate(rows)]
    job = jobs.create(
        workspace_id=workspace_id,
        kind=JOB_KIND,
        title=title[:300],
        subject_ids=[part.number for part in parts],
        by=by,
        at=at,
    )
    deed = LongDeed.objects.create(
        job=job, kind=kind, given=given, change_set=change_set, total=total, query=query[:20_000]
    )
    for part in parts:
        part.deed = deed
    LongDeedPart.objects.bulk_create(parts, batch_size=100)
    return deed
