"""Writes entities and edges, in bulk and in the caller's transaction: the durable object and its lineage land together.

Telling the same twice writes once. The same ref with another hash is a `HashConflict`, never an overwrite. No node
comes to rest on itself (`SelfEdge`, `Ring`); in the same transaction a dependent takes the level that it inherits, and
is stale where what it rests on has fallen.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction

from lineage.core import keys, pairs
from lineage.core.facts import EdgeFacts, EntityFacts
from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity
from lineage.services import deletion, impact, joining, nodes, outbox, states, worklist
from lineage.services.in_turn import hold, wait_for_turn
from lineage.services.joining import Ring, SelfEdge
from lineage.services.nodes import HashConflict
from lineage.services.planned import Planned, plan, record_planned
from lineage.services.withdrawing import withdraw
from provenance_site.accounts.models import User
from provenance_site.kit.rows import in_parts, insert_columns, update_rows

__all__ = [
    "EdgeFacts",
    "EntityFacts",
    "HashConflict",
    "Planned",
    "Ring",
    "SelfEdge",
    "forget",
    "plan",
    "record_edges",
    "record_entities",
    "record_ids",
    "record_planned",
    "stand_again",
    "supersede",
    "take_back_superseding",
    "tombstone",
    "withdraw",
]

_BATCH = 1_000


def record_ids(*, workspace_id: int, entities: Iterable[EntityFacts], at: datetime) -> dict[str, int]:
    """Writes the nodes that are not there yet and gives the keys of all of them, by ref string.

    Two queries per 1,000 nodes, in the order of their keys, so that two writers of the same ones cannot deadlock.
    A placeholder that is told of now becomes a whole node, and what rests on it takes its level. Raises `HashConflict`
    where a ref is known with another hash; writes nothing then.
    """
    facts = {keys.ref_key(str(fact.ref)): fact for fact in entities}
    there: dict[str, nodes.Known] = {}
    with transaction.atomic():
        parts = list(in_parts(sorted(facts), _BATCH))
        for ref_keys in parts:
            there |= nodes.known(workspace_id=workspace_id, ref_keys=ref_keys)
        if any(nodes.becomes_whole(facts[key], known) for key, known in there.items()):
            # Before rows are written: see `in_turn`.
            wait_for_turn(workspace_id=workspace_id)
        for ref_keys in parts:
            if missing := {key: facts[key] for key in ref_keys if key not in there}:
                there |= nodes.insert(workspace_id=workspace_id, facts=missing, at=at)
        for key, known in there.items():
            nodes.check_same(facts[key], known)
        named = {known.pk: facts[key] for key, known in there.items() if nodes.becomes_whole(facts[key], known)}
        nodes.make_whole(workspace_id=workspace_id, named=named, at=at)
        told = [fact for fact in facts.values() if not fact.is_placeholder]
        if told and outbox.is_wanted(workspace_id=workspace_id):
            outbox.put(workspace_id=workspace_id, entities=[fact.as_event for fact in told], edges=[], at=at)
    return {str(facts[key].ref): known.pk for key, known in there.items()}


def record_entities(*, workspace_id: int, entities: Iterable[EntityFacts], at: datetime) -> dict[str, Entity]:
    """`record_ids`, with the whole nodes; a query more per 1,000. For who looks at more of them than their keys."""
    ids = record_ids(workspace_id=workspace_id, entities=entities, at=at)
    rows = Entity.objects.in_bulk(list(ids.values()))
    return {ref: rows[pk] for ref, pk in ids.items()}


def record_edges(
    *, workspace_id: int, edges: Iterable[EdgeFacts], entities: Mapping[str, Entity | int], at: datetime
) -> int:
    """Writes the edges that are not there yet between `entities` (or their keys, by ref string) and gives how many were
    told; dependents take the level that they inherit, and fall with what has fallen; what a SUPERSEDES leads to is
    superseded. All or none.

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
    replaced = [end for (_, end), fact in zip(ends, told, strict=True) if fact.relation is Relation.SUPERSEDES]
    with transaction.atomic():
        # At once with what a later statement asks of them: two who held them to write edges could not go on.
        hold(replaced)
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
        states.supersede(entity_ids=replaced, at=at)
        worklist.rebuilt(entity_ids=replaced, at=at)
        if outbox.is_wanted(workspace_id=workspace_id):
            outbox.put(workspace_id=workspace_id, entities=[], edges=[fact.as_event for fact in told], at=at)
    return len(given)


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
    wanted = list(entity_ids)
    hold(wanted)
    return states.supersede(entity_ids=wanted, at=at)


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
    hold(wanted)
    edges = Edge.objects.filter(workspace_id=workspace_id, to_entity__in=wanted, relation=Relation.SUPERSEDES)
    withdrawn = [edge for edge in edges.order_by("pk") if "withdrawn_at" not in edge.metadata]
    for edge in withdrawn:
        edge.metadata = {**edge.metadata, "withdrawn_at": at.isoformat()}
    update_rows(withdrawn, ["metadata"])
    return states.clear_superseding(entity_ids=wanted)
