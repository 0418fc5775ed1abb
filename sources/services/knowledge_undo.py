"""Takes back what an import brought beside works, and what it filled in: as far as nobody has built on it since."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import models
from django.db.models import Q

from lineage import capture
from lineage.services import deletion
from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts
from provenance_site.kit.text import counted
from sources.models import (
    Chunk,
    ChunkStore,
    Concept,
    Observation,
    ObservationSource,
    Project,
    Session,
    Source,
    SourceAlias,
    Turn,
)
from sources.services import link_import, source_lineage

_SOURCE = Source._meta.label_lower
_CHUNK = Chunk._meta.label_lower
# In this order: what rests on others goes before them. Each with what keeps a row, and a sentence for it.
_MADE: tuple[tuple[type[models.Model], Q, str], ...] = (
    (ObservationSource, Q(), ""),
    (link_import.OBSERVATION_CONCEPT, Q(), ""),
    (link_import.PROJECT_CONCEPT, Q(), ""),
    (SourceAlias, Q(), ""),
    (Observation, Q(source_links__isnull=False), "{} was linked to a source since"),
    (Turn, Q(observations__isnull=False), "{} has observations that belong to it"),
    (Concept, Q(observations__isnull=False) | Q(projects__isnull=False), "{} is used by now"),
    (
        Project,
        Q(entries__isnull=False) | Q(observations__isnull=False) | Q(imports__isnull=False) | Q(sessions__isnull=False),
        "{} has sources or observations by now",
    ),
)
MODELS = frozenset({_SOURCE, _CHUNK, *(model._meta.label_lower for model, _, _ in _MADE)})


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Removes rows that the import made and gives back the columns that it filled, inside the caller's transaction.

    A row that others use by now stays and is named; so does a column that was changed since.
    """
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for model, kept_by, sentence in _MADE:
        mine = {change.object_id: change for change in changes if change.model == model._meta.label_lower}
        for part in in_parts(sorted(mine)):
            rows = model._default_manager.filter(pk__in=part)
            kept = set(rows.filter(kept_by).values_list("pk", flat=True)) if kept_by else set()
            skipped += [sentence.format(row) for row in rows.filter(pk__in=kept)]
            going = [pk for pk in part if pk not in kept]
            going = _delete(model, going, skipped=skipped, by=by, at=at)
            undone += [_facts(mine[pk]) for pk in going]
    passages = [change for change in changes if change.model == _CHUNK]
    _remove_passages(passages, undone=undone, skipped=skipped, by=by, at=at)
    for change in changes:
        if change.model == _SOURCE:
            _give_back(change, undone=undone, skipped=skipped)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _remove_passages(
    changes: Sequence[Change], *, undone: list[ChangeFacts], skipped: list[str], by: User, at: datetime
) -> None:
    """Takes passages out again that the import added, and stores that are empty then. What it replaced is known by its
    hash alone."""
    added = {change.object_id: change for change in changes if not change.before}
    for part in in_parts(sorted(added)):
        rows = Chunk.objects.filter(pk__in=part)
        stores = set(rows.values_list("store_id", flat=True))
        going = _delete(Chunk, rows.values_list("pk", flat=True), skipped=skipped, by=by, at=at)
        ChunkStore.objects.filter(pk__in=stores, chunks__isnull=True).delete()
        undone += [_facts(added[pk]) for pk in going]
    if replaced := len(changes) - len(added):
        skipped.append(f"{counted(replaced, 'passage')} took the place of older text; import the earlier store again")


def _delete(model: type[models.Model], keys: Iterable[int], *, skipped: list[str], by: User, at: datetime) -> list[int]:
    """Removes rows, but for those under a legal hold, and gives their keys; a session goes with its last turn."""
    going = list(keys)
    turns = Turn.objects.filter(pk__in=going if model is Turn else [])
    sessions = set(turns.values_list("session_id", flat=True))
    rows = model._default_manager.filter(pk__in=going)
    if model in {Observation, Chunk}:
        entity_of = dict(rows.exclude(entity=None).values_list("pk", "entity_id"))
        held = deletion.held(entity_ids=entity_of.values())
        kept = {pk for pk, entity_id in entity_of.items() if entity_id in held}
        skipped += [f"{row} is under a legal hold" for row in rows.filter(pk__in=kept)]
        going = [pk for pk in going if pk not in kept]
        tombstoned = [entity_of[pk] for pk in going if pk in entity_of]
        capture.tombstone(entity_ids=tombstoned, why="The import that brought it was undone.", by=by, at=at)
    model._default_manager.filter(pk__in=going).delete()
    Session.objects.filter(pk__in=sessions, turns__isnull=True).delete()
    return going


def _give_back(change: Change, *, undone: list[ChangeFacts], skipped: list[str]) -> None:
    source = Source.objects.select_for_update(no_key=True).filter(pk=change.object_id).first()
    if source is None:
        return
    mine = {name: value for name, value in change.after.items() if getattr(source, name) == value}
    if len(mine) < len(change.after):
        names = ", ".join(sorted(name.replace("_", " ") for name in change.after.keys() - mine.keys()))
        skipped.append(f"{source}: {names} was changed since")
    if not mine:
        return
    for name in mine:
        setattr(source, name, change.before[name])
    source.row_version += 1
    source.save(update_fields=[*mine, "row_version"])
    if mine.keys() & source_lineage.DECLARED:
        source_lineage.declare([source])
    undone.append(ChangeFacts(_SOURCE, source.pk, mine, {name: change.before[name] for name in mine}))


def _facts(change: Change) -> ChangeFacts:
    return ChangeFacts(model=change.model, object_id=change.object_id, before=change.after, after={})
