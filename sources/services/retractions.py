"""Marks sources retracted, in bulk: one ChangeSet with a note, and its undo. `bulk_deeds` looks first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts, update_rows
from sources import permissions
from sources.core.credentials import without_credentials
from sources.core.retraction_status import Status
from sources.models import Source
from sources.queries.retraction_evidence import decided_otherwise, fallen_but_for
from sources.services import chunk_marks, retraction_impact, retraction_parts, retraction_questions

CHANGE_KIND = "sources.retract"
LIFT_KIND = "sources.unretract"
_SOURCE = "sources.source"
_MARK = ("retracted", "retraction_note", "row_version")


class NoteMissing(ValueError):
    """A retraction needs a note."""


def mark(
    *,
    workspace_id: int,
    source_ids: Iterable[int],
    note: str,
    by: User,
    channel: Channel,
    at: datetime,
    over_decisions: bool = True,
) -> ChangeSet:
    """Marks the sources retracted with `note`, skipping those marked already; one ChangeSet, all or nothing.

    Kept as the person's decision: no check takes it back. Passages and what rests on the sources follow.

    Those that were merged into others are left alone: what stands for them is what is marked.

    Sources of other workspaces are not touched, whatever ids are given; nor, without `over_decisions`, those of which a
    person decided otherwise. Raises `NoteMissing`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = noted(note, lifts=False)
    with transaction.atomic():
        change_set = changes.record(
            workspace_id=workspace_id, kind=CHANGE_KIND, actor=by, channel=channel, note=note, at=at, changes=[]
        )
        facts = write(
            change_set=change_set,
            source_ids=source_ids,
            retracted=True,
            note=note,
            by=by,
            at=at,
            over_decisions=over_decisions,
        )
        changes.add(change_set=change_set, changes=facts)
    return change_set


def lift(
    *,
    workspace_id: int,
    source_ids: Iterable[int],
    note: str,
    by: User,
    channel: Channel,
    at: datetime,
    over_decisions: bool = True,
) -> ChangeSet:
    """Takes the mark off the sources, skipping those without one; one ChangeSet with `note`, all or nothing.

    For a notice that was wrong or was withdrawn. Merged sources, other workspaces and decisions are left alone as by
    `mark`.
    Raises `NoteMissing`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = noted(note, lifts=True)
    with transaction.atomic():
        change_set = changes.record(
            workspace_id=workspace_id, kind=LIFT_KIND, actor=by, channel=channel, note=note, at=at, changes=[]
        )
        facts = write(
            change_set=change_set,
            source_ids=source_ids,
            retracted=False,
            note=note,
            by=by,
            at=at,
            over_decisions=over_decisions,
        )
        changes.add(change_set=change_set, changes=facts)
    return change_set


def noted(note: str, *, lifts: bool) -> str:
    """The note as it is kept, without a password; raises `NoteMissing`."""
    note = without_credentials(note.strip())
    if not note and lifts:
        raise NoteMissing("Say why the retraction no longer holds: the note stays in the history.")
    if not note:
        raise NoteMissing("Say where the retraction is announced: the note is shown wherever the source is used.")
    return note


def write(
    *,
    change_set: ChangeSet,
    source_ids: Iterable[int],
    retracted: bool,
    note: str,
    by: User,
    at: datetime,
    over_decisions: bool = True,
) -> list[ChangeFacts]:
    """A person's mark, or the taking off of one, by this deed: sets it where it is another, and keeps the decision, so
    that no check undoes it. In the caller's transaction; gives what changed."""
    chosen = set(source_ids)
    if not over_decisions:
        chosen -= decided_otherwise(chosen, retracted=retracted).keys()
    notes = dict.fromkeys(sorted(chosen), note if retracted else "")
    facts = write_each(workspace_id=change_set.workspace_id, notes=notes, retracted=retracted, by=by, at=at)
    decided = [fact.object_id for fact in facts]
    retraction_questions.decide(
        statuses=dict.fromkeys(decided, Status.RETRACTED if retracted else Status.NONE_FOUND),
        reasons=dict.fromkeys(decided, note),
        notices={},
        change_set=change_set,
        by=by,
        at=at,
    )
    return facts


def write_each(
    *,
    workspace_id: int,
    notes: Mapping[int, str],
    retracted: bool,
    by: User | None,
    at: datetime,
    renote: bool = False,
    release_chunks: bool = True,
) -> list[ChangeFacts]:
    """The one writer of marks: sets them on those of the sources (keys of `notes`) where they are another, and has
    their passages and the graph follow, in the caller's transaction. Gives what changed.

    `renote` also gives the note to those marked already. Without `release_chunks` passages stay as they are marked.
    """
    facts: list[ChangeFacts] = []
    earlier: dict[int, tuple[bool, str]] = {}
    written: list[Source] = []
    for part in in_parts(sorted(notes)):
        chosen = Source.objects.standing().select_for_update(no_key=True).filter(workspace_id=workspace_id, pk__in=part)
        rows = []
        for source in chosen.order_by("pk"):
            same_note = not renote or not retracted or source.retraction_note == notes[source.pk]
            if source.retracted == retracted and same_note:
                continue
            before = _mark_of(source)
            earlier[source.pk] = (source.retracted, source.retraction_note)
            source.retracted, source.retraction_note = retracted, notes[source.pk]
            source.row_version += 1
            rows.append(source)
            facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=_mark_of(source)))
        update_rows(rows, _MARK)
        written += rows
    changed = [fact.object_id for fact in facts]
    chunk_marks.follow(earlier=earlier, release=release_chunks)
    retraction_impact.follow(workspace_id=workspace_id, source_ids=changed, by=by, at=at)
    retraction_parts.follow(sources=written, at=at)
    return facts


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes a marking, or the taking off of one, back where nobody changed it since.

    Where providers say by now that the work is retracted, and nobody decided otherwise before the deed, it is marked:
    what held them off goes with the deed. Registered for all deeds that decide about retractions.
    """
    facts = {change.object_id: change for change in changes}
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    earlier: dict[int, tuple[bool, str]] = {}
    of_workspace: dict[int, list[int]] = defaultdict(list)
    again: set[int] = set()
    written: list[Source] = []
    fallen: Mapping[int, str] = {}
    if changes:
        again = retraction_questions.superseded(change_set=changes[0].change_set, source_ids=facts)
        fallen = fallen_but_for(source_ids=facts, change_set_id=changes[0].change_set.pk)
    for part in in_parts(sorted(facts)):
        restored: list[Source] = []
        for source in Source.objects.select_for_update(no_key=True).filter(pk__in=part).order_by("pk"):
            permissions.check_can_retract(by, source.workspace_id)
            change = facts[source.pk]
            before = _mark_of(source)
            mark_then = (change.after["retracted"], change.after["retraction_note"])
            if (source.retracted, source.retraction_note) != mark_then or source.pk in again:
                skipped.append(f"The retraction of {source} was edited since")
                continue
            earlier[source.pk] = (source.retracted, source.retraction_note)
            of_workspace[source.workspace_id].append(source.pk)
            source.retracted = change.before["retracted"]
            source.retraction_note = change.before["retraction_note"]
            if not source.retracted and source.pk in fallen:
                source.retracted, source.retraction_note = True, fallen[source.pk]
            source.row_version += 1
            restored.append(source)
            undone.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=_mark_of(source)))
        update_rows(restored, _MARK)
        written += restored
    if changes:
        retraction_questions.undo(change_set=changes[0].change_set, source_ids=earlier, at=at)
    chunk_marks.follow(earlier=earlier)
    for workspace_id, source_ids in of_workspace.items():
        retraction_impact.follow(workspace_id=workspace_id, source_ids=source_ids, by=by, at=at)
    retraction_parts.follow(sources=written, at=at)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _mark_of(source: Source) -> dict[str, object]:
    return {name: getattr(source, name) for name in _MARK}
