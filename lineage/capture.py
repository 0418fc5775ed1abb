"""Writes entities and edges, in bulk and in the caller's transaction: the durable object and its lineage land together.

Telling the same twice writes once. The same ref with another hash is a `HashConflict`, never an overwrite.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from lineage.core import keys, pairs
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, Label, Relation
from lineage.models import Edge, Entity
from provenance_site.kit.rows import insert_rows, update_rows

_BATCH = 500


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
        pairs.check_pair(fact.relation, fact.dependent.type, fact.rests_on.type)
        rows.append(
            Edge(
                workspace_id=workspace_id,
                edge_key=fact.key,
                from_entity=entities[str(fact.dependent)],
                to_entity=entities[str(fact.rests_on)],
                relation=fact.relation,
                is_dependence=pairs.is_dependence(fact.relation, fact.dependent.type),
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
        level=fact.classification.level,
        metadata=fact.metadata,
        created_at=at,
    )
