"""Looks at the whole graph of a workspace for what is wrong with it. Reads only; who mends is told what.

What should be there is fed by the registry, which alone knows its objects (`Expected`); the rest the graph tells
itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import Exists, OuterRef, Q

from lineage.core import keys
from lineage.core.causes import Outcome
from lineage.core.reconciling import Kind
from lineage.core.relations import Label
from lineage.models import Cause, Edge, Entity, Impact
from lineage.queries.key_sets import among
from lineage.queries.made_with import made_with

_BATCH = 1_000
_LET_STAND = [outcome.value for outcome in Outcome if outcome.lets_stand]


@dataclass(frozen=True, slots=True)
class Expected:
    """An object of the registry, and what the graph should say of it.

    `ref` is '' where the row does not give it. `entity_id` is the node that the object's row names; `rests_on` are
    nodes that the object rests on for certain. `row` says to the feeder which object it is: model and key, ('', 0)
    where no row keeps the node.
    """

    row: tuple[str, int]
    ref: str
    content_hash: str = ""
    entity_id: int | None = None
    label: Label | None = None
    authority: str = ""
    rests_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the graph does not say what is expected. `entity_id` is the node, None where there is none."""

    kind: Kind
    expected: Expected
    entity_id: int | None
    note: str = ""
    unjoined: tuple[int, ...] = ()


def differences(*, workspace_id: int, expected: Iterable[Expected]) -> Iterator[Difference]:
    """What is not as expected, in the order of `expected`. Four statements for each thousand."""
    waiting = iter(expected)
    while part := list(islice(waiting, _BATCH)):
        yield from _differences(workspace_id, part)


def dangling(*, workspace_id: int, before: datetime) -> list[Entity]:
    """Nodes that something rests on and nobody told of since `before`, by ref: what comes out of order comes soon."""
    rows = Entity.objects.filter(workspace_id=workspace_id, is_placeholder=True, created_at__lt=before)
    return list(rows.filter(Exists(Edge.objects.filter(to_entity=OuterRef("pk")))).order_by("ref", "pk"))


def missed_causes(*, workspace_id: int) -> list[Entity]:
    """Nodes that rest directly on something that a standing cause reaches or is about, and that it does not reach; by
    ref. Edges that were written while the cause ran are seen by neither transaction."""
    found: set[int] = set()
    for cause in Cause.objects.filter(workspace_id=workspace_id, cleared_at__isnull=True):
        reached = Impact.objects.filter(cause=cause)
        handed_on = reached.exclude(outcome__in=_LET_STAND)
        below = Q(to_entity__in=handed_on.values("entity"))
        if cause.entity_id is not None:
            below |= Q(to_entity=cause.entity_id)
        else:
            below |= made_with(
                transform_type=cause.transform_type,
                transform_version=cause.transform_version,
                config_hash=cause.config_hash,
            )
        edges = Edge.objects.filter(below, workspace_id=workspace_id, is_dependence=True)
        late = edges.exclude(from_entity__in=reached.values("entity"))
        if cause.entity_id is not None:
            late = late.exclude(from_entity=cause.entity_id)
        found.update(late.values_list("from_entity", flat=True))
    return list(Entity.objects.filter(pk__in=among(found)).order_by("ref", "pk"))


def _differences(workspace_id: int, part: list[Expected]) -> Iterator[Difference]:
    rows = Entity.objects.filter(workspace_id=workspace_id, is_placeholder=False)
    by_key = rows.filter(ref_key__in=[keys.ref_key(one.ref) for one in part if one.entity_id is None and one.ref])
    by_ref = {entity.ref_key: entity for entity in by_key}
    by_id = rows.in_bulk([one.entity_id for one in part if one.entity_id is not None])
    joined = _joined(one.entity_id for one in part if one.entity_id is not None and one.rests_on)
    for one in part:
        named = by_id.get(one.entity_id) if one.entity_id is not None else None
        entity = named or (by_ref.get(keys.ref_key(one.ref)) if one.ref else None)
        if entity is None or (named is None and one.row[0]):
            yield Difference(Kind.MISSING, one, entity.pk if entity else None)
            continue
        if one.content_hash and entity.content_hash != one.content_hash:
            yield Difference(Kind.WRONG_HASH, one, entity.pk, f"node {entity.content_hash or '(none)'}")
        if entity.tombstoned_at is not None:
            yield Difference(Kind.BURIED, one, entity.pk)
        if one.label is not None and (entity.classification, entity.authority) != (one.label, one.authority):
            told = f"node {entity.classification}, {entity.authority}; object {one.label}, {one.authority}"
            yield Difference(Kind.UNDECLARED, one, entity.pk, told)
        unjoined = tuple(other for other in one.rests_on if (entity.pk, other) not in joined and other != entity.pk)
        if unjoined:
            yield Difference(Kind.UNJOINED, one, entity.pk, unjoined=unjoined)


def _joined(entity_ids: Iterable[int]) -> set[tuple[int, int]]:
    edges = Edge.objects.filter(from_entity__in=among(entity_ids), is_dependence=True)
    return set(edges.values_list("from_entity_id", "to_entity_id"))
