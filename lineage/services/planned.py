"""Nodes with their one edge, made ready before the transaction that writes them: for who records thousands a second.

Holds what `lineage.capture` promises of nodes and edges. A new node that rests on older ones alone closes no ring, so
that only those that were there already are looked at.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from lineage.core import keys, pairs
from lineage.core.facts import EdgeFacts, EntityFacts
from lineage.core.relations import EntityState, Pin
from lineage.models import Edge, Entity
from lineage.services import impact, joining, nodes, outbox
from lineage.services.in_turn import wait_for_turn
from lineage.services.nodes import Known
from provenance_site.kit.rows import in_parts
from provenance_site.kit.values import insert_values, reserve_keys, stored_json, stored_moment

_NODE = (
    "workspace_id",
    "ref",
    "ref_key",
    "type",
    "logical_id",
    "version",
    "pin",
    "is_placeholder",
    "content_hash",
    "source_time",
    "authority",
    "classification",
    "state",
    "metadata",
    "valid_from",
    "valid_to",
    "owner_id",
    "released_at",
    "created_at",
)
_EDGE = (
    "workspace_id",
    "edge_key",
    "to_entity_id",
    "relation",
    "is_dependence",
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

# A workspace and the key of a ref in it.
Name = tuple[int, str]


class Planned(NamedTuple):
    """A node with its one edge to a recorded node, in the form in which both are written (`plan`, `record_planned`)."""

    name: Name
    facts: EntityFacts
    edge_facts: EdgeFacts
    rests_on: int
    node: tuple[Any, ...]
    edge: tuple[Any, ...]


def plan(*, workspace_id: int, node: EntityFacts, edge: EdgeFacts, rests_on: int, at: datetime) -> Planned:
    """What `record_planned` writes of `node` and of `edge`, by which it rests on the node with the key `rests_on`.

    Touches no database, so that it can be done before the transaction. Raises `WrongPair` as `record_edges` does, and
    ValueError for an edge that is no dependence.
    """
    pairs.check_pair(edge.relation, edge.dependent.type, edge.rests_on.type)
    if not pairs.is_dependence(edge.relation, edge.dependent.type):
        raise ValueError(f"{edge.relation} is no dependence of {edge.dependent.type}: record it by `record_edges`")
    ref, moment = str(node.ref), stored_moment(at)
    key = keys.ref_key(ref)
    return Planned(
        name=(workspace_id, key),
        facts=node,
        edge_facts=edge,
        rests_on=rests_on,
        node=(
            workspace_id,
            ref,
            key,
            node.ref.type.value,
            node.ref.path,
            node.ref.version,
            (Pin.PINNED if node.ref.is_pinned else Pin.UNRESOLVED).value,
            node.is_placeholder,
            node.content_hash,
            stored_moment(node.source_time),
            node.authority,
            node.classification.value,
            EntityState.CURRENT.value,
            stored_json(node.metadata),
            stored_moment(node.valid_from),
            stored_moment(node.valid_to),
            node.owner_id,
            stored_moment(node.released_at),
            moment,
        ),
        edge=(
            workspace_id,
            edge.key,
            rests_on,
            edge.relation.value,
            True,
            edge.transform_type,
            edge.transform_implementation,
            edge.transform_version,
            edge.config_hash,
            edge.run_id,
            edge.trace_id,
            edge.span_id,
            stored_json(edge.metadata),
            moment,
        ),
    )


def record_planned(*, planned: Sequence[Planned], at: datetime) -> dict[Name, int]:
    """Writes nodes and edges that are not there yet; gives the keys of the nodes by workspace and key of the ref.

    In the caller's transaction, in the order of the keys of their refs, so that two writers of the same ones cannot
    deadlock. Six statements however many there are and of however many workspaces (one more on PostgreSQL); three more
    where a node was known, and some for each workspace where one was only named, where a cause stands, or where another
    service is told. Raises `HashConflict` where a ref is known with another hash, `SelfEdge` and `Ring` as
    `record_edges` does, KeyError where a node would rest on one that is not of its workspace.
    """
    if not planned:
        return {}
    ordered = sorted(planned, key=lambda one: one.name)
    _wait_for_turns(ordered)
    levels = _levels(ordered)
    reserved = reserve_keys(Entity, len(ordered))
    rows = [(key, levels[one.name], *one.node) for key, one in zip(reserved, ordered, strict=True)]
    joined: dict[int, joining.Ends] = {}
    if insert_values(Entity, ("id", "level", *_NODE), rows, ignore_conflicts=True) == len(rows):
        found = {one.name: key for key, one in zip(reserved, ordered, strict=True)}
    else:
        there = _there(ordered)
        found = {name: known.pk for name, known in there.items()}
        _make_whole(ordered, there, at=at)
        written = set(reserved)
        older = [one for one in ordered if found[one.name] not in written]
        joined = _before_joining(older, found, at=at)
    edges = [(found[one.name], *one.edge) for one in ordered]
    insert_values(Edge, ("from_entity_id", *_EDGE), edges, ignore_conflicts=True)
    for workspace_id, ends in joined.items():
        joining.after(workspace_id=workspace_id, ends=ends)
    _tell(ordered, found, at=at)
    return found


def _wait_for_turns(planned: Sequence[Planned]) -> None:
    """Before rows of nodes are held (`in_turn`): the turn of workspaces where one of these stands already and changes,
    since another service told of it. A look more on PostgreSQL, and one where some stand; SQLite has one writer."""
    if connection.vendor != "postgresql":
        return
    told = {one.name: one for one in planned}
    rows = Entity.objects.filter(workspace_id__in={one for one, _ in told}, ref_key__in={key for _, key in told})
    there = {
        (workspace_id, ref_key): (pk, is_placeholder)
        for workspace_id, ref_key, pk, is_placeholder in rows.values_list(
            "workspace_id", "ref_key", "pk", "is_placeholder"
        )
    }
    older = [one for one in planned if one.name in there]
    unjoined = set(joining.unjoined([(there[one.name][0], one.rests_on) for one in older]))
    changed = {
        one.name[0]
        for one in older
        if (there[one.name][1] and not one.facts.is_placeholder) or (there[one.name][0], one.rests_on) in unjoined
    }
    for workspace_id in sorted(changed):
        wait_for_turn(workspace_id=workspace_id)


def _levels(planned: Sequence[Planned]) -> dict[Name, int]:
    """The level that each has as a new node; those of what they rest on stay so until the transaction ends."""
    held = joining.held_levels((one.name[0], one.rests_on) for one in planned)
    levels: dict[Name, int] = {}
    for one in planned:
        own = levels.get(one.name, one.facts.classification.level)
        levels[one.name] = max(own, held[one.name[0], one.rests_on])
    return levels


def _there(planned: Sequence[Planned]) -> dict[Name, Known]:
    """These nodes, all of which stand by now. Raises `HashConflict`."""
    there: dict[Name, Known] = {}
    for workspace_id, ours in _by_workspace(planned).items():
        for part in in_parts({one.name[1] for one in ours}):
            known = nodes.known(workspace_id=workspace_id, ref_keys=part)
            there |= {(workspace_id, ref_key): one for ref_key, one in known.items()}
    for one in planned:
        nodes.check_same(one.facts, there[one.name])
    return there


def _make_whole(planned: Sequence[Planned], there: Mapping[Name, Known], *, at: datetime) -> None:
    told = [one for one in planned if nodes.becomes_whole(one.facts, there[one.name])]
    for workspace_id, ours in _by_workspace(told).items():
        named = {there[one.name].pk: one.facts for one in ours}
        nodes.make_whole(workspace_id=workspace_id, named=named, at=at)


def _before_joining(older: Sequence[Planned], found: Mapping[Name, int], *, at: datetime) -> dict[int, joining.Ends]:
    """What joining has to know of nodes that stood before and come to rest on something now, by workspace."""
    unjoined = set(joining.unjoined([(found[one.name], one.rests_on) for one in older]))
    late = [one for one in older if (found[one.name], one.rests_on) in unjoined]
    return {
        workspace_id: joining.before(
            workspace_id=workspace_id,
            pairs=[(found[one.name], one.rests_on) for one in ours],
            is_dependence=[True] * len(ours),
            at=at,
        )
        for workspace_id, ours in _by_workspace(late).items()
    }


def _tell(planned: Sequence[Planned], found: Mapping[Name, int], *, at: datetime) -> None:
    """Lets the nodes fall with what has fallen, and other services know of them."""
    by_workspace = _by_workspace(planned)
    for workspace_id in sorted(impact.troubled(by_workspace)):
        dependents = {found[one.name] for one in by_workspace[workspace_id]}
        impact.reach(workspace_id=workspace_id, entity_ids=dependents, at=at)
    for workspace_id in sorted(outbox.wanting(by_workspace)):
        ours = by_workspace[workspace_id]
        outbox.put(
            workspace_id=workspace_id,
            entities=[one.facts.as_event for one in ours if not one.facts.is_placeholder],
            edges=[one.edge_facts.as_event for one in ours],
            at=at,
        )


def _by_workspace(planned: Sequence[Planned]) -> dict[int, list[Planned]]:
    parted: dict[int, list[Planned]] = defaultdict(list)
    for one in planned:
        parted[one.name[0]].append(one)
    return parted
