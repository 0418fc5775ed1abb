"""Taking back what was done to own publishers and patterns, where nobody changed it since."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from provenance_site.accounts.models import User, Workspace
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from validation.models import OwnEntry, OwnPattern, OwnPublisher
from validation.services.own_entries import MOST_ENTRIES, facts_of, one_at_a_time, put_in_force, room_left

_MODELS: dict[str, type[OwnEntry]] = {model._meta.label_lower: model for model in (OwnPublisher, OwnPattern)}
# What a person may change, and the version that every change raises.
_EDITED = (
    "name", "notes", "enabled", "row_version", "domains", "path_hints", "access_note", "pattern", "hits", "passes",
)  # fmt: skip


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Removes what was added, brings back what was deleted, restores what was edited. Registered for both kinds."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        workspace = change.change_set.workspace
        permissions.check_can_decide(by, workspace.pk)
        one_at_a_time(workspace)
        result = _undo_one(change, workspace)
        if isinstance(result, str):
            skipped.append(result)
        else:
            undone.append(result)
            put_in_force(workspace, before=result.before, after=result.after)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _undo_one(change: Change, workspace: Workspace) -> ChangeFacts | str:
    model = _MODELS[change.model]
    row = model._default_manager.select_for_update(no_key=True).filter(pk=change.object_id, workspace=workspace).first()
    name = str((change.after or change.before)["name"])
    if (row is None) != (not change.after) or (row is not None and _edited(row) != _edited_in(change.after)):
        return f"“{name}” was changed since"
    if change.before and _taken(model, workspace, str(change.before["name"]), change.object_id):
        return f"Another entry is called “{change.before['name']}” now"
    if row is None and room_left(workspace) <= 0:
        return f"There is no room for “{name}”: the workspace has {MOST_ENTRIES} entries"
    before = facts_of(row) if row else {}
    if row is not None and not change.before:
        row.delete()
        return ChangeFacts(model=change.model, object_id=change.object_id, before=before, after={})
    restored = row or _revived(model, change, workspace)
    for field, value in _edited_in(change.before).items():
        setattr(restored, field, value)
    if row is not None:
        restored.row_version = _version_after(change)
    restored.save(force_insert=row is None)
    return ChangeFacts(model=change.model, object_id=change.object_id, before=before, after=facts_of(restored))


def _version_after(change: Change) -> int:
    # A new one, so that a form that was opened before the undo is refused.
    return int(change.after["row_version"]) + 1


def _revived(model: type[OwnEntry], change: Change, workspace: Workspace) -> OwnEntry:
    kept = change.before
    author = kept["created_by_id"]
    row = model(
        uuid=UUID(kept["uuid"]),
        workspace=workspace,
        created_at=datetime.fromisoformat(kept["created_at"]),
        created_by_id=author if User.objects.filter(pk=author).exists() else None,
    )
    row.pk = change.object_id
    return row


def _taken(model: type[OwnEntry], workspace: Workspace, name: str, key: int) -> bool:
    return model._default_manager.filter(workspace=workspace, name=name).exclude(pk=key).exists()


def _edited(row: OwnEntry) -> dict[str, object]:
    return _edited_in(facts_of(row))


def _edited_in(facts: dict[str, object]) -> dict[str, object]:
    return {field: facts[field] for field in _EDITED if field in facts}
