"""Writes entities and edges, in bulk and in the caller's transaction: the durable object and its lineage land together.

Telling the same twice writes once. The same ref with another hash is a `HashConflict`, never an overwrite.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from lineage.core import keys, relations
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, Label, Relation
from lineage.models import Edge, Entity
from provenance_site.kit.rows import insert_rows, insert_values, reserve_keys, stored_json, stored_moment, update_rows

_BATCH = 500
_NODE = (
    "workspace_id",
    "ref",
    "ref_key",
    "type",
    "logical_id",
    "version",
    "content_hash",
    "source_time",
    "authority",
    "classification",
    "state",
    "metadata",
    "created_at",
)
_EDGE = (
    "workspace_id",
    "edge_key",
    "to_entity_id",
    "relation",
    "transform_type",
    "transform_implementation",
    "transform_version",
    "config_hash",
    "run_id",
    "trace_id",
    "span_id",
    "metadata",
    "created_at",
)


class HashConflict(ValueError):
    """A ref was told again with another content hash."""


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """What is known of a node when it is written."""

    ref: Ref
    content_hash: str = ""
    source_time: datetime | None = None
    authority: str = ""
    classification: Label = Label.INTERNAL
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """What is known of an edge when it is written; both ends must have been recorded before."""

    dependent: Ref
    relation: Relation
    rests_on: Ref
    transform_type: str = ""
    transform_implementation: str = ""
    transform_version: str = ""
    config_hash: str = ""
    run_id: str = ""

    @property
    def key(self) -> str:
        """Deterministic key of the edge."""
        return keys.edge_key(
            relation=self.relation,
            from_ref=str(self.dependent),
            to_ref=str(self.rests_on),
            transform=f"{self.transform_type}|{self.transform_implementation}|{self.transform_version}|{self.config_hash}",
            run_id=self.run_id,
        )


class Planned(NamedTuple):
    """A node with its one edge to a recorded node, in the form in which both are written (`plan`, `record_planned`)."""

    workspace_id: int
    ref: str
    ref_key: str
    content_hash: str
    node: tuple[Any, ...]
    edge: tuple[Any, ...]


def plan(*, workspace_id: int, node: EntityFacts, edge: EdgeFacts, rests_on: int, at: datetime) -> Planned:
    """What `record_planned` writes of `node` and of `edge`, by which it rests on the node with the key `rests_on`.

    Touches no database, so that it can be done before the transaction. Raises `WrongPair` as `record_edges` does.
    """
    relations.check_pair(edge.relation, edge.dependent.type, edge.rests_on.type)
    ref, moment = str(node.ref), stored_moment(at)
    key = keys.ref_key(ref)
    return Planned(
        workspace_id=workspace_id,
        ref=ref,
        ref_key=key,
        content_hash=node.content_hash,
        node=(
            workspace_id,
            ref,
            key,
            node.ref.type.value,
            node.ref.path,
            node.ref.version,
            node.content_hash,
            stored_moment(node.source_time),
            node.authority,
            node.classification.value,
            EntityState.CURRENT.value,
            stored_json(node.metadata),
            moment,
        ),
        edge=(
            workspace_id,
            edge.key,
            rests_on,
            edge.relation.value,
            edge.transform_type,
            edge.transform_implementation,
            edge.transform_version,
            edge.config_hash,
            edge.run_id,
            "",
            "",
            "{}",
            moment,
        ),
    )


def record_planned(planned: Sequence[Planned]) -> list[int]:
    """Writes nodes and edges that are not there yet; gives the keys of the nodes in the order of `planned`.

    Three statements, and one where a node was known. In the caller's transaction. Raises `HashConflict` where a ref is
    known with another hash.
    """
    if not planned:
        return []
    node_keys = reserve_keys(Entity, len(planned))
    rows = [(key, *one.node) for key, one in zip(node_keys, planned, strict=True)]
    if insert_values(Entity, ("id", *_NODE), rows, ignore_conflicts=True) < len(rows):
        there = _keys_there(planned)
        node_keys = [there[one.workspace_id, one.ref_key] for one in planned]
    edges = [(key, *one.edge) for key, one in zip(node_keys, planned, strict=True)]
    insert_values(Edge, ("from_entity_id", *_EDGE), edges, ignore_conflicts=True)
    return node_keys


def _keys_there(planned: Sequence[Planned]) -> dict[tuple[int, str], int]:
    """The keys of these nodes, all of which are there, by workspace and key of the ref."""
    wanted = {(one.workspace_id, one.ref_key): one for one in planned}
    there: dict[tuple[int, str], int] = {}
    workspaces, ref_keys = {one.workspace_id for one in planned}, list({one.ref_key for one in planned})
    for start in range(0, len(ref_keys), _BATCH):
        rows = Entity.objects.filter(workspace_id__in=workspaces, ref_key__in=ref_keys[start : start + _BATCH])
        for pk, workspace_id, ref_key, known in rows.values_list("pk", "workspace_id", "ref_key", "content_hash"):
            told = wanted.get((workspace_id, ref_key))
            if told is not None and told.content_hash and known and told.content_hash != known:
                raise HashConflict(f"{told.ref} is known with another content")
            there[workspace_id, ref_key] = pk
    return there


def record_entities(*, workspace_id: int, entities: Iterable[EntityFacts], at: datetime) -> dict[str, Entity]:
    """Writes the nodes that are not there yet and gives all of them, by ref string.

    Two queries per 500 nodes. Raises `HashConflict` where a ref is known with another hash; writes nothing then.
    """
    facts = {keys.ref_key(str(fact.ref)): fact for fact in entities}
    found: dict[str, Entity] = {}
    with transaction.atomic():
        ref_keys = list(facts)
        for start in range(0, len(ref_keys), _BATCH):
            part = {key: facts[key] for key in ref_keys[start : start + _BATCH]}
            there = _known(workspace_id=workspace_id, ref_keys=part)
            missing = [_row(workspace_id=workspace_id, key=key, fact=part[key], at=at) for key in part.keys() - there]
            for entity in [*there.values(), *_insert(workspace_id=workspace_id, rows=missing)]:
                told = part[entity.ref_key].content_hash
                if told and entity.content_hash and told != entity.content_hash:
                    raise HashConflict(f"{entity.ref} is known with another content")
                found[entity.ref] = entity
    return found


def _known(*, workspace_id: int, ref_keys: Iterable[str]) -> dict[str, Entity]:
    rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=list(ref_keys))
    return {entity.ref_key: entity for entity in rows}


def _insert(*, workspace_id: int, rows: list[Entity]) -> list[Entity]:
    """The rows as they stand in the database; where another writer was first with one, that writer's."""
    try:
        with transaction.atomic():
            insert_rows(rows)
            return rows
    except IntegrityError:
        Entity.objects.bulk_create(rows, ignore_conflicts=True)
        return list(_known(workspace_id=workspace_id, ref_keys=[row.ref_key for row in rows]).values())


def record_edges(*, workspace_id: int, edges: Iterable[EdgeFacts], entities: dict[str, Entity], at: datetime) -> int:
    """Writes the edges that are not there yet between `entities` (by ref string) and gives how many were told.

    Raises `WrongPair` where a relation does not join these types, KeyError where an end was not recorded.
    """
    rows = []
    for fact in edges:
        relations.check_pair(fact.relation, fact.dependent.type, fact.rests_on.type)
        rows.append(
            Edge(
                workspace_id=workspace_id,
                edge_key=fact.key,
                from_entity=entities[str(fact.dependent)],
                to_entity=entities[str(fact.rests_on)],
                relation=fact.relation,
                transform_type=fact.transform_type,
                transform_implementation=fact.transform_implementation,
                transform_version=fact.transform_version,
                config_hash=fact.config_hash,
                run_id=fact.run_id,
                created_at=at,
            )
        )
    insert_rows(rows, ignore_conflicts=True)
    return len(rows)


def forget(*, entities: Iterable[Entity]) -> None:
    """Deletes nodes that were written in this same transaction for objects that did not come to be.

    Only for those: what was once committed is tombstoned, never deleted.
    """
    Entity.objects.filter(pk__in=[entity.pk for entity in entities]).delete()


def tombstone(*, entity_ids: Iterable[int]) -> int:
    """Marks nodes whose object was removed; the node and its edges stay, so that what rested on it can be told.

    Gives how many were marked now. Idempotent.
    """
    standing = Entity.objects.filter(pk__in=list(entity_ids)).exclude(state=EntityState.TOMBSTONED)
    return standing.update(state=EntityState.TOMBSTONED)


def supersede(*, entity_ids: Iterable[int]) -> int:
    """Marks nodes whose object has a newer version now; gives how many were current until then. Idempotent."""
    standing = Entity.objects.filter(pk__in=list(entity_ids), state=EntityState.CURRENT)
    return standing.update(state=EntityState.SUPERSEDED)


def stand_again(*, entity_ids: Iterable[int]) -> int:
    """Makes tombstoned and superseded nodes current again whose very object, with the same content, is there again.

    Gives how many were not current. Idempotent; a retracted or stale node stays what it is.
    """
    gone = Entity.objects.filter(pk__in=list(entity_ids), state__in=[EntityState.TOMBSTONED, EntityState.SUPERSEDED])
    return gone.update(state=EntityState.CURRENT)


def take_back_superseding(*, workspace_id: int, entity_ids: Iterable[int], at: datetime) -> int:
    """Lets superseded nodes stand again, since what took their place was taken back; gives how many there were.

    The edges by which others superseded them stay, and say in their metadata since when they do not hold
    (`withdrawn_at`). Idempotent.
    """
    wanted = list(entity_ids)
    edges = Edge.objects.filter(workspace_id=workspace_id, to_entity__in=wanted, relation=Relation.SUPERSEDES)
    withdrawn = [edge for edge in edges.order_by("pk") if "withdrawn_at" not in edge.metadata]
    for edge in withdrawn:
        edge.metadata = {**edge.metadata, "withdrawn_at": at.isoformat()}
    update_rows(withdrawn, ["metadata"])
    return Entity.objects.filter(pk__in=wanted, state=EntityState.SUPERSEDED).update(state=EntityState.CURRENT)


def _row(*, workspace_id: int, key: str, fact: EntityFacts, at: datetime) -> Entity:
    return Entity(
        workspace_id=workspace_id,
        ref=str(fact.ref),
        ref_key=key,
        type=fact.ref.type,
        logical_id=fact.ref.path,
        version=fact.ref.version,
        content_hash=fact.content_hash,
        source_time=fact.source_time,
        authority=fact.authority,
        classification=fact.classification,
        metadata=fact.metadata,
        created_at=at,
    )
