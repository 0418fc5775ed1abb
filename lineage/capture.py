"""Writes entities and edges, in bulk and in the caller's transaction: the durable object and its lineage land together.

Telling the same twice writes once. The same ref with another hash is a `HashConflict`, never an overwrite.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from lineage.core import keys, relations
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.models import Edge, Entity
from provenance_site.kit.rows import in_parts, insert_columns, update_rows

_BATCH = 1_000


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


def record_ids(*, workspace_id: int, entities: Iterable[EntityFacts], at: datetime) -> dict[str, int]:
    """Writes the nodes that are not there yet and gives the keys of all of them, by ref string.

    Two queries per 1,000 nodes, in the order of their keys, so that two writers of the same ones cannot deadlock.
    Raises `HashConflict` where a ref is known with another hash; writes nothing then.
    """
    facts = {keys.ref_key(str(fact.ref)): fact for fact in entities}
    found: dict[str, int] = {}
    with transaction.atomic():
        for ref_keys in in_parts(sorted(facts), _BATCH):
            there = _known(workspace_id=workspace_id, ref_keys=ref_keys)
            missing = {key: facts[key] for key in ref_keys if key not in there}
            there |= _insert(workspace_id=workspace_id, facts=missing, at=at) if missing else {}
            for key, known in there.items():
                told = facts[key].content_hash
                if told and known.content_hash and told != known.content_hash:
                    raise HashConflict(f"{facts[key].ref} is known with another content")
                found[str(facts[key].ref)] = known.pk
    return found


def record_entities(*, workspace_id: int, entities: Iterable[EntityFacts], at: datetime) -> dict[str, Entity]:
    """`record_ids`, with the whole nodes; a query more per 1,000. For who looks at more of them than their keys."""
    ids = record_ids(workspace_id=workspace_id, entities=entities, at=at)
    parts = in_parts(ids.values(), _BATCH)
    return {entity.ref: entity for part in parts for entity in Entity.objects.filter(pk__in=part)}


class _Known(NamedTuple):
    """What recording looks at of a node that stands."""

    pk: int
    content_hash: str


def _known(*, workspace_id: int, ref_keys: Iterable[str]) -> dict[str, _Known]:
    rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=list(ref_keys))
    return {key: _Known(pk, told) for key, pk, told in rows.values_list("ref_key", "pk", "content_hash")}


def _insert(*, workspace_id: int, facts: Mapping[str, EntityFacts], at: datetime) -> dict[str, _Known]:
    """The nodes by ref key as they stand in the database; where another writer was first with one, that writer's."""
    each, same = _columns(facts), {"workspace_id": workspace_id, "created_at": at}
    try:
        with transaction.atomic():
            ids = insert_columns(Entity, each, same=same)
    except IntegrityError:
        insert_columns(Entity, each, same=same, ignore_conflicts=True)
        return _known(workspace_id=workspace_id, ref_keys=facts)
    return {key: _Known(pk, fact.content_hash) for pk, (key, fact) in zip(ids, facts.items(), strict=True)}


def _columns(facts: Mapping[str, EntityFacts]) -> dict[str, list[Any]]:
    told = facts.values()
    return {
        "ref": [str(fact.ref) for fact in told],
        "ref_key": list(facts),
        "type": [fact.ref.type.value for fact in told],
        "logical_id": [fact.ref.path for fact in told],
        "version": [fact.ref.version for fact in told],
        "content_hash": [fact.content_hash for fact in told],
        "source_time": [fact.source_time for fact in told],
        "authority": [fact.authority for fact in told],
        "classification": [fact.classification for fact in told],
        "metadata": [fact.metadata for fact in told],
    }


def record_edges(
    *, workspace_id: int, edges: Iterable[EdgeFacts], entities: Mapping[str, Entity | int], at: datetime
) -> int:
    """Writes the edges that are not there yet between `entities` (or their keys, by ref string) and gives how many were
    told.

    Raises `WrongPair` where a relation does not join these types, KeyError where an end was not recorded.
    """
    given = list(edges)
    by_key = {fact.key: fact for fact in given}
    told = [by_key[key] for key in sorted(by_key)]
    checked: set[tuple[Relation, EntityType, EntityType]] = set()
    for fact in told:
        if (pair := (fact.relation, fact.dependent.type, fact.rests_on.type)) not in checked:
            relations.check_pair(*pair)
            checked.add(pair)
    insert_columns(
        Edge,
        {
            "edge_key": sorted(by_key),
            "from_entity_id": [_id_of(entities[str(fact.dependent)]) for fact in told],
            "to_entity_id": [_id_of(entities[str(fact.rests_on)]) for fact in told],
            "relation": [fact.relation.value for fact in told],
            "transform_type": [fact.transform_type for fact in told],
            "transform_implementation": [fact.transform_implementation for fact in told],
            "transform_version": [fact.transform_version for fact in told],
            "config_hash": [fact.config_hash for fact in told],
            "run_id": [fact.run_id for fact in told],
        },
        same={"workspace_id": workspace_id, "created_at": at},
        ignore_conflicts=True,
    )
    return len(given)


def _id_of(entity: Entity | int) -> int:
    return entity if isinstance(entity, int) else entity.pk


def forget(*, entities: Iterable[Entity | int]) -> None:
    """Deletes nodes that were written in this same transaction for objects that did not come to be.

    Only for those: what was once committed is tombstoned, never deleted.
    """
    Entity.objects.filter(pk__in=[_id_of(entity) for entity in entities]).delete()


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
