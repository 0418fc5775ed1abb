"""Takes events in: whole or not at all, each id once, in any order.

The same id with the same payload is a duplicate, with another one a conflict: the first stands, the other is kept
beside it. Ends of edges that nobody told of yet are placeholders. An edge to what its sender may not read is answered
as if the ref had never existed, and kept apart (`HeldEdge`): joined at once, it would raise the label of the sender's
own node and so say that the ref is there.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction

from lineage import capture, claims
from lineage.claims import SaidClaim, SaidEvidence
from lineage.core import keys
from lineage.core.asking import Asker
from lineage.core.event_reading import read
from lineage.core.events import Refused, TellEdge, TellEntity, TellEvent
from lineage.core.relations import Label
from lineage.core.times import is_skewed
from lineage.models import Entity, Event, EventConflict, HeldEdge, TypePolicy
from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.rows import in_parts


class Status(StrEnum):
    """What came of an event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


class NotHere(LookupError):
    """The event names another workspace; answered like one that does not exist."""


class PayloadConflict(Exception):
    """The event's id is known with another payload, which stands."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one event; `placeholders` are refs that nobody told of yet, as far as the sender may know, and
    `left_out` counts nodes and edges of types that the workspace does not capture."""

    status: Status
    event_id: str
    placeholders: tuple[str, ...] = ()
    left_out: int = 0


def take_in(*, payload: Mapping[str, Any], asker: Asker, by: User, at: datetime, format: str = "lineage") -> Outcome:
    """Takes one event in, in one transaction.

    Raises `Refused` for an event that cannot be read or contradicts what is known, `PayloadConflict` for an id with
    another payload, `NotHere` for another workspace's, and like `check_role` below a curator. Safe to call at once from
    many places: one of them writes.
    """
    check_role(by, asker.workspace_id, Role.CURATOR)
    event = _readable(payload, workspace_id=asker.workspace_id)
    return tell(event=event, payload=payload, asker=asker, at=at, format=format)


def tell(*, event: TellEvent, payload: Mapping[str, Any], asker: Asker, at: datetime, format: str) -> Outcome:
    """Writes an event that was read; else as `take_in`."""
    try:
        with transaction.atomic():
            row, is_new = Event.objects.get_or_create(
                workspace_id=asker.workspace_id,
                event_id=event.event_id,
                defaults={
                    "digest": event.digest,
                    "format": format,
                    "run_id": event.run_id,
                    "hook": event.hook,
                    "payload": payload,
                    "told_at": event.told.at,
                    "received_at": at,
                    "clock_skew": is_skewed(event.told, received=at),
                },
            )
            if is_new:
                return _write(event, row=row, asker=asker, at=at)
    except (capture.HashConflict, capture.SelfEdge, capture.Ring) as refused:
        raise Refused(_CODES[type(refused)], str(refused)) from refused
    if row.digest == event.digest:
        return Outcome(Status.DUPLICATE, event.event_id)
    EventConflict.objects.get_or_create(event=row, digest=event.digest, defaults={"received_at": at})
    raise PayloadConflict(
        f"{event.event_id} was told before with another payload, which stands. Send a correction under a new id."
    )


def _readable(payload: Mapping[str, Any], *, workspace_id: int) -> TellEvent:
    """The event, with unpinned refs where the workspace takes them for the type."""
    try:
        event = read(payload)
    except Refused as refused:
        if refused.code != "unpinned_version":
            raise
        event = read(payload, lenient=True)
        unpinned = {entity.ref.type for entity in event.entities if not entity.ref.is_pinned}
        taken = TypePolicy.objects.filter(workspace_id=workspace_id, accepts_unpinned=True).values_list(
            "type", flat=True
        )
        if unpinned - set(taken):
            raise
    if event.tenant and event.tenant != str(Workspace.objects.values_list("uuid", flat=True).get(pk=workspace_id)):
        raise NotHere
    return event


def _write(event: TellEvent, *, row: Event, asker: Asker, at: datetime) -> Outcome:
    event, left_out = _captured(event, workspace_id=asker.workspace_id)
    known = _known(event, workspace_id=asker.workspace_id)
    unreadable = {ref for ref, (level, _, _) in known.items() if level > asker.level}
    _check_types(event, known, asker=asker)
    held = [edge for edge in event.edges if {str(edge.dependent), str(edge.rests_on)} & unreadable]
    joined = [edge for edge in event.edges if not {str(edge.dependent), str(edge.rests_on)} & unreadable]
    wanted = [entity for entity in event.entities if str(entity.ref) not in unreadable]
    ids = capture.record_ids(
        workspace_id=asker.workspace_id, entities=[_facts(one, asker=asker) for one in wanted], at=at
    )
    facts = [_edge_facts(edge, event) for edge in joined]
    capture.record_edges(workspace_id=asker.workspace_id, edges=facts, entities=ids, at=at)
    _write_claims(event, ids, workspace_id=asker.workspace_id)
    _write_evidence(joined, facts, workspace_id=asker.workspace_id)
    _hold(held, event, row=row, asker=asker, at=at)
    named = (str(entity.ref) for entity in event.entities if entity.is_named_only)
    unknown = (ref for ref in named if ref in unreadable or ref not in known or known[ref][1])
    return Outcome(Status.ACCEPTED, event.event_id, tuple(unknown), left_out)


def _captured(event: TellEvent, *, workspace_id: int) -> tuple[TellEvent, int]:
    """The event without what the workspace does not capture, and how many nodes and edges that left out."""
    policies = TypePolicy.objects.filter(workspace_id=workspace_id, is_captured=False)
    without = set(policies.values_list("type", flat=True))
    if not without:
        return event, 0
    entities = tuple(one for one in event.entities if one.ref.type not in without)
    edges = tuple(one for one in event.edges if not {one.dependent.type, one.rests_on.type} & without)
    said = tuple(one for one in event.claims if one.ref.type not in without)
    left_out = len(event.entities) - len(entities) + len(event.edges) - len(edges)
    return replace(event, entities=entities, edges=edges, claims=said), left_out


def _known(event: TellEvent, *, workspace_id: int) -> dict[str, tuple[int, bool, str]]:
    """Level, whether it is a placeholder, and type of the nodes that are there, by ref."""
    refs = {keys.ref_key(str(entity.ref)): str(entity.ref) for entity in event.entities}
    found: dict[str, tuple[int, bool, str]] = {}
    for part in in_parts(sorted(refs)):
        rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=part)
        for key, level, is_placeholder, kind in rows.values_list("ref_key", "level", "is_placeholder", "type"):
            found[refs[key]] = (level, is_placeholder, kind)
    return found


def _check_types(event: TellEvent, known: Mapping[str, tuple[int, bool, str]], *, asker: Asker) -> None:
    """A ref that is known under one type is not told of as another; what the sender may not read is not looked at."""
    for entity in event.entities:
        level, _, kind = known.get(str(entity.ref), (0, True, entity.ref.type.value))
        if kind != entity.ref.type and level <= asker.level:
            raise Refused("type_conflict", f"{entity.ref} is a {kind}, and was told to be a {entity.ref.type}.")


def _facts(entity: TellEntity, *, asker: Asker) -> capture.EntityFacts:
    # What nobody gave a label adds none of its own: it inherits. Its sender could not read it above their clearance.
    label = entity.label or Label.at_level(min(Label.INTERNAL.level, asker.level))
    return capture.EntityFacts(
        ref=entity.ref,
        content_hash=entity.sha256,
        source_time=entity.source_time,
        authority=entity.authority,
        classification=label,
        metadata=dict(entity.metadata),
        valid_from=entity.valid_from,
        valid_to=entity.valid_to,
        owner_id=None if entity.is_named_only else asker.user_id,
        is_placeholder=entity.is_named_only,
    )


def _edge_facts(edge: TellEdge, event: TellEvent) -> capture.EdgeFacts:
    hook = {"hook": event.hook} if event.hook else {}
    return capture.EdgeFacts(
        dependent=edge.dependent,
        relation=edge.relation,
        rests_on=edge.rests_on,
        transform_type=edge.transform_type,
        transform_implementation=edge.transform_implementation,
        transform_version=edge.transform_version,
        config_hash=edge.config_hash,
        run_id=edge.run_id,
        trace_id=event.trace_id,
        span_id=event.span_id,
        metadata={**edge.metadata, **hook},
    )


def _write_claims(event: TellEvent, ids: Mapping[str, int], *, workspace_id: int) -> None:
    told = {
        ids[str(claim.ref)]: SaidClaim(claim.text_hash, claim.text, is_material=claim.is_material)
        for claim in event.claims
        if str(claim.ref) in ids
    }
    claims.keep_claims(workspace_id=workspace_id, claims=told)


def _write_evidence(edges: list[TellEdge], facts: list[capture.EdgeFacts], *, workspace_id: int) -> None:
    told = {
        fact.key: SaidEvidence(one.support, one.scope, one.is_verified, one.rank, one.query_hash)
        for edge, fact in zip(edges, facts, strict=True)
        if (one := edge.evidence) is not None
    }
    claims.keep_evidence(workspace_id=workspace_id, evidence=told)


def _hold(edges: list[TellEdge], event: TellEvent, *, row: Event, asker: Asker, at: datetime) -> None:
    HeldEdge.objects.bulk_create(
        [
            HeldEdge(
                workspace_id=asker.workspace_id,
                edge_key=_edge_facts(edge, event).key,
                from_ref=str(edge.dependent),
                to_ref=str(edge.rests_on),
                facts=_stored(edge),
                why="unreadable",
                event=row,
                held_at=at,
            )
            for edge in edges
        ],
        ignore_conflicts=True,
    )


def _stored(edge: TellEdge) -> dict[str, Any]:
    """What a held edge needs to be joined later, as JSON."""
    told = asdict(edge)
    return {name: value for name, value in told.items() if name not in {"dependent", "rests_on"}}


_CODES: dict[type[Exception], str] = {
    capture.HashConflict: "hash_conflict",
    capture.SelfEdge: "self_edge",
    capture.Ring: "cycle",
}
