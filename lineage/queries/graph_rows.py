"""A part of the graph for files: a node with what rests on it, what it rests on, or both, as the asker may see it."""

from collections.abc import Iterator, Mapping
from itertools import chain

from django.db.models import QuerySet

from lineage import access
from lineage.core.asking import Asker
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, EntityType, Relation
from lineage.core.told import Graph, Link, Node
from lineage.models import Edge, Entity
from lineage.queries import walks
from lineage.queries.key_sets import among
from lineage.queries.walks import Direction
from provenance_site.accounts.models import Workspace
from provenance_site.kit.rows import in_parts

_PART = 1_000
# How far a file goes, as it is asked for.
DIRECTIONS: Mapping[str, tuple[Direction, ...]] = {
    "up": (Direction.UP,),
    "down": (Direction.DOWN,),
    "both": tuple(Direction),
}


def around(*, ref: Ref | str, directions: tuple[Direction, ...], asker: Asker) -> Graph:
    """The node and all that is reached from it in the directions, complete, however large: rows are read as the graph
    is gone through, a thousand at a time. Raises `access.NoSuchEntity`.
    """
    start = access.entity_at(ref, asker=asker)
    walk = {Direction.UP: walks.ancestor_ids, Direction.DOWN: walks.descendant_ids}
    reached = chain.from_iterable(walk[direction](starts=[start.pk], asker=asker) for direction in directions)
    told = _told(sorted({start.pk, *reached}), asker=asker)
    tenant = str(Workspace.objects.values_list("uuid", flat=True).get(pk=asker.workspace_id))
    return Graph(tenant, lambda: _nodes(told, asker=asker), lambda: _links(told))


def _told(keys: list[int], *, asker: Asker) -> list[int]:
    """Those that were told of: what is only named stands in no file."""
    return [pk for part in in_parts(keys, _PART) for pk in _in_order(part, asker).values_list("pk", flat=True)]


def _in_order(part: list[int], asker: Asker) -> QuerySet[Entity]:
    return access.visible(asker).filter(pk__in=among(part)).order_by("pk")


def _nodes(keys: list[int], *, asker: Asker) -> Iterator[Node]:
    for part in in_parts(keys, _PART):
        for row in _in_order(part, asker):
            yield Node(
                ref=row.ref,
                type=EntityType(row.type),
                logical_id=row.logical_id,
                version=row.version,
                content_hash=row.content_hash,
                source_time=row.source_time,
                authority=row.authority,
                label=row.label,
                state=EntityState(row.state),
                gone_at=row.tombstoned_at or row.retracted_at,
            )


def _links(keys: list[int]) -> Iterator[Link]:
    kept = set(keys)
    for part in in_parts(keys, _PART):
        edges = Edge.objects.filter(from_entity__in=among(part)).select_related("from_entity", "to_entity")
        for row in edges.order_by("from_entity", "pk"):
            if row.to_entity_id not in kept:
                continue
            yield Link(
                key=row.edge_key,
                dependent=row.from_entity.ref,
                dependent_type=EntityType(row.from_entity.type),
                relation=Relation(row.relation),
                rests_on=row.to_entity.ref,
                rests_on_type=EntityType(row.to_entity.type),
                is_dependence=row.is_dependence,
                transform_type=row.transform_type,
                transform_implementation=row.transform_implementation,
                transform_version=row.transform_version,
                config_hash=row.config_hash,
                run_id=row.run_id,
                trace_id=row.trace_id,
                told_at=row.created_at,
            )
