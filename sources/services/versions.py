"""Content versions: what was really fetched, named by its hash, with its edge to the source in the same transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Entity
from provenance_site.kit.rows import insert_rows
from sources.core.findings import SourceFinding
from sources.models import Source, SourceVersion


def record(*, findings: Sequence[SourceFinding], sources: Mapping[int, Source], at: datetime) -> dict[int, int]:
    """Writes a version for each finding that read content, once per content; gives version keys by source key.

    Each new version rests on its source by FETCHED_FROM, told with the run that fetched it; judging again is no fetch.
    """
    read = [told for told in findings if told.finding.evidence.sha256]
    if not read:
        return {}
    by_workspace: dict[int, list[SourceFinding]] = {}
    for told in read:
        if sources[told.source_id].entity is not None and not told.rejudged:
            by_workspace.setdefault(sources[told.source_id].workspace_id, []).append(told)
    entities: dict[int, int] = {}
    for workspace_id, told_here in by_workspace.items():
        entities |= _record_lineage(workspace_id=workspace_id, told_here=told_here, sources=sources, at=at)
    insert_rows([_row(told, entities.get(told.source_id)) for told in read], ignore_conflicts=True)
    hashes = {told.source_id: told.finding.evidence.sha256 for told in read}
    rows = SourceVersion.objects.filter(source_id__in=hashes, sha256__in=set(hashes.values()))
    return {
        source_id: pk
        for pk, source_id, sha256 in rows.values_list("pk", "source_id", "sha256")
        if hashes[source_id] == sha256
    }


def _row(told: SourceFinding, entity_id: int | None) -> SourceVersion:
    evidence = told.finding.evidence
    return SourceVersion(
        source_id=told.source_id,
        entity_id=entity_id,
        sha256=evidence.sha256,
        media_type=evidence.media_type,
        byte_count=evidence.byte_count,
        final_url=evidence.final_url,
        title=evidence.title_found,
        fetched_at=told.finding.at,
    )


def _record_lineage(
    *,
    workspace_id: int,
    told_here: Sequence[SourceFinding],
    sources: Mapping[int, Source],
    at: datetime,
) -> dict[int, int]:
    """The keys of the entities of the versions by source key; those told before are found again."""
    version_refs = {
        told.source_id: refs.make(
            EntityType.SOURCE_VERSION, str(sources[told.source_id].uuid), told.finding.evidence.sha256
        )
        for told in told_here
    }
    entities = capture.record_ids(
        workspace_id=workspace_id,
        entities=[
            capture.EntityFacts(
                ref=version_refs[told.source_id],
                content_hash=told.finding.evidence.sha256,
                source_time=told.finding.at,
                authority=sources[told.source_id].authority,
                classification=Label(sources[told.source_id].classification),
                metadata={"final_url": told.finding.evidence.final_url},
            )
            for told in told_here
        ],
        at=at,
    )
    ends: dict[str, Entity | int] = {**entities}
    edges = []
    for told in told_here:
        source_entity = sources[told.source_id].entity
        if source_entity is None:
            continue
        source_ref = refs.make(EntityType.SOURCE, str(sources[told.source_id].uuid), source_entity.version)
        ends[str(source_ref)] = source_entity
        edges.append(
            capture.EdgeFacts(
                dependent=version_refs[told.source_id],
                relation=Relation.FETCHED_FROM,
                rests_on=source_ref,
                transform_type="fetch",
                transform_implementation="validation.adapters.web",
                transform_version=told.finding.rules_version,
                run_id=told.run_id,
            )
        )
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
    return {source_id: entities[str(ref)] for source_id, ref in version_refs.items()}
