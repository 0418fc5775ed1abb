"""A project's text in the lineage graph: each version of it that was given is a report, resting on what it cites."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Relation
from lineage.models import Entity
from sources.core.chunking import hash_of
from sources.models import Citation, ImportBatch, ProjectVersion, Source


def record(*, batch: ImportBatch, cited: Mapping[ProjectVersion, Sequence[Source]], at: datetime) -> None:
    """Writes a node for each of these versions of the text of the batch's project, as the batch's bytes have it, with
    an edge to each source that it cites; the rows get their nodes. In the caller's transaction; idempotent.

    The same version given again with other bytes is a new node, which supersedes the one before; with the same bytes it
    cites the same, whichever import told so.
    """
    workspace_id = batch.project.workspace_id
    facts = {version.pk: _facts(batch, version) for version in cited}
    ends = capture.record_ids(workspace_id=workspace_id, entities=facts.values(), at=at)
    edges: list[capture.EdgeFacts] = []
    for version, sources in cited.items():
        ref = facts[version.pk].ref
        for source in sources:
            if source.entity_id is not None:
                rests_on = refs.make(EntityType.SOURCE, str(source.uuid), "v1")
                ends[str(rests_on)] = source.entity_id
                edges.append(
                    capture.EdgeFacts(
                        ref,
                        Relation.DERIVED_FROM,
                        rests_on,
                        transform_type="cite",
                        transform_implementation=f"sources.formats.{batch.format}",
                        transform_version="1",
                    )
                )
        before = version.entity
        if before is not None and before.pk != ends[str(ref)]:
            earlier = before.as_ref
            ends[str(earlier)] = before.pk
            edges.append(capture.EdgeFacts(ref, Relation.SUPERSEDES, earlier))
        if version.entity_id != ends[str(ref)]:
            version.entity_id = ends[str(ref)]
            version.save(update_fields=["entity"])
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
    capture.stand_again(entity_ids=[version.entity_id for version in cited if version.entity_id is not None])


def join(*, workspace_id: int, sources: Sequence[Source], at: datetime) -> None:
    """Writes that the texts which cite these sources rest on them, for sources that took the place of others.

    Idempotent; sources and texts without a node are left out.
    """
    of = {source.pk: source for source in sources if source.entity_id is not None}
    cited = Citation.objects.filter(entry__source__in=of, version__entity__isnull=False)
    pairs = set(cited.values_list("version__entity", "entry__source"))
    texts = Entity.objects.in_bulk({pk for pk, _ in pairs})
    ends: dict[str, int] = {}
    edges: list[capture.EdgeFacts] = []
    for text_id, source_id in sorted(pairs):
        text, source = texts[text_id], of[source_id]
        rests_on = refs.make(EntityType.SOURCE, str(source.uuid), "v1")
        dependent = text.as_ref
        ends |= {str(dependent): text_id, str(rests_on): source.entity_id or 0}
        edges.append(capture.EdgeFacts(dependent, Relation.DERIVED_FROM, rests_on, transform_type="cite"))
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)


def _facts(batch: ImportBatch, version: ProjectVersion) -> capture.EntityFacts:
    return capture.EntityFacts(
        ref=refs.make(EntityType.REPORT, f"project/{batch.project.uuid}/{hash_of(version.label)}", batch.sha256),
        content_hash=batch.sha256,
        source_time=batch.created_at,
        authority="user-provided",
        owner_id=batch.created_by_id,
        metadata={"label": version.label},
    )
