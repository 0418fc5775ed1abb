"""The second step of an import: what was staged is written, in steps that each are whole, and can be undone as one.

A list of up to `import_steps.STEP` entries is one transaction. A longer one is written step by step; where that is
interrupted, what was written is there, the batch says so, and the next `commit` or worker goes on behind it.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.kit.memory import few_collections
from sources import permissions
from sources.core.kinds import BatchState, DecisionKind, RowAction
from sources.models import ImportBatch, ImportRow, Source
from sources.services import import_lineage, import_steps, review

CHANGE_KIND = "sources.import"


class AlreadyDone(ValueError):
    """The batch was committed or thrown away before; nothing was written now."""


class Overtaken(ValueError):
    """Someone removed or entered the same sources at the same moment; nothing was written, and a second try will do."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What a commit wrote. `tally` has all counts by word; `not_rejected`: sources that only an editor can reject."""

    batch: ImportBatch
    new_sources: int
    new_entries: int
    new_citations: int
    unreadable: int
    not_rejected: int = 0


def commit(*, batch: ImportBatch, by: User, channel: Channel, at: datetime) -> ImportResult:
    """Writes a staged batch to its end: sources, catalog entries, citations, what comes with them, lineage, and one
    ChangeSet that can be undone.

    The same list twice changes nothing but its own batch. Raises `AlreadyDone` and `Overtaken`; each step is all or
    nothing.
    """
    is_short = not batch.rows.filter(position__gt=import_steps.STEP).exists()
    with transaction.atomic() if is_short else nullcontext():
        begin(batch=batch, by=by, channel=channel, at=at)
        while write_step(batch=batch, at=at):
            pass
        batch.refresh_from_db()
        return result_of(batch)


def begin(*, batch: ImportBatch, by: User, channel: Channel, at: datetime) -> None:
    """Makes the batch one that is being written, by this person. Twice is safe for a batch that was interrupted.

    Raises `AlreadyDone` for one that was committed or thrown away, or is not read to its end yet.
    """
    permissions.check_can_curate(by, batch.project.workspace_id)
    with transaction.atomic():
        locked = (
            ImportBatch.objects.select_for_update(of=("self",), no_key=True).select_related("project").get(pk=batch.pk)
        )
        if locked.state not in {BatchState.STAGED, BatchState.COMMITTING}:
            raise AlreadyDone(f"This list was {locked.state} before; nothing was written now.")
        if locked.state == BatchState.STAGED:
            locked.state = BatchState.COMMITTING
            locked.change_set = changes.record(
                workspace_id=locked.project.workspace_id,
                kind=CHANGE_KIND,
                actor=by,
                channel=channel,
                note=locked.label,
                at=at,
                changes=[],
            )
            locked.save(update_fields=["state", "change_set"])


def write_step(*, batch: ImportBatch, at: datetime) -> bool:
    """Writes the next rows of a batch that was begun; False where it is at its end, and then it counts as committed.

    One transaction. Two at once take turns; a step after the end does nothing. Raises `Overtaken`.
    """
    try:
        with few_collections(), transaction.atomic():
            locked = (
                ImportBatch.objects.select_for_update(of=("self",), no_key=True)
                .select_related("project", "change_set__actor")
                .get(pk=batch.pk)
            )
            if locked.state != BatchState.COMMITTING:
                return False
            rows = import_steps.waiting(locked)
            if rows:
                _write(locked, rows, at=at)
                if len(rows) == import_steps.STEP or import_steps.waiting(locked):
                    return True
            _finish(locked, at=at)
            return False
    except IntegrityError as overtaken:
        # A source of the list was removed by an undo between our look and our write.
        raise Overtaken("The registry changed at the same moment; nothing was written. Import again.") from overtaken


def result_of(batch: ImportBatch) -> ImportResult:
    """What the commit of a batch has written so far."""
    tally = Counter(batch.tally)
    return ImportResult(
        batch=batch,
        new_sources=tally["new_sources"],
        new_entries=tally["new_entries"],
        new_citations=tally["new_citations"],
        unreadable=batch.rows.filter(action=RowAction.ERROR).count(),
        not_rejected=tally["not_rejected"],
    )


def _write(batch: ImportBatch, rows: Sequence[ImportRow], *, at: datetime) -> None:
    deed = batch.change_set
    assert deed is not None  # noqa: S101
    assert deed.actor is not None  # noqa: S101
    import_lineage.record(batch=batch, sources=(), at=at)
    step = import_steps.write(batch=batch, rows=rows, by=deed.actor, at=at)
    rejected = _reject(step.rejected, by=deed.actor, channel=Channel(deed.channel), at=at)
    changes.add(change_set=deed, changes=step.facts)
    tally = Counter(batch.tally)
    tally.update(step.tally)
    tally.update({"rejected": rejected, "not_rejected": len(step.rejected) - rejected})
    batch.tally = {word: number for word, number in tally.items() if number}
    batch.save(update_fields=["tally"])


def _finish(batch: ImportBatch, *, at: datetime) -> None:
    """Counts the batch as committed, and keeps what undo needs to find citations that came alone, for old entries."""
    if batch.tally.get("new_citations") and batch.change_set is not None:
        facts = changes.ChangeFacts(
            model=ImportBatch._meta.label_lower,
            object_id=batch.pk,
            before={},
            after={"citations": batch.tally["new_citations"]},
        )
        changes.add(change_set=batch.change_set, changes=[facts])
    batch.state, batch.committed_at = BatchState.COMMITTED, at
    batch.save(update_fields=["state", "committed_at"])


def _reject(rejected: Sequence[tuple[int, str]], *, by: User, channel: Channel, at: datetime) -> int:
    """Drops the sources that the file itself rejects, with its reasons; gives how many. Only editors may: what a
    curator's file rejects is left out of the project, and told."""
    sources = Source.objects.in_bulk([source_id for source_id, _ in rejected])
    if not sources or not permissions.can_decide(by, next(iter(sources.values())).workspace_id):
        return 0
    for source_id, reason in rejected:
        review.decide(
            source=sources[source_id],
            given=review.Verdicted(kind=DecisionKind.DROP, reason=reason),
            seen=review.Seen.of(sources[source_id]),
            by=by,
            channel=channel,
            at=at,
        )
    return len(rejected)
