"""Marks sources retracted, in bulk: one ChangeSet with a note, and its undo. `bulk_deeds` looks first."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts, update_rows
from sources import permissions
from sources.core.credentials import without_credentials
from sources.models import Source

CHANGE_KIND = "sources.retract"
LIFT_KIND = "sources.unretract"
_SOURCE = "sources.source"
_MARK = ("retracted", "retraction_note", "row_version")


class NoteMissing(ValueError):
    """A retraction needs a note."""


def mark(
    *, workspace_id: int, source_ids: Iterable[int], note: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Marks the sources retracted with `note`, skipping those marked already; one ChangeSet, all or nothing.

    Those that were merged into others are left alone: what stands for them is what is marked.

    Sources of other workspaces are not touched, whatever ids are given. Raises `NoteMissing`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = noted(note, lifts=False)
    with transaction.atomic():
        facts = write(workspace_id=workspace_id, source_ids=source_ids, retracted=True, note=note)
        return changes.record(
            workspace_id=workspace_id, kind=CHANGE_KIND, actor=by, channel=channel, note=note, at=at, changes=facts
        )


def lift(
    *, workspace_id: int, source_ids: Iterable[int], note: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Takes the mark off the sources, skipping those without one; one ChangeSet with `note`, all or nothing.

    For a notice that was wrong or was withdrawn. Merged sources and other workspaces are left alone as by `mark`.
    Raises `NoteMissing`.
    """
    permissions.check_can_retract(by, workspace_id)
    note = noted(note, lifts=True)
    with transaction.atomic():
        facts = write(workspace_id=workspace_id, source_ids=source_ids, retracted=False, note="")
        return changes.record(
            workspace_id=workspace_id, kind=LIFT_KIND, actor=by, channel=channel, note=note, at=at, changes=facts
        )


def noted(note: str, *, lifts: bool) -> str:
    """The note as it is kept, without a password; raises `NoteMissing`."""
    note = without_credentials(note.strip())
    if not note and lifts:
        raise NoteMissing("Say why the retraction no longer holds: the note stays in the history.")
    if not note:
        raise NoteMissing("Say where the retraction is announced: the note is shown wherever the source is used.")
    return note


def write(*, workspace_id: int, source_ids: Iterable[int], retracted: bool, note: str) -> list[ChangeFacts]:
    """Sets the mark on those of the sources where it is another, in the caller's transaction; gives what changed."""
    facts: list[ChangeFacts] = []
    for part in in_parts(sorted(set(source_ids))):
        rows = list(
            Source.objects.standing()
            .select_for_update()
            .filter(workspace_id=workspace_id, pk__in=part, retracted=not retracted)
            .order_by("pk")
        )
        for source in rows:
            before = _mark_of(source)
            source.retracted, source.retraction_note = retracted, note
            source.row_version += 1
            facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=_mark_of(source)))
        update_rows(rows, _MARK)
    return facts


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes a marking, or the taking off of one, back where nobody changed it since.

    Registered for `sources.retract` and `sources.unretract`.
    """
    facts = {change.object_id: change for change in changes}
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for part in in_parts(sorted(facts)):
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
        update_rows(restored, _MARK)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _mark_of(source: Source) -> dict[str, object]:
    return {name: getattr(source, name) for name in _MARK}
