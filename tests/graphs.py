"""Small lineage graphs for tests, written by `lineage.capture` as the product writes them.

    nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:c", "chunk:c CHUNKED_FROM artifact:a")

A node is `type:name`, or `name` alone once its type was said; the answer has the entities by name.
"""

from collections.abc import Mapping

from lineage import capture
from lineage.core import refs
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Entity
from provenance_site.accounts.models import Workspace
from tests.clock import NOW


def graph(
    workspace: Workspace, *edges: str, labels: Mapping[str, str] | None = None, run: str = "", transform: str = ""
) -> dict[str, Entity]:
    """Writes nodes and edges and gives the nodes by name; `transform` is `type@version`, for all the edges."""
    types: dict[str, EntityType] = {}
    told: list[tuple[str, Relation, str]] = []
    for edge in edges:
        dependent, relation, rests_on = edge.split()
        told.append((_named(dependent, types), Relation(relation), _named(rests_on, types)))
    names = {name: refs.make(kind, name, "v1") for name, kind in types.items()}
    facts = [
        capture.EntityFacts(ref, classification=Label((labels or {}).get(name, "internal")))
        for name, ref in names.items()
    ]
    capture.record_entities(workspace_id=workspace.pk, entities=facts, at=NOW)
    join(workspace, names, told, run=run, transform=transform)
    return {name: Entity.objects.get(workspace=workspace, ref=str(ref)) for name, ref in names.items()}


def join(
    workspace: Workspace,
    names: Mapping[str, Ref],
    told: list[tuple[str, Relation, str]],
    *,
    run: str = "",
    transform: str = "",
) -> None:
    """Writes edges between nodes that are there."""
    kind, _, version = transform.partition("@")
    edges = [
        capture.EdgeFacts(
            names[dependent], relation, names[rests_on], transform_type=kind, transform_version=version, run_id=run
        )
        for dependent, relation, rests_on in told
    ]
    known = Entity.objects.filter(workspace=workspace, ref__in=[str(ref) for ref in names.values()])
    capture.record_edges(
        workspace_id=workspace.pk, edges=edges, entities={entity.ref: entity for entity in known}, at=NOW
    )


def _named(word: str, types: dict[str, EntityType]) -> str:
    kind, separator, name = word.rpartition(":")
    if separator:
        types[name] = EntityType(kind)
    return name
