"""Takes back what was done to observations and their links, where nobody changed it since."""

from collections.abc import Sequence
from datetime import datetime

from lineage import capture
from lineage.models import Entity
from lineage.services.deletion import OnHold
from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts
from sources import permissions
from sources.models import Concept, Observation, ObservationSource, Project, Source, Turn
from sources.services import concepts, observation_lineage
from sources.services.observations import LINK, OBSERVATION, facts_of, link_facts, locked

_SAID = ("kind", "body", "concepts")


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Removes what was added, brings back what was deleted (under its old number), restores what was edited.

    Registered for all deeds about observations. A link to a source that was removed since stays away and is named.
    """
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    if not changes:
        return Undone(changes=())
    workspace_id = changes[0].change_set.workspace_id
    permissions.check_can_curate(by, workspace_id)
    # Held before anything is looked at: an edit at this moment comes first, or finds what the undo wrote.
    wanted = {change.object_id for change in changes if change.model == OBSERVATION}
    wanted |= {int((change.before or change.after)["observation"]) for change in changes if change.model == LINK}
    for part in in_parts(sorted(wanted)):
        list(Observation.objects.select_for_update(no_key=True).filter(pk__in=part).order_by("pk").values_list("pk"))
    links = [change for change in changes if change.model == LINK]
    ours = [change for change in changes if change.model == OBSERVATION]
    removed = [_unlinked(change, workspace_id) for change in links if not change.before]
    told = [_restored(change, workspace_id, by=by, at=at) for change in ours]
    back = [_linked(change, workspace_id) for change in links if not change.after]
    for result in (*removed, *told, *back):
        if isinstance(result, str):
            skipped.append(result)
        else:
            undone.append(result)
    touched = {int(str((one.before or one.after)["observation"])) for one in undone if one.model == LINK}
    # A restored observation gets its version only now, so that it has its links.
    touched |= {one.object_id for one in undone if one.model == OBSERVATION and one.after}
    rows = Observation.objects.select_related("entity").filter(pk__in=touched).order_by("pk")
    observation_lineage.write_versions(workspace_id=workspace_id, observations=list(rows), at=at)
    made = [change for change in changes if change.model == Concept._meta.label_lower and not change.before]
    undone += concepts.remove_unused(made=made) if undone else []
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _unlinked(change: Change, workspace_id: int) -> ChangeFacts | str:
    row = ObservationSource.objects.filter(pk=change.object_id, observation__project__workspace_id=workspace_id).first()
    if row is None:
        return f"A link of observation #{change.after['observation']} was taken away since"
    before = link_facts(row)
    row.delete()
    return ChangeFacts(LINK, change.object_id, before=before, after={})


def _linked(change: Change, workspace_id: int) -> ChangeFacts | str:
    kept = change.before
    number = kept["observation"]
    if not Observation.objects.filter(pk=number, project__workspace_id=workspace_id).exists():
        return f"Observation #{number} is not there any more"
    if not Source.objects.filter(pk=kept["source"], workspace_id=workspace_id).exists():
        return f"A source of observation #{number} was removed since"
    row, is_new = ObservationSource.objects.get_or_create(
        observation_id=number,
        source_id=kept["source"],
        relationship=kept["relationship"],
        defaults={"created_at": kept["created_at"]},
    )
    if not is_new:
        return f"Observation #{number} was linked to {row.source} again since"
    return ChangeFacts(LINK, row.pk, before={}, after=link_facts(row))


def _restored(change: Change, workspace_id: int, *, by: User, at: datetime) -> ChangeFacts | str:
    row = Observation.objects.filter(pk=change.object_id, project__workspace_id=workspace_id).first()
    if (row is None) != (not change.after):
        return f"Observation #{change.object_id} was {'deleted' if row is None else 'brought back'} since"
    if row is None:
        return _revived(change, workspace_id)
    row = locked(row.pk)
    before = facts_of(row)
    if any(before[field] != change.after[field] for field in _SAID):
        return f"Observation #{row.pk} was changed since"
    if change.before:
        row.kind, row.body = change.before["kind"], change.before["body"]
        row.save(update_fields=["kind", "body"])
        row.concepts.set(Concept.objects.filter(workspace_id=workspace_id, pk__in=change.before["concepts"]))
        return ChangeFacts(OBSERVATION, row.pk, before=before, after=facts_of(row))
    if row.source_links.exists():
        return f"Observation #{row.pk} was linked to a source since"
    if row.entity_id is not None:
        try:
            capture.tombstone(entity_ids=[row.entity_id], why="Adding it was undone.", by=by, at=at)
        except OnHold as held:
            return str(held)
    row.delete()
    return ChangeFacts(OBSERVATION, change.object_id, before=before, after={})


def _revived(change: Change, workspace_id: int) -> ChangeFacts | str:
    kept = change.before
    if not Project.objects.filter(pk=kept["project"], workspace_id=workspace_id).exists():
        return f"The project of observation #{change.object_id} is not there any more"
    row = Observation(
        pk=change.object_id,
        uuid=kept["uuid"],
        project_id=kept["project"],
        kind=kept["kind"],
        body=kept["body"],
        source_doi=kept["source_doi"],
        turn=Turn.objects.filter(pk=kept["turn"]).first(),
        origin_host=kept["origin_host"],
        created_at=datetime.fromisoformat(kept["created_at"]),
        created_by=User.objects.filter(pk=kept["created_by"]).first(),
        # The tombstoned one: the version that is written next supersedes it.
        entity=Entity.objects.filter(pk=kept["entity"]).first(),
    )
    row.save(force_insert=True)
    row.concepts.set(Concept.objects.filter(workspace_id=workspace_id, pk__in=kept["concepts"]))
    return ChangeFacts(OBSERVATION, row.pk, before={}, after=facts_of(row))
