"""Takes deeds about drafts back: a version that is still the newest, a policy, a draft that has no version."""

from collections.abc import Sequence
from datetime import datetime

from lineage import capture
from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.models import Draft, DraftVersion
from sources.services.drafts import DRAFT, VERSION, facts_of, version_facts


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Undoes deeds about drafts. Numbers that were given stay given; the lineage of a version is tombstoned, and what
    it superseded stands again. Registered for all kinds of `sources.services.drafts`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        permissions.check_can_curate(by, change.change_set.workspace_id)
        result = _version(change, by=by, at=at) if change.model == VERSION else _draft(change)
        if isinstance(result, str):
            skipped.append(result)
        else:
            undone.append(result)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _draft(change: Change) -> ChangeFacts | str:
    workspace_id = change.change_set.workspace_id
    row = (
        Draft.objects.select_for_update(no_key=True)
        .filter(pk=change.object_id, project__workspace_id=workspace_id)
        .first()
    )
    name = change.after["name"]
    if row is None or facts_of(row) != change.after:
        return f"The draft “{name}” was changed since"
    if not change.before:
        if row.versions.exists():
            return f"The draft “{name}” has versions by now; take those back first"
        row.delete()
        return ChangeFacts(change.model, change.object_id, before=change.after, after={})
    assert change.model == DRAFT  # noqa: S101
    row.mode, row.policy = change.before["mode"], change.before["policy"]
    row.save(update_fields=["mode", "policy"])
    return ChangeFacts(change.model, row.pk, before=change.after, after=facts_of(row))


def _version(change: Change, *, by: User, at: datetime) -> ChangeFacts | str:
    workspace_id = change.change_set.workspace_id
    number = change.after["number"]
    row = (
        DraftVersion.objects.select_for_update(of=("self",), no_key=True)
        .filter(pk=change.object_id, draft__project__workspace_id=workspace_id)
        .select_related("draft", "entity")
        .first()
    )
    if row is None or version_facts(row) != change.after:
        return f"Version {number} is not there any more"
    versions = DraftVersion.objects.filter(draft=row.draft)
    if versions.filter(number__gt=row.number).exists():
        return f"Version {number} of “{row.draft}” has later versions; take those back first"
    if row.entity is not None:
        if row.entity.released_at is not None:
            return f"Version {number} of “{row.draft}” was handed on"
        capture.tombstone(entity_ids=[row.entity.pk], why="The version was taken back.", by=by, at=at)
    earlier = versions.filter(number__lt=row.number, entity__isnull=False).order_by("-number").first()
    row.delete()
    if earlier is not None and earlier.entity_id is not None:
        capture.take_back_superseding(workspace_id=workspace_id, entity_ids=[earlier.entity_id], at=at)
    return ChangeFacts(change.model, change.object_id, before=change.after, after={})
