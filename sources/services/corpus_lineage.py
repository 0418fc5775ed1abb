"""Retrievals in the lineage graph: each entry of a corpus is a hit, resting on the version that was read."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Entity
from sources.core.chunking import hash_of
from sources.models import CorpusEntry, Project, Source, SourceVersion

_BATCH = 500


def write_hits(
    *, project: Project, rows: Sequence[CorpusEntry], sources: Mapping[int, Source], run_id: str, at: datetime
) -> None:
    """Writes a retrieval hit for each row, with query, tool, rank and score, resting on what was read of its source,
    and sets `entity` in the rows (not in the database). `sources` are theirs, by key. In the caller's transaction.

    The same retrieval twice is one node.
    """
    if not rows:
        return
    rests = rests_of([(sources[row.entry.source_id], row.body_sha256) for row in rows])
    facts = {row.entry_id: _facts(project, row, at=at) for row in rows}
    ids = capture.record_ids(workspace_id=project.workspace_id, entities=facts.values(), at=at)
    edges: list[capture.EdgeFacts] = []
    ends: dict[str, int] = dict(ids)
    for row in rows:
        row.entity_id = ids[str(facts[row.entry_id].ref)]
        node = rests.get((row.entry.source_id, row.body_sha256))
        if node is not None:
            ends[node.ref] = node.pk
            edges.append(
                capture.EdgeFacts(
                    facts[row.entry_id].ref,
                    Relation.RETRIEVED_FROM,
                    node.as_ref,
                    transform_type="retrieve",
                    transform_implementation=row.retrieval_tool,
                    run_id=run_id,
                )
            )
    capture.record_edges(workspace_id=project.workspace_id, edges=edges, entities=ends, at=at)
    capture.stand_again(entity_ids=ids.values())


def rests_of(wanted: Sequence[tuple[Source, str]]) -> dict[tuple[int, str], Entity]:
    """The node that stands for what was read of each source, by source and the hash of what was read ('' for the
    newest check's): a content version, else the source itself; sources without a node are missing. Two queries."""
    sources = {source.pk: source for source, _ in wanted}
    found: dict[tuple[int, str], Entity] = {}
    hashes = sorted({sha256 for _, sha256 in wanted if sha256})
    versions: dict[tuple[int, str], Entity] = {}
    for start in range(0, len(hashes), _BATCH):
        rows = SourceVersion.objects.filter(
            source__in=sources, sha256__in=hashes[start : start + _BATCH], entity__isnull=False
        ).select_related("entity")
        versions |= {(row.source_id, row.sha256): row.entity for row in rows if row.entity is not None}
    for source, sha256 in wanted:
        check = source.latest_check
        newest = check.version.entity if check and check.version else None
        node = versions.get((source.pk, sha256)) or newest or source.entity
        if node is not None:
            found[source.pk, sha256] = node
    return found


def _facts(project: Project, row: CorpusEntry, *, at: datetime) -> capture.EntityFacts:
    told = [row.retrieval_query, row.retrieval_tool, str(row.rank), str(row.score), row.body_sha256, row.excerpt]
    path = f"project/{project.uuid}/{hash_of(row.section.slug)[:16]}/{row.entry.stable_id}"
    return capture.EntityFacts(
        ref=refs.make(EntityType.RETRIEVAL_HIT, path, hash_of("\n".join(told))),
        source_time=row.fetched_at or at,
        classification=Label.PUBLIC,  # of its own: it inherits what it rests on
        metadata={
            "query": row.retrieval_query,
            "tool": row.retrieval_tool,
            "rank": row.rank,
            "score": row.score,
            "passage_sha256": hash_of(row.excerpt) if row.excerpt else "",
        },
    )
