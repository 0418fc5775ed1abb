"""Writes entities and edges, in bulk and in the caller's transaction: the durable object and its lineage land together.

Telling the same twice writes once. The same ref with another hash is a `HashConflict`, never an overwrite. No node
comes to rest on itself (`SelfEdge`, `Ring`); in the same transaction a dependent takes the level that it inherits, and
is stale where what it rests on has fallen.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction

from lineage.core import keys, outgoing, pairs
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Label, Pin, Relation
from lineage.models import Edge, Entity
from lineage.services import deletion, impact, joining, labels, outbox, states, worklist
from lineage.services.joining import Ring, SelfEdge
from provenance_site.accounts.models import User
from provenance_site.kit.rows import in_parts, insert_columns, update_rows

__all__ = [
    "EdgeFacts",
    "EntityFacts",
    "HashConflict",
    "Ring",
    "SelfEdge",
    "forget",
    "record_edges",
    "record_entities",
    "record_ids",
    "stand_again",
    "supersede",
    "take_back_superseding",
    "tombstone",
]

_BATCH = 1_000


class HashConflict(ValueError):
    """A ref was told again with another content hash."""


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """What is known of a node when it is written.

    `classification` is what it adds of its own; what it rests on may raise it (`Label.PUBLIC`: it only inherits). A
    placeholder is only named: telling it again in full makes it a node.
    """

    ref: Ref
    content_hash: str = ""
    source_time: datetime | None = None
    authority: str = ""
    classification: Label = Label.INTERNAL
    metadata: dict[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    owner_id: int | None = None
    released_at: datetime | None = None
    is_placeholder: bool = False


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
    trace_id: str = ""
    span_id: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

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
    A placeholder that is told of now becomes a whole node, and what rests on it takes its level. Raises `HashConflict`
    where a ref is known with another hash; writes nothing then.
    """
    facts = {keys.ref_key(str(fact.ref)): fact for fact in entities}
    found: dict[str, int] = {}
    with transaction.atomic():
        for ref_keys in in_parts(sorted(facts), _BATCH):
            there = _known(workspace_id=workspace_id, ref_keys=ref_keys)
            missing = {key: facts[key] for key in ref_keys if key not in there}
            there |= _insert(workspace_id=workspace_id, facts=missing, at=at) if missing else {}
            named: dict[int, EntityFacts] = {}
            for key, known in there.items():
                fact = facts[key]
                if fact.content_hash and known.content_hash and fact.content_hash != known.content_hash:
                    raise HashConflict(f"{fact.ref} is known with another content")
                if known.is_placeholder and not fact.is_placeholder:
                    named[known.pk] = fact
                found[str(fact.ref)] = known.pk
            _make_whole(workspace_id=workspace_id, named=named, at=at)
        told = [fact for fact in facts.values() if not fact.is_placeholder]
        if told and outbox.is_wanted(workspace_id=workspace_id):
            outbox.put(workspace_id=workspace_id, entities=[_outgoing_entity(fact) for fact in told], edges=[], at=at)
    return found


def _outgoing_entity(fact: EntityFacts) -> dict[str, Any]:
    return outgoing.entity(
        ref=fact.ref,
        content_hash=fact.content_hash,
        source_time=fact.source_time,
        authority=fact.authority,
        classification=fact.classification,
    )


def record_entities(*, workspace_id: int, entities: Iterable[EntityFacts], at: datetime) -> dict[str, Entity]:
    """`record_ids`, with the whole nodes; a query more per 1,000. For who looks at more of them than their keys."""
    ids = record_ids(workspace_id=workspace_id, entities=entities, at=at)
    rows = Entity.objects.in_bulk(list(ids.values()))
    return {ref: rows[pk] for ref, pk in ids.items()}


class _Known(NamedTuple):
    """What recording looks at of a node that stands."""

    pk: int
    content_hash: str
    is_placeholder: bool


def _known(*, workspace_id: int, ref_keys: Iterable[str]) -> dict[str, _Known]:
    rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=list(ref_keys))
    found = rows.values_list("ref_key", "pk", "content_hash", "is_placeholder")
    return {key: _Known(pk, content_hash, named) for key, pk, content_hash, named in found}


def _insert(*, workspace_id: int, facts: Mapping[str, EntityFacts], at: datetime) -> dict[str, _Known]:
    """The nodes by ref key as they stand in the database; where another writer was first with one, that writer's."""
    each, same = _columns(facts), {"workspace_id": workspace_id, "created_at": at}
    try:
        with transaction.atomic():
            ids = insert_columns(Entity, each, same=same)
    except IntegrityError:
        insert_columns(Entity, each, same=same, ignore_conflicts=True)
        return _known(workspace_id=workspace_id, ref_keys=facts)
    told = zip(ids, facts.items(), strict=True)
    return {key: _Known(pk, fact.content_hash, fact.is_placeholder) for pk, (key, fact) in told}


def _make_whole(*, workspace_id: int, named: Mapping[int, EntityFacts], at: datetime) -> None:
    """Writes what is told now into rows that were only named until now. Their dependents are there already."""
    if not named:
        return
    each = _columns({str(pk): fact for pk, fact in named.items()})
    changed = [name for name in each if name not in {"ref", "ref_key", "level"}]
    rows = [
        Entity(pk=pk, created_at=at, **{name: each[name][place] for name in changed}) for place, pk in enumerate(named)
    ]
    update_rows(rows, [*("owner" if name == "owner_id" else name for name in changed), "created_at"])
    labels.settle(workspace_id=workspace_id, entity_ids=named)


def _columns(facts: Mapping[str, EntityFacts]) -> dict[str, list[Any]]:
    told = facts.values()
    return {
        "ref": [str(fact.ref) for fact in told],
        "ref_key": list(facts),
        "type": [fact.ref.type.value for fact in told],
        "logical_id": [fact.ref.path for fact in told],
        "version": [fact.ref.version for fact in told],
        "pin": [Pin.PINNED if fact.ref.is_pinned else Pin.UNRESOLVED for fact in told],
        "is_placeholder": [fact.is_placeholder for fact in told],
        "content_hash": [fact.content_hash for fact in told],
        "source_time": [fact.source_time for fact in told],
        "authority": [fact.authority for fact in told],
        "classification": [fact.classification for fact in told],
        "level": [fact.classification.level for fact in told],
        "metadata": [fact.metadata for fact in told],
        "valid_from": [fact.valid_from for fact in told],
        "valid_to": [fact.valid_to for fact in told],
        "owner_id": [fact.owner_id for fact in told],
        "released_at": [fact.released_at for fact in told],
    }


def record_edges(
    *, workspace_id: int, edges: Iterable[EdgeFacts], entities: Mapping[str, Entity | int], at: datetime
) -> int:
    """Writes the edges that are not there yet between `entities` (or their keys, by ref string) and gives how many were
    told; dependents take the level that they inherit, and fall with what has fallen. All or none.

    Raises `WrongPair` where a relation does not join these types, `SelfEdge`, `Ring` where a node would come to rest on
    itself, KeyError where an end was not recorded.
    """
    given = list(edges)
    if not given:
        return 0
    by_key = {fact.key: fact for fact in given}
    told = [by_key[key] for key in sorted(by_key)]
    checked: dict[tuple[Relation, EntityType, EntityType], bool] = {}
    for fact in told:
        if (kinds := (fact.relation, fact.dependent.type, fact.rests_on.type)) not in checked:
            pairs.check_pair(*kinds)
            checked[kinds] = pairs.is_dependence(fact.relation, fact.dependent.type)
    ends = [(_id_of(entities[str(fact.dependent)]), _id_of(entities[str(fact.rests_on)])) for fact in told]
    walked = [checked[fact.relation, fact.dependent.type, fact.rests_on.type] for fact in told]
    with transaction.atomic():
        found = joining.before(workspace_id=workspace_id, pairs=ends, is_dependence=walked, at=at)
        insert_columns(
            Edge,
            {
                "edge_key": sorted(by_key),
                "from_entity_id": [dependent for dependent, _ in ends],
                "to_entity_id": [rests_on for _, rests_on in ends],
                "relation": [fact.relation.value for fact in told],
                "is_dependence": walked,
                "transform_type": [fact.transform_type for fact in told],
                "transform_implementation": [fact.transform_implementation for fact in told],
                "transform_version": [fact.transform_version for fact in told],
                "config_hash": [fact.config_hash for fact in told],
                "run_id": [fact.run_id for fact in told],
                "trace_id": [fact.trace_id for fact in told],
                "span_id": [fact.span_id for fact in told],
                "metadata": [fact.metadata for fact in told],
            },
            same={"workspace_id": workspace_id, "created_at": at},
            ignore_conflicts=True,
        )
        joining.after(workspace_id=workspace_id, ends=found)
        impact.reach(workspace_id=workspace_id, entity_ids={dependent for dependent, _ in found.pairs}, at=at)
        replaced = [end for (_, end), fact in zip(ends, told, strict=True) if fact.relation is Relation.SUPERSEDES]
        worklist.rebuilt(entity_ids=replaced, at=at)
        if outbox.is_wanted(workspace_id=workspace_id):
            outbox.put(workspace_id=workspace_id, entities=[], edges=[_outgoing_edge(fact) for fact in told], at=at)
    return len(given)


def _outgoing_edge(fact: EdgeFacts) -> dict[str, Any]:
    return outgoing.edge(
        dependent=fact.dependent,
        relation=fact.relation,
        rests_on=fact.rests_on,
        transform={
            "type": fact.transform_type,
            "implementation": fact.transform_implementation,
            "version": fact.transform_version,
            "config_hash": fact.config_hash,
        },
        run_id=fact.run_id,
    )


def _id_of(entity: Entity | int) -> int:
    return entity if isinstance(entity, int) else entity.pk


def forget(*, entities: Iterable[Entity | int]) -> None:
    """Deletes nodes that were written in this same transaction for objects that did not come to be.

    Only for those: what was once committed is tombstoned, never deleted.
    """
    Entity.objects.filter(pk__in=[_id_of(entity) for entity in entities]).delete()


def tombstone(
    *, entity_ids: Iterable[int], at: datetime, why: str = "Its object was removed.", by: User | None = None
) -> int:
    """Marks nodes whose object was removed, and keeps when, by whom and why; the node and its edges stay, so that what
    rested on it can be told.

    Gives how many were marked now. Idempotent. Raises `deletion.OnHold`.
    """
    return deletion.bury(entity_ids=entity_ids, why=why, by=by, at=at)


def supersede(*, entity_ids: Iterable[int], at: datetime) -> int:
    """Marks nodes whose object has a newer version now; gives how many were not superseded until then. Idempotent."""
    return states.supersede(entity_ids=entity_ids, at=at)


def stand_again(*, entity_ids: Iterable[int]) -> int:
    """Makes tombstoned and superseded nodes current again whose very object, with the same content, is there again.

    Gives how many were not. Idempotent; a retracted or stale node stays what it is.
    """
    return deletion.bring_back(entity_ids=entity_ids)


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
    return states.clear_superseding(entity_ids=wanted)
