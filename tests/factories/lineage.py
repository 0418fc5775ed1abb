"""Rows of the lineage graph, with the keys that the product would give them."""

from typing import Any

import factory
from factory.django import DjangoModelFactory

from lineage.core import keys
from lineage.core.relations import EntityType, Relation
from lineage.models import (
    Cause,
    Claim,
    Declassification,
    Edge,
    Entity,
    Event,
    EventConflict,
    Evidence,
    HeldEdge,
    Impact,
    LegalHold,
    OutboxEvent,
    Relay,
    Tombstone,
    TypePolicy,
    Verification,
)
from tests.clock import NOW
from tests.factories.accounts import WorkspaceFactory


class EntityFactory(DjangoModelFactory[Entity]):
    """A source, known under a pinned ref."""

    class Meta:
        model = Entity

    workspace = factory.SubFactory(WorkspaceFactory)
    type = EntityType.SOURCE
    logical_id = factory.Sequence(lambda n: f"harbour/{n}")
    version = "1"
    ref = factory.LazyAttribute(lambda entity: f"{entity.type}://{entity.logical_id}/{entity.version}")
    ref_key = factory.LazyAttribute(lambda entity: keys.ref_key(entity.ref))
    created_at = NOW


def _edge_key(edge: Any) -> str:
    return keys.edge_key(
        relation=edge.relation,
        from_ref=edge.from_entity.ref,
        to_ref=edge.to_entity.ref,
        transform="|||",
        run_id=edge.run_id,
    )


class EdgeFactory(DjangoModelFactory[Edge]):
    """A source version that was fetched from a source of the same workspace."""

    class Meta:
        model = Edge

    workspace = factory.SubFactory(WorkspaceFactory)
    from_entity = factory.SubFactory(
        EntityFactory, type=EntityType.SOURCE_VERSION, workspace=factory.SelfAttribute("..workspace")
    )
    to_entity = factory.SubFactory(EntityFactory, workspace=factory.SelfAttribute("..workspace"))
    relation = Relation.FETCHED_FROM
    is_dependence = True
    run_id = ""
    edge_key = factory.LazyAttribute(_edge_key)
    created_at = NOW


def _key_of(number: int) -> str:
    return f"{number:064x}"


class ClaimFactory(DjangoModelFactory[Claim]):
    """A material claim whose text is kept."""

    class Meta:
        model = Claim

    entity = factory.SubFactory(EntityFactory, type=EntityType.CLAIM)
    text_hash = factory.Sequence(_key_of)
    text = "The harbour was dredged in 2019."


class EvidenceFactory(DjangoModelFactory[Evidence]):
    """Direct evidence on an edge."""

    class Meta:
        model = Evidence

    edge = factory.SubFactory(EdgeFactory)
    support = "direct"


class VerificationFactory(DjangoModelFactory[Verification]):
    """A verification that found nothing wrong."""

    class Meta:
        model = Verification

    claim = factory.SubFactory(EntityFactory, type=EntityType.CLAIM)
    result = "PASS"
    at = NOW


class CauseFactory(DjangoModelFactory[Cause]):
    """A retraction that stands."""

    class Meta:
        model = Cause

    workspace = factory.SubFactory(WorkspaceFactory)
    kind = "retraction"
    key = factory.Sequence(_key_of)
    reason = "Retracted by the journal."
    at = NOW


class ImpactFactory(DjangoModelFactory[Impact]):
    """A node that a retraction reaches; nobody was told yet."""

    class Meta:
        model = Impact

    cause = factory.SubFactory(CauseFactory)
    entity = factory.SubFactory(EntityFactory)
    at = NOW


class EventFactory(DjangoModelFactory[Event]):
    """An event that came from outside."""

    class Meta:
        model = Event

    workspace = factory.SubFactory(WorkspaceFactory)
    event_id = factory.Sequence(lambda n: f"LIN-{n}")
    digest = factory.Sequence(_key_of)
    format = "lineage"
    payload = factory.LazyFunction(dict)
    received_at = NOW


class EventConflictFactory(DjangoModelFactory[EventConflict]):
    """Another payload under the id of an event."""

    class Meta:
        model = EventConflict

    event = factory.SubFactory(EventFactory)
    digest = factory.Sequence(_key_of)
    received_at = NOW


class HeldEdgeFactory(DjangoModelFactory[HeldEdge]):
    """An edge to what its writer may not read."""

    class Meta:
        model = HeldEdge

    workspace = factory.SubFactory(WorkspaceFactory)
    edge_key = factory.Sequence(_key_of)
    from_ref = "claim://C4/v1"
    to_ref = "chunk://handbook/17/v3"
    from_key = factory.LazyAttribute(lambda edge: keys.ref_key(edge.from_ref))
    to_key = factory.LazyAttribute(lambda edge: keys.ref_key(edge.to_ref))
    facts = factory.LazyFunction(dict)
    why = "unreadable"
    held_at = NOW


class RelayFactory(DjangoModelFactory[Relay]):
    """Another lineage service."""

    class Meta:
        model = Relay

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"catalogue {n}")
    url = "https://catalogue.example/lineage"
    created_at = NOW


class OutboxEventFactory(DjangoModelFactory[OutboxEvent]):
    """Something to tell."""

    class Meta:
        model = OutboxEvent

    workspace = factory.SubFactory(WorkspaceFactory)
    event_id = factory.Sequence(lambda n: f"OUT-{n}")
    payload = factory.LazyFunction(dict)
    created_at = NOW


class TypePolicyFactory(DjangoModelFactory[TypePolicy]):
    """What a workspace wants of its claims."""

    class Meta:
        model = TypePolicy

    workspace = factory.SubFactory(WorkspaceFactory)
    type = EntityType.CLAIM


class DeclassificationFactory(DjangoModelFactory[Declassification]):
    """A node that was made public on purpose."""

    class Meta:
        model = Declassification

    entity = factory.SubFactory(EntityFactory)
    from_label = "internal"
    to_label = "public"
    reason = "Cleared for the press."
    at = NOW


class LegalHoldFactory(DjangoModelFactory[LegalHold]):
    """A hold that stands."""

    class Meta:
        model = LegalHold

    entity = factory.SubFactory(EntityFactory)
    reason = "A court asked for it."
    at = NOW


class TombstoneFactory(DjangoModelFactory[Tombstone]):
    """What is left of a source."""

    class Meta:
        model = Tombstone

    entity = factory.SubFactory(EntityFactory)
    ref = factory.LazyAttribute(lambda stone: stone.entity.ref)
    type = EntityType.SOURCE
    why = "Removed by its curator."
    at = NOW
