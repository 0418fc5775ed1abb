"""What an exported file rests on: a node for the file, an edge to each source that stands in it."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from lineage import capture
from lineage.core import refs
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Relation
from lineage.models import Entity
from sources.models import Source
from sources.services.export_writing import Wanted

_BATCH = 2_000


def record(wanted: Wanted, *, sha256: str, source_ids: Iterator[int], at: datetime) -> Entity:
    """Writes the file's node and its GENERATED_FROM edges in the caller's transaction, and gives the node.

    Two thousand edges at a time, so that a long list needs no more memory than a short one. Twice is safe: the same
    bytes of the same list are one node.
    """
    of = f"project/{wanted.project.uuid}" if wanted.project else f"workspace/{wanted.workspace_id}"
    parts = (of, wanted.format.value, wanted.section, wanted.query, "" if wanted.is_external else "internal")
    ref = refs.make(EntityType.FILE, "/".join(part for part in parts if part), sha256)
    file = capture.EntityFacts(ref=ref, content_hash=sha256, metadata={"file_name": wanted.file_name})
    entities = capture.record_entities(workspace_id=wanted.workspace_id, entities=[file], at=at)
    while batch := list(islice(source_ids, _BATCH)):
        keys = Source.objects.filter(pk__in=batch, entity__isnull=False).values("entity")
        told = Entity.objects.filter(pk__in=keys).values_list("pk", "type", "logical_id", "version")
        rests_on = {Ref(EntityType(kind), path, version): pk for pk, kind, path, version in told}
        edges = [
            capture.EdgeFacts(
                dependent=ref,
                relation=Relation.GENERATED_FROM,
                rests_on=other,
                transform_type="export",
                transform_implementation=f"sources.reports/{wanted.format}",
            )
            for other in rests_on
        ]
        ends = {str(ref): entities[str(ref)].pk, **{str(other): pk for other, pk in rests_on.items()}}
        capture.record_edges(workspace_id=wanted.workspace_id, edges=edges, entities=ends, at=at)
    return entities[str(ref)]
