"""An import in the lineage graph: its bytes are an artifact, on which what became known through them rests."""

from collections.abc import Sequence
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Entity
from sources.models import ImportBatch, Source


def record(*, batch: ImportBatch, sources: Sequence[Source], at: datetime) -> None:
    """Writes a node for the bytes of the batch, on which each of these sources rests by PARSED_FROM; in the caller's
    transaction, before anything rests on the sources. Idempotent."""
    workspace_id = batch.project.workspace_id
    artifact = refs.make(EntityType.ARTIFACT, f"import/{batch.uuid}", batch.sha256)
    entities = capture.record_ids(
        workspace_id=workspace_id,
        entities=[
            capture.EntityFacts(
                ref=artifact,
                content_hash=batch.sha256,
                source_time=batch.created_at,
                authority="user-provided",
                # A list only names works; who may read of each of them is said of each.
                classification=Label.PUBLIC,
                owner_id=batch.created_by_id,
                metadata={"label": batch.label, "byte_count": batch.byte_count},
            )
        ],
        at=at,
    )
    ends: dict[str, Entity | int] = {**entities}
    edges = []
    for source in sources:
        if source.entity is None:
            continue
        ref = refs.make(EntityType.SOURCE, str(source.uuid), source.entity.version)
        ends[str(ref)] = source.entity
        edges.append(
            capture.EdgeFacts(
                dependent=ref,
                relation=Relation.PARSED_FROM,
                rests_on=artifact,
                transform_type="import",
                transform_implementation=f"sources.formats.{batch.format}",
                transform_version="1",
                run_id=str(batch.uuid),
            )
        )
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
