"""Rows of the lineage graph, with the keys that the product would give them."""

from typing import Any

import factory
from factory.django import DjangoModelFactory

from lineage.core import keys
from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity
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
    run_id = ""
    edge_key = factory.LazyAttribute(_edge_key)
    created_at = NOW
