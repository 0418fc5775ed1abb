"""Takes events in: whole or not at all, each id once, in any order.

The same id with the same payload is a duplicate, with another one a conflict: the first stands, the other is kept
beside it. Ends of edges that nobody told of yet are placeholders. An edge to what its sender may not read is answered
as if the ref had never existed, and kept apart (`HeldEdge`): joined at once, it would raise the label of the sender's
own node and so say that the ref is there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from django.db import transaction

from lineage import capture, claims
from lineage.claims import SaidClaim, SaidEvidence
from lineage.core import keys
from lineage.core.asking import Asker
from lineage.core.event_reading import read
from lineage.core.events import Refused, TellEdge, TellEntity, TellEvent
from lineage.core.held import Why
from lineage.core.relations import EntityType, Label
from lineage.core.times import is_skewed
from lineage.ingest import held
from lineage.ingest.tenancy import check_tenants
from lineage.models import Entity, Event, EventConflict, TypePolicy
from lineage.queries.key_sets import among
from lineage.services import labels, mentions
from lineage.services.in_turn import wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.kit.rows import in_parts


class Status(StrEnum):
    """What came of an event."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


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


def take_in(*, payload: Mapping[str, Any], asker: Asker, by: User, channel: Channel, at: datetime) -> Outcome:
    """Takes one event of our own form in, in one transaction.

    Raises `Refused` for an event that cannot be read or contradicts what is known, `PayloadConflict` for an id with
    another payload, `NotHere` for another workspace's (see `check_tenants`), and like `check_role` below a curator.
    Safe to call at once from many places: one of them writes.
    """
    check_role(by, asker.workspace_id, Role.CURATOR)
    event = _readable(payload, workspace_id=asker.workspace_id)
    check_tenants(event_id=event.event_id, tenants=event.tenants, asker=asker, by=by, channel=channel, at=at)
    return tell(event=event, payload=payload, asker=asker, at=at, format="lineage")


def tell(*, event: TellEvent, payload: Mapping[str, Any], asker: Asker, at: datetime, format: str) -> Outcome:
    """Writes an event that was read and whose workspace was looked at (`check_tenants`); else as `take_in`."""
    kept = payload
    if mentions.TEXT in payload and not claims.keeps_text(asker.workspace_id):
        kept = {name: value for name, value in payload.items() if name != mentions.TEXT}
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
                    "payload": kept,
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
    return event


def _write(event: TellEvent, *, row: Event, asker: Asker, at: datetime) -> Outcome:
    event, left_out = _captured(event, workspace_id=asker.workspace_id)
    known = _known(event, workspace_id=asker.workspace_id)
    if _changes_what_stands(event, known):
        # Before rows are written: see `in_turn`.
        wait_for_turn(workspace_id=asker.workspace_id)
        known = _known(event, workspace_id=asker.workspace_id)
    unreadable = {ref for ref, one in known.items() if one.level > asker.level}
    _check_types(event, {ref: one for ref, one in known.items() if ref not in unreadable}, at=at)
    wanted = [entity for entity in event.entities if str(entity.ref) not in unreadable]
    ids = capture.record_ids(
        workspace_id=asker.workspace_id, entities=[_facts(one, asker=asker) for one in wanted], at=at
    )
    unreadable |= _hidden_meanwhile({ref: pk for ref, pk in ids.items() if ref not in known}, asker=asker)
    apart = [edge for edge in event.edges if {str(edge.dependent), str(edge.rests_on)} & unreadable]
    joined = [edge for edge in event.edges if not {str(edge.dependent), str(edge.rests_on)} & unreadable]
    _raise_labels(wanted, known, workspace_id=asker.workspace_id)
    capture.record_edges(workspace_id=asker.workspace_id, edges=joined, entities=ids, at=at)
    _write_claims(event, ids, workspace_id=asker.workspace_id)
    _write_evidence(joined, workspace_id=asker.workspace_id)
    told = [(edge, asdict(edge.evidence) if edge.evidence else None) for edge in apart]
    held.hold(workspace_id=asker.workspace_id, edges=told, why=Why.UNREADABLE, event=row, at=at)
    named = (str(entity.ref) for entity in event.entities if entity.is_named_only)
    unknown = (ref for ref in named if ref in unreadable or ref not in known or known[ref].is_placeholder)
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


class _Known(NamedTuple):
    """What is looked at of a node that is there."""

    pk: int
    level: int
    is_placeholder: bool
    type: EntityType
    declared: Label


def _known(event: TellEvent, *, workspace_id: int) -> dict[str, _Known]:
    """The nodes of the event that are there, by ref."""
    refs = {keys.ref_key(str(entity.ref)): str(entity.ref) for entity in event.entities}
    found: dict[str, _Known] = {}
    for part in in_parts(sorted(refs)):
        rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=part)
        for key, pk, level, is_placeholder, kind, declared in rows.values_list(
            "ref_key", "pk", "level", "is_placeholder", "type", "classification"
        ):
            found[refs[key]] = _Known(pk, level, is_placeholder, EntityType(kind), Label(declared))
    return found


def _changes_what_stands(event: TellEvent, known: Mapping[str, _Known]) -> bool:
    """Whether a node that is there would rest on more, or be told of or labelled, by this event."""
    told = {str(one.ref) for one in event.entities if not one.is_named_only}
    dependents = {str(edge.dependent) for edge in event.edges}
    raised = {str(one.ref) for one in event.entities if one.label is not None}
    named = {ref for ref in told & known.keys() if known[ref].is_placeholder}
    return bool(named or (dependents | (raised & told)) & known.keys())


def _hidden_meanwhile(ids: Mapping[str, int], *, asker: Asker) -> set[str]:
    """Those of these nodes, by ref, that another wrote after we looked, and that the sender may not read."""
    if asker.sees_everything:
        return set()
    hidden = Entity.objects.filter(pk__in=among(ids.values()), level__gt=asker.level)
    return set(hidden.values_list("ref", flat=True))


def _check_types(event: TellEvent, known: Mapping[str, _Known], *, at: datetime) -> None:
    """A ref that is known under one type is not told of as another. What was only named takes the type under which it
    is told of; edges that do not join that type are kept apart. `known` are nodes that the sender may read."""
    for entity in event.entities:
        one = known.get(str(entity.ref))
        if one is None or one.type is entity.ref.type:
            continue
        if entity.is_named_only or not one.is_placeholder:
            raise Refused("type_conflict", f"{entity.ref} is a {one.type}, and was told to be a {entity.ref.type}.")
        held.retype(entity_id=one.pk, to=entity.ref.type, at=at)


def _raise_labels(entities: Iterable[TellEntity], known: Mapping[str, _Known], *, workspace_id: int) -> None:
    """A node that stands takes a stricter label that is told of it now; only a declassification gives a lower one."""
    stricter = {
        one.pk: labels.Declared(entity.label)
        for entity in entities
        if entity.label is not None and not entity.is_named_only
        for one in [known.get(str(entity.ref))]
        if one is not None and not one.is_placeholder and entity.label.level > one.declared.level
    }
    if stricter:
        labels.declare(workspace_id=workspace_id, declared=stricter)


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


def _write_claims(event: TellEvent, ids: Mapping[str, int], *, workspace_id: int) -> None:
    told = {
        ids[str(claim.ref)]: SaidClaim(claim.text_hash, claim.text, is_material=claim.is_material)
        for claim in event.claims
        if str(claim.ref) in ids
    }
    claims.keep_claims(workspace_id=workspace_id, claims=told)


def _write_evidence(edges: Sequence[TellEdge], *, workspace_id: int) -> None:
    told = {
        edge.key: SaidEvidence(one.support, one.scope, one.is_verified, one.rank, one.query_hash)
        for edge in edges
        if (one := edge.evidence) is not None
    }
    claims.keep_evidence(workspace_id=workspace_id, evidence=told)


_CODES: dict[type[Exception], str] = {
    capture.HashConflict: "hash_conflict",
    capture.SelfEdge: "self_edge",
    capture.Ring: "cycle",
}
