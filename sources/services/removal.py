"""Taking a source out of the registry, where nothing holds it; what holds it is named."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model, ProtectedError

from lineage import capture
from lineage.core.asking import Asker
from lineage.core.causes import CauseKind
from lineage.core.deletion import DeletionReport
from lineage.models import Entity
from lineage.services import deletion, deletion_report, impact
from lineage.services.in_turn import hold, wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.reading import limited
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.text import counted
from sources import permissions
from sources.core.kinds import DecisionKind
from sources.models import Chunk, Source, SourceAlias, Tag, TurnSource
from sources.queries.readable import readable
from sources.services import corpus_rows, retraction_parts

CHANGE_KIND = "source.remove"
# Its checks and contents are gone with it: nothing can bring them back, so this kind has no undo.
CHECKED_KIND = "source.remove-checked"
# Nothing of it was kept, on purpose.
ERASED_KIND = "source.erase"
KINDS = frozenset({CHANGE_KIND, CHECKED_KIND, ERASED_KIND})
_SOURCE = Source._meta.label_lower
_NAMED = 20
# Keys of rows that may not be there any more when it comes back.
_NOT_KEPT = frozenset({"id", "latest_check", "merged_into"})


class Held(ValueError):
    """The source cannot be removed; the message names what holds it. `holders` has a sentence for each kind."""

    def __init__(self, source: Source, holders: Sequence[str]) -> None:
        super().__init__(f"“{source}” cannot be removed. {' '.join(holders)}")
        self.holders = tuple(holders)


def holders_of(source: Source) -> list[str]:
    """A sentence with the way out for each kind of thing that holds the source; [] where it can go. Eight queries."""
    told = [_observations(source), _entries(source), _decisions(source), _merged(source), _legal_hold(source)]
    if source.retracted:
        told.append("It is marked retracted, which must not be forgotten: take the mark back first.")
    elif source.retraction_decisions.filter(undone_at=None).exists():
        told.append("An editor decided that it is not retracted, and that is kept: drop it instead.")
    return [sentence for sentence in told if sentence]


def _hidden_holders(source: Source) -> list[str]:
    """What holds the source and is not there for whoever reads now: it is not named, but it cannot be left hanging."""
    links, merged = source.observation_links.all(), source.merged.all()
    if (links.count(), merged.count()) == (readable(links).count(), readable(merged).count()):
        return []
    return ["It is in use. An administrator who reads everything in the workspace can say where."]


def can_be_undone(source: Source) -> bool:
    """False where checks, contents or questions would go with the source: those cannot be brought back."""
    return not (
        source.checks.exists()
        or source.source_versions.exists()
        or source.status_changes.exists()
        or source.review_items.exists()
    )


def remove(
    *,
    source: Source,
    by: User,
    channel: Channel,
    at: datetime,
    why: str = "",
    erasing: bool = False,
    reprocessing: bool = False,
) -> ChangeSet:
    """Removes a source that nothing holds, with its spellings and tags, in one ChangeSet; raises `Held`.

    Its lineage and that of its contents is tombstoned, so that what rested on it can still be told (`report_of`).
    Chunks and turns that named it stay and name it no more. The ChangeSet is of the kind `CHANGE_KIND`, which can be
    undone, or `CHECKED_KIND`, which cannot. With `erasing`, which needs an admin, no word of it is kept: neither
    in its history nor in its lineage, where only the keys of refs stay; the kind is `ERASED_KIND`. With `reprocessing`
    all that rested on it becomes stale and comes to its owners to be made anew.
    """
    permissions.check_can_curate(by, source.workspace_id)
    if erasing:
        permissions.check_can_erase(by, source.workspace_id)
    try:
        with transaction.atomic():
            row = hold_to_remove(source, in_turn=erasing or reprocessing)
            if holders := holders_of(row) or (_hidden_holders(row) if limited() else []):
                raise Held(row, holders)
            kind = CHANGE_KIND if can_be_undone(row) else CHECKED_KIND
            kept, name = _kept(row), str(row)
            going, why = _entities_of(row), why.strip() or "Removed from the registry."
            if erasing:
                kind, kept, name = ERASED_KIND, {}, why
                deletion.erase(entity_ids=going, why=why, by=by, at=at)
                Change.objects.filter(model=_SOURCE, object_id=row.pk).update(before={}, after={})
                corpus_rows.forget(source_id=row.pk)
            else:
                capture.tombstone(entity_ids=going, why=why, by=by, at=at)
            row.delete()
            if reprocessing:
                _ask_to_make_anew(going[:1], why=why, by=by, at=at)
            return changes.record(
                workspace_id=source.workspace_id,
                kind=kind,
                actor=by,
                channel=channel,
                note=name[:200],
                at=at,
                changes=[ChangeFacts(_SOURCE, source.pk, before={**kept, "entities": going}, after={})],
            )
    except ProtectedError as held:
        # Somebody entered or linked it between our look and our write.
        raise Held(source, ["Somebody uses it since this moment: look again."]) from held


def hold_to_remove(source: Source, *, in_turn: bool = False) -> Source:
    """The source, which nobody changes or comes to lead to until the transaction ends; raises `Held` where it is gone.

    `in_turn` for who also changes what rests on it, or is kept apart from it. With its key last: whoever comes to lead
    to it looks at that when all else of theirs is done.
    """
    row = Source.objects.select_for_update(no_key=True).filter(pk=source.pk).first()
    if row is None:
        raise Held(source, ["It was removed already."])
    if in_turn:
        wait_for_turn(workspace_id=row.workspace_id)
    hold(_entities_of(row))
    return Source.objects.select_for_update().get(pk=row.pk)


def report_of(change_set: ChangeSet, *, asker: Asker) -> DeletionReport:
    """What the removal of sources, and of what they brought, did to all that rested on them, as far as `asker` may see.

    Empty for a ChangeSet that removed none.
    """
    told = change_set.changes.filter(model=_SOURCE).values_list("before", flat=True)
    going = [entity_id for before in told for entity_id in before.get("entities", [])]
    return deletion_report.report(entity_ids=going, asker=asker)


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Brings a removed source back under its number, with spellings, tags, chunks and turns. Registered for
    `source.remove`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        workspace_id, kept = change.change_set.workspace_id, dict(change.before)
        permissions.check_can_curate(by, workspace_id)
        name = kept["title"] or kept["identifier_value"]
        key = kept["canonical_key"]
        there = Source.objects.filter(pk=change.object_id).exists()
        if there or (key and Source.objects.filter(workspace_id=workspace_id, canonical_key=key).exists()):
            skipped.append(f"“{name}” is in the registry again")
        else:
            _bring_back(change, kept, at=at)
            undone.append(ChangeFacts(_SOURCE, change.object_id, before={}, after=change.before))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _bring_back(change: Change, kept: dict[str, Any], *, at: datetime) -> None:
    row = Source(pk=change.object_id, **_values(Source, kept))
    row.save(force_insert=True)
    SourceAlias.objects.bulk_create(
        [SourceAlias(source=row, **_values(SourceAlias, told)) for told in kept["aliases"]], ignore_conflicts=True
    )
    row.tags.set(Tag.objects.filter(workspace_id=row.workspace_id, pk__in=kept["tags"]))
    Chunk.objects.filter(pk__in=kept["chunks"], source__isnull=True, store__workspace_id=row.workspace_id).update(
        source=row
    )
    TurnSource.objects.filter(
        pk__in=kept["turns"], source__isnull=True, turn__session__project__workspace_id=row.workspace_id
    ).update(source=row)
    if row.entity_id is not None:
        capture.stand_again(entity_ids=[row.entity_id])
    retraction_parts.take_in(sources=[row], at=at)


def _kept(source: Source) -> dict[str, object]:
    return {
        **_columns(source),
        "aliases": [_columns(alias) for alias in source.aliases.order_by("pk")],
        "tags": list(source.tags.order_by("pk").values_list("pk", flat=True)),
        "chunks": list(source.chunks.order_by("pk").values_list("pk", flat=True)),
        "turns": list(source.turn_sources.order_by("pk").values_list("pk", flat=True)),
    }


def _columns(row: Model) -> dict[str, object]:
    fields = [field for field in row._meta.concrete_fields if field.name not in _NOT_KEPT]
    return {field.attname: getattr(row, field.attname) for field in fields if field.name != "source"}


def _values(model: type[Model], kept: dict[str, Any]) -> dict[str, Any]:
    """The columns of `model` among what history kept as JSON, in the types of the fields."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return {name: fields[name].to_python(value) for name, value in kept.items() if name in fields}


def _observations(source: Source) -> str:
    links = readable(source.observation_links.all()).select_related("observation").order_by("observation")
    told = dict.fromkeys(
        f"#{link.observation_id} [{link.observation.kind}] “{link.observation.body[:60]}”" for link in links
    )
    if not told:
        return ""
    number = counted(len(told), "observation rests", "observations rest")
    return f"{number} on it: {_listed(told)}. Take the links away first."


def _entries(source: Source) -> str:
    told = [
        f"{entry.stable_id} of {entry.project.name}"
        for entry in source.entries.select_related("project").order_by("project__name", "number")
    ]
    if not told:
        return ""
    return f"It is {_listed(told)}: undo the import that brought it, or drop it in the review queue instead."


def _decisions(source: Source) -> str:
    told = [
        f"{DecisionKind(one.kind).label} by {one.by} on {one.at:%Y-%m-%d}"
        for one in source.decisions.select_related("by").order_by("-at", "-pk")
    ]
    if not told:
        return ""
    return f"People decided about it ({_listed(told)}), and that is kept: drop it instead."


def _merged(source: Source) -> str:
    told = [f"“{one}”" for one in readable(source.merged.all()).order_by("pk")]
    return f"{_listed(told)} was merged into it: undo the merge first." if told else ""


def _legal_hold(source: Source) -> str:
    try:
        deletion.check_not_held(entity_ids=_entities_of(source))
    except deletion.OnHold as held:
        return str(held)
    return ""


def _entities_of(source: Source) -> list[int]:
    """The nodes of the source and of its contents, which go with it."""
    own = [] if source.entity_id is None else [source.entity_id]
    return own + list(source.source_versions.exclude(entity=None).order_by("pk").values_list("entity_id", flat=True))


def _ask_to_make_anew(entity_ids: Sequence[int], *, why: str, by: User, at: datetime) -> None:
    """All that rests on the source rests on its contents too, or on it."""
    for entity in Entity.objects.filter(pk__in=entity_ids):
        what = impact.What(kind=CauseKind.ERASURE, reason=why, entity=entity)
        impact.propagate(workspace_id=entity.workspace_id, what=what, by=by, at=at)


def _listed(told: Iterable[str]) -> str:
    names = list(told)
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
