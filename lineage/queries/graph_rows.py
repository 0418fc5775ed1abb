"""A part of the graph for files: a node with what rests on it, what it rests on, or both, as the asker may see it."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import attrgetter

from django.db.models import QuerySet

from lineage import access
from lineage.core.asking import Asker
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.core.told import Graph, Link, Node, Run, RunPart
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
    return Graph(tenant, lambda: _nodes(told, asker=asker), lambda: _links(told), lambda: _runs(told))


def _told(keys: list[int], *, asker: Asker) -> list[int]:
    """Those that were told of: what is only named stands in no file."""
    return [pk for part in in_parts(keys, _PART) for pk in _in_order(part, asker).values_list("pk", flat=True)]


def _in_order(part: list[int], asker: Asker) -> QuerySet[Entity]:
    return access.visible(asker).filter(pk__in=among(part)).order_by("pk")


def _nodes(keys: list[int], *, asker: Asker) -> Iterator[Node]:
    for part in in_parts(keys, _PART):
        yield from map(_node, _in_order(part, asker))


def _node(row: Entity) -> Node:
    return Node(
        ref=row.ref,
        type=EntityType(row.type),
        logical_id=row.logical_id,
        version=row.version,
        content_hash=row.content_hash,
        source_time=row.source_time,
        authority=row.authority,
        label=Label(row.label),
        state=EntityState(row.state),
        gone_at=row.tombstoned_at or row.retracted_at,
    )


def _links(keys: list[int]) -> Iterator[Link]:
    kept = set(keys)
    for part in in_parts(keys, _PART):
        edges = _edges(part).select_related("from_entity", "to_entity")
        yield from (_link(row) for row in edges if row.to_entity_id in kept)


def _edges(part: list[int]) -> QuerySet[Edge]:
    """What these nodes rest on."""
    return Edge.objects.filter(from_entity__in=among(part)).order_by("from_entity", "pk")


def _link(row: Edge) -> Link:
    return Link(
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


def _runs(keys: list[int]) -> Iterator[RunPart]:
    """Which edges a run has is known once all were gone through: of each its key is held, 8 bytes, and its facts are
    read when its turn comes."""
    runs: dict[str, Run] = {}
    edges: dict[str, array[int]] = {}
    for key, run in _seen(keys):
        known = runs.setdefault(run.run_id, run)
        runs[run.run_id] = replace(known, began=min(known.began, run.began), ended=max(known.ended, run.ended))
        edges.setdefault(run.run_id, array("q")).append(key)
    for run_id, rows in groupby(_facts(chain.from_iterable(edges.values())), key=attrgetter("run_id")):
        yield from _parts(runs[run_id], rows)


def _parts(run: Run, rows: Iterator[Edge]) -> Iterator[RunPart]:
    part, is_first = list(islice(rows, _PART)), True
    while part:
        following = list(islice(rows, _PART))
        nodes = {end.ref: _node(end) for row in part for end in (row.from_entity, row.to_entity)}
        yield RunPart(run, [*map(_link, part)], nodes, is_first=is_first, is_last=not following)
        part, is_first = following, False


def _seen(keys: list[int]) -> Iterator[tuple[int, Run]]:
    """Each edge between these nodes by its key, with its run as far as it alone tells of it."""
    kept = set(keys)
    for part in in_parts(keys, _PART):
        told = _edges(part).values_list("pk", "to_entity", "run_id", "transform_type", "created_at")
        for key, other, run_id, transform, at in told:
            if other in kept:
                yield key, Run(run_id, transform, began=at, ended=at)


def _facts(keys: Iterator[int]) -> Iterator[Edge]:
    """These edges in this order; one that was taken away meanwhile is left out."""
    while part := list(islice(keys, _PART)):
        rows = Edge.objects.select_related("from_entity", "to_entity").in_bulk(part)
        yield from (rows[key] for key in part if key in rows)
