"""Observations in the lineage graph: a claim in pinned versions, and what each version rests on.

A version is never changed: a new body, and a source that was taken away, make a new version that supersedes the last.
Linking a source only adds an edge.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Relation
from lineage.models import Entity
from sources.core.chunking import hash_of
from sources.core.entries import Relationship
from sources.models import Observation, ObservationSource

# “Inferred” says that a model drew on the source without a retrieval: no evidence was laid before anyone.
RELATIONS = {
    Relationship.CITED: Relation.SUPPORTED_BY,
    Relationship.RETRIEVED: Relation.SUPPORTED_BY,
    Relationship.INFERRED: Relation.DERIVED_FROM,
}
_BATCH = 500


def relation_of(relationship: str) -> Relation:
    """The relation that a link of an observation stands for in the graph."""
    return RELATIONS[Relationship(relationship)]


def write_versions(*, workspace_id: int, observations: Sequence[Observation], at: datetime) -> None:
    """Writes the first or next version of each observation with an edge to every source it is linked to now, and sets
    `entity` in the rows and in the database. Must run inside the caller's transaction; twice makes two versions.
    """
    if not observations:
        return
    earlier = {one.pk: one.entity for one in observations}
    facts = {one.pk: _facts(one) for one in observations}
    entities = capture.record_entities(workspace_id=workspace_id, entities=facts.values(), at=at)
    edges: list[capture.EdgeFacts] = []
    for one in observations:
        one.entity = entities[str(facts[one.pk].ref)]
        before = earlier[one.pk]
        if before is not None:
            entities[before.ref] = before
            edges.append(capture.EdgeFacts(facts[one.pk].ref, Relation.SUPERSEDES, before.as_ref))
    Observation.objects.bulk_update(observations, ["entity"], batch_size=_BATCH)
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=entities, at=at)
    write_edges(workspace_id=workspace_id, links=_links_of(observations), at=at)


def write_edges(*, workspace_id: int, links: Iterable[ObservationSource], at: datetime) -> None:
    """Writes that observations rest on sources. The links must have `observation.entity` and `source.entity` loaded;
    where one of the two has no entity there is nothing to join. Idempotent.
    """
    ends: dict[str, Entity] = {}
    edges: list[capture.EdgeFacts] = []
    for link in links:
        claim, source = link.observation.entity, link.source.entity
        if claim is None or source is None:
            continue
        ends |= {claim.ref: claim, source.ref: source}
        edges.append(
            capture.EdgeFacts(
                claim.as_ref,
                relation_of(link.relationship),
                source.as_ref,
                transform_type=link.relationship,
            )
        )
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)


def _links_of(observations: Sequence[Observation]) -> list[ObservationSource]:
    rows = {one.pk: one for one in observations}
    links = list(ObservationSource.objects.filter(observation__in=rows).select_related("source__entity").order_by("pk"))
    for link in links:
        link.observation = rows[link.observation_id]
    return links


def _facts(observation: Observation) -> capture.EntityFacts:
    before = observation.entity
    number = 1 if before is None else int(before.version.removeprefix("v")) + 1
    return capture.EntityFacts(
        ref=refs.make(EntityType.CLAIM, f"observation/{observation.uuid}", f"v{number}"),
        content_hash=hash_of(observation.body),
        source_time=observation.created_at,
        authority="user-provided",
        owner_id=observation.created_by_id,
        metadata={"kind": observation.kind},
    )
