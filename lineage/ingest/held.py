"""Edges that were told and are kept apart, until somebody who may read both ends joins them or lets them go.

Joined at once, an edge to what its sender may not read would raise the label of the sender's own node, and so say that
the other one is there. Whoever reads both ends learns nothing by joining them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage import access, capture
from lineage.core import keys, pairs
from lineage.core.asking import Asker
from lineage.core.facts import EdgeFacts
from lineage.core.held import Why
from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity, Event, Evidence, HeldEdge
from lineage.queries.key_sets import among
from lineage.services import labels
from lineage.services.in_turn import hold as hold_rows
from lineage.services.in_turn import wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts

JOIN_KIND = "lineage.join-held"
DROP_KIND = "lineage.drop-held"
_TRANSFORM = ("transform_type", "transform_implementation", "transform_version", "config_hash")
_TOLD = (*_TRANSFORM, "run_id", "trace_id", "span_id", "metadata")


class NotJoined(ValueError):
    """The edge cannot be joined; the message says why."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An edge that is kept apart, with both its ends."""

    row: HeldEdge
    dependent: Entity
    rests_on: Entity

    @property
    def why(self) -> Why:
        """Why it is kept apart."""
        return Why(self.row.why)

    @property
    def relation(self) -> Relation:
        """How the one was told to rest on the other."""
        return Relation(self.row.facts["relation"])


def hold(
    *,
    workspace_id: int,
    edges: Iterable[tuple[EdgeFacts, Mapping[str, Any] | None]],
    why: Why,
    event: Event | None,
    at: datetime,
) -> None:
    """Keeps edges apart, each with how it bears on its claim (None where it does not); once each, in the caller's
    transaction."""
    HeldEdge.objects.bulk_create(
        [
            HeldEdge(
                workspace_id=workspace_id,
                edge_key=edge.key,
                from_ref=str(edge.dependent),
                from_key=keys.ref_key(str(edge.dependent)),
                to_ref=str(edge.rests_on),
                to_key=keys.ref_key(str(edge.rests_on)),
                facts={
                    "relation": edge.relation.value,
                    **{name: getattr(edge, name) for name in _TOLD},
                    "evidence": dict(evidence) if evidence else None,
                },
                why=why,
                event=event,
                held_at=at,
            )
            for edge, evidence in edges
        ],
        ignore_conflicts=True,
    )


def retype(*, entity_id: int, to: EntityType, at: datetime) -> int:
    """Writes another type to a node that was only named, in the caller's transaction; gives how many of its edges are
    kept apart now, since their relation does not join that type. What rested on it by them follows its other inputs.
    """
    entity = Entity.objects.get(pk=entity_id)
    wait_for_turn(workspace_id=entity.workspace_id)
    hold_rows([entity.pk])
    edges = list(
        Edge.objects.filter(Q(from_entity=entity) | Q(to_entity=entity))
        .select_related("from_entity", "to_entity", "evidence")
        .order_by("pk")
    )
    Entity.objects.filter(pk=entity.pk).update(type=to)
    apart: list[tuple[EdgeFacts, Mapping[str, Any] | None]] = []
    gone: list[Edge] = []
    for edge in edges:
        kinds = [to if end.pk == entity.pk else end.as_type for end in (edge.from_entity, edge.to_entity)]
        try:
            pairs.check_pair(edge.as_relation, *kinds)
        except pairs.WrongPair:
            evidence = getattr(edge, "evidence", None)
            apart.append((_facts_of(edge), _told_of(evidence) if evidence else None))
            gone.append(edge)
        else:
            is_dependence = pairs.is_dependence(edge.as_relation, kinds[0])
            if edge.is_dependence != is_dependence:
                Edge.objects.filter(pk=edge.pk).update(is_dependence=is_dependence)
    hold(workspace_id=entity.workspace_id, edges=apart, why=Why.TYPE_CONFLICT, event=None, at=at)
    Edge.objects.filter(pk__in=among(edge.pk for edge in gone)).delete()
    labels.settle(workspace_id=entity.workspace_id, entity_ids={edge.from_entity_id for edge in edges})
    return len(gone)


def waiting(*, asker: Asker) -> QuerySet[HeldEdge]:
    """The edges that are kept apart and both ends of which the asker may read, the oldest first; give it a page, and
    the page to `with_ends`. An edge to what they may not read is not there, for them, and is counted nowhere; one that
    somebody who reads both ends told meanwhile waits no more."""
    ends = access.visible(asker)
    joined = Edge.objects.filter(workspace_id=asker.workspace_id, edge_key=OuterRef("edge_key"))
    return HeldEdge.objects.filter(
        ~Exists(joined),
        Exists(ends.filter(ref_key=OuterRef("from_key"))),
        Exists(ends.filter(ref_key=OuterRef("to_key"))),
        workspace_id=asker.workspace_id,
        released_at=None,
    ).order_by("pk")


def with_ends(rows: Collection[HeldEdge], *, asker: Asker) -> list[Waiting]:
    """These edges with both their ends, in their order; without those an end of which the asker may not read. One
    query."""
    ends = {key for row in rows for key in (row.from_key, row.to_key)}
    nodes = {one.ref_key: one for one in access.visible(asker).filter(ref_key__in=ends)}
    return [
        Waiting(row, nodes[row.from_key], nodes[row.to_key])
        for row in rows
        if row.from_key in nodes and row.to_key in nodes
    ]


def join(*, pk: int, asker: Asker, by: User, channel: Channel, at: datetime) -> Waiting:
    """Joins an edge that is kept apart: the dependent takes the level it inherits and falls with what has fallen. One
    ChangeSet. An editor may, who reads both ends.

    Raises `NoSuchEntity` for what they may not read or was dealt with already, `NotJoined` where the relation does not
    hold between these types or would close a ring.
    """
    check_role(by, asker.workspace_id, Role.EDITOR)
    with transaction.atomic():
        wait_for_turn(workspace_id=asker.workspace_id)
        found = _claimed(pk=pk, asker=asker)
        told = found.row.facts
        edge = EdgeFacts(
            found.dependent.as_ref,
            found.relation,
            found.rests_on.as_ref,
            **{name: told[name] for name in _TOLD if name in told},
        )
        known = {str(edge.dependent): found.dependent, str(edge.rests_on): found.rests_on}
        try:
            capture.record_edges(workspace_id=asker.workspace_id, edges=[edge], entities=known, at=at)
        except (pairs.WrongPair, capture.Ring, capture.SelfEdge) as refused:
            raise NotJoined(f"{refused} Let the edge go, or tell it of another version.") from refused
        if told.get("evidence"):
            row = Edge.objects.get(workspace_id=asker.workspace_id, edge_key=edge.key)
            Evidence.objects.get_or_create(edge=row, defaults=told["evidence"])
        HeldEdge.objects.filter(pk=pk).update(released_at=at)
        _record(JOIN_KIND, found, by=by, channel=channel, at=at)
    return found


def drop(*, pk: int, asker: Asker, by: User, channel: Channel, at: datetime) -> None:
    """Lets an edge that is kept apart go: it is not joined. One ChangeSet. Who may, and what is raised, as `join`."""
    check_role(by, asker.workspace_id, Role.EDITOR)
    with transaction.atomic():
        wait_for_turn(workspace_id=asker.workspace_id)
        found = _claimed(pk=pk, asker=asker)
        HeldEdge.objects.filter(pk=pk).update(released_at=at)
        _record(DROP_KIND, found, by=by, channel=channel, at=at)


def _claimed(*, pk: int, asker: Asker) -> Waiting:
    """The edge, whose row nobody else deals with until the transaction ends. Raises `NoSuchEntity`."""
    found = with_ends(
        list(waiting(asker=asker).filter(pk=pk).select_for_update(of=("self",), no_key=True)), asker=asker
    )
    if not found:
        raise access.NoSuchEntity
    return found[0]


def _facts_of(edge: Edge) -> EdgeFacts:
    return EdgeFacts(
        edge.from_entity.as_ref,
        edge.as_relation,
        edge.to_entity.as_ref,
        **{name: getattr(edge, name) for name in _TOLD},
    )


def _told_of(evidence: Evidence) -> dict[str, Any]:
    return {name: getattr(evidence, name) for name in ("support", "scope", "is_verified", "rank", "query_hash")}


def _record(kind: str, found: Waiting, *, by: User, channel: Channel, at: datetime) -> None:
    """History tells of it as of both ends: to whoever may not read one of them, it says nothing."""
    changes.record(
        workspace_id=found.row.workspace_id,
        kind=kind,
        actor=by,
        channel=channel,
        note=f"{found.relation.words}: {found.dependent.type} to {found.rests_on.type}",
        at=at,
        changes=[
            ChangeFacts(Entity._meta.label_lower, end.pk, before={"held_edge": found.row.pk}, after={})
            for end in (found.dependent, found.rests_on)
        ],
    )
