"""Marking sources retracted, in bulk: look first, then one ChangeSet with a note, then undo if it was wrong."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.core.credentials import without_credentials
from sources.models import Source

CHANGE_KIND = "sources.retract"
LIFT_KIND = "sources.unretract"
_SOURCE = "sources.source"
# SQLite takes 32,766 parameters in a statement where it is built with its own limits.
_BATCH = 500


class NoteMissing(ValueError):
    """A retraction needs a note."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What marking would do: the sources that change, and those that are marked already."""

    changing: list[Source]
    already: list[Source]


def preview(*, sources: Iterable[Source]) -> Preview:
    """Splits `sources` into those that marking would change and those that it would leave."""
    changing: list[Source] = []
    already: list[Source] = []
    for source in sources:
        (already if source.retracted else changing).append(source)
    return Preview(changing=changing, already=already)


def mark(
    *, workspace_id: int, source_ids: Iterable[int], note: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Marks the sources retracted with `note`, skipping those marked already; one ChangeSet, all or nothing.

    Those that were merged into others are left alone: what stands for them is what is marked.

    Sources of other workspaces are not touched, whatever ids are given. Raises `NoteMissing`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = without_credentials(note.strip())
    if not note:
        raise NoteMissing("Say where the retraction is announced: the note is shown wherever the source is used.")
    with transaction.atomic():
        facts: list[ChangeFacts] = []
        for part in _parts(source_ids):
            rows = list(
                Source.objects.standing()
                .select_for_update()
                .filter(workspace_id=workspace_id, pk__in=part, retracted=False)
                .order_by("pk")
            )
            for source in rows:
                before = _mark_of(source)
                source.retracted, source.retraction_note = True, note
                source.row_version += 1
                facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=_mark_of(source)))
            Source.objects.bulk_update(rows, ["retracted", "retraction_note", "row_version"], batch_size=_BATCH)
        return changes.record(
            workspace_id=workspace_id, kind=CHANGE_KIND, actor=by, channel=channel, note=note, at=at, changes=facts
        )


def lift(
    *, workspace_id: int, source_ids: Iterable[int], note: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Takes the mark off the sources, skipping those without one; one ChangeSet with `note`, all or nothing.

    For a notice that was wrong or was withdrawn. Sources of other workspaces are not touched. Raises `NoteMissing`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = without_credentials(note.strip())
    if not note:
        raise NoteMissing("Say why the retraction no longer holds: the note stays in the history.")
    with transaction.atomic():
        facts: list[ChangeFacts] = []
        for part in _parts(source_ids):
            rows = list(
                Source.objects.select_for_update()
                .filter(workspace_id=workspace_id, pk__in=part, retracted=True)
                .order_by("pk")
            )
            for source in rows:
                before = _mark_of(source)
                source.retracted, source.retraction_note = False, ""
                source.row_version += 1
                facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=_mark_of(source)))
            Source.objects.bulk_update(rows, ["retracted", "retraction_note", "row_version"], batch_size=_BATCH)
        return changes.record(
            workspace_id=workspace_id, kind=LIFT_KIND, actor=by, channel=channel, note=note, at=at, changes=facts
        )


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes a marking, or the taking off of one, back where nobody changed it since.

    Registered for `sources.retract` and `sources.unretract`.
    """
    facts = {change.object_id: change for change in changes}
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for part in _parts(facts):
        restored: list[Source] = []
        for source in Source.objects.select_for_update().filter(pk__in=part).order_by("pk"):
            permissions.check_can_retract(by, source.workspace_id)
            change = facts[source.pk]
            before = _mark_of(source)
            if (source.retracted, source.retraction_note) != (
                change.after["retracted"],
                change.after["retraction_note"],
            ):
                skipped.append(f"The retraction of {source} was edited since")
                continue
            source.retracted = change.before["retracted"]
            source.retraction_note = change.before["retraction_note"]
            source.row_version += 1
            restored.append(source)
            undone.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=_mark_of(source)))
        Source.objects.bulk_update(restored, ["retracted", "retraction_note", "row_version"], batch_size=_BATCH)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _parts(source_ids: Iterable[int]) -> Iterator[list[int]]:
    """The ids in key order, so that two bulk edits cannot wait for each other, in parts that fit a statement."""
    ordered = sorted(set(source_ids))
    for start in range(0, len(ordered), _BATCH):
        yield ordered[start : start + _BATCH]


def _mark_of(source: Source) -> dict[str, object]:
    return {
        "retracted": source.retracted,
        "retraction_note": source.retraction_note,
        "row_version": source.row_version,
    }
