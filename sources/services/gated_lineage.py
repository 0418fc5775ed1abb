"""A version of a draft in the lineage graph: an output that contains claims, each resting on what it cites.

A claim that the gate marked, because no source of the corpus carries it, is a claim without evidence: the release check
of the output names it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from lineage import capture, claims
from lineage.claims import SaidClaim, SaidEvidence
from lineage.core import refs
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Edge, Entity
from provenance_site.kit.rows import in_parts
from sources.core import citations
from sources.core.chunking import hash_of
from sources.core.citations import CorpusItem, Gated
from sources.models import CorpusEntry, DraftVersion, Source, SourceVersion
from sources.queries.mergers import nodes_of_merged
from sources.services.corpus_lineage import rests_of

# How edges to a source or a version of it are told, by what cites and by what was retrieved.
_CITING = ("cite", "retrieve")
_LABELS = {label.level: label for label in Label}
_ID = re.compile(r"\bsrc-[0-9]{3,9}\b", re.ASCII)


def record(
    *, version: DraftVersion, gated: Gated, corpus: Sequence[CorpusItem], earlier: DraftVersion | None, at: datetime
) -> None:
    """Writes the version as a report with its claims and their evidence, and sets `entity` in the row and the database.

    A claim is SUPPORTED_BY the content version that was read for the corpus, with the hash of the passage that carries
    it best; the same sentence on the same sources is one node in all versions. The earlier version is superseded. In
    the caller's transaction.
    """
    workspace_id = version.draft.project.workspace_id
    report = _report(version, _own_label(version, gated, corpus))
    said = _said(version, gated)
    facts = [report, *(_claim(version, text, ids) for text, ids in said)]
    ends = capture.record_ids(workspace_id=workspace_id, entities=facts, at=at)
    version.entity_id = ends[str(report.ref)]
    version.save(update_fields=["entity"])
    edges: list[capture.EdgeFacts] = []
    supports: list[tuple[capture.EdgeFacts, str, str]] = []
    evidence: dict[str, SaidEvidence] = {}
    grounds = _grounds(version, {one for _, ids in said for one in ids} | {one.id for one in gated.citations})
    told: dict[int, SaidClaim] = {}
    for (text, ids), fact in zip(said, facts[1:], strict=True):
        edges.append(capture.EdgeFacts(report.ref, Relation.CONTAINS, fact.ref))
        told[ends[str(fact.ref)]] = SaidClaim(text_hash=hash_of(text), text=text)
        for stable_id in ids:
            if stable_id in grounds:
                row, node = grounds[stable_id]
                ends[node.ref] = node.pk
                edge = capture.EdgeFacts(fact.ref, Relation.SUPPORTED_BY, node.as_ref, transform_type="cite")
                supports.append((edge, stable_id, text))
                query = row.retrieval_query
                evidence[edge.key] = SaidEvidence(rank=row.rank, query_hash=hash_of(query) if query else "")
    edges += _with_passages(workspace_id, supports, corpus)
    # What is cited outside of any sentence (in a heading, a table) carries the text as a whole.
    for stable_id in {one.id for one in gated.citations} - {one for _, ids in said for one in ids}:
        if stable_id in grounds:
            _, node = grounds[stable_id]
            ends[node.ref] = node.pk
            edges.append(capture.EdgeFacts(report.ref, Relation.DERIVED_FROM, node.as_ref, transform_type="cite"))
    before = earlier.entity if earlier else None
    if before is not None and before.pk != version.entity_id:
        ends[before.ref] = before.pk
        edges.append(capture.EdgeFacts(report.ref, Relation.SUPERSEDES, before.as_ref))
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
    claims.keep_claims(workspace_id=workspace_id, claims=told)
    claims.keep_evidence(workspace_id=workspace_id, evidence=evidence)
    if before is not None and before.pk != version.entity_id:
        capture.supersede(entity_ids=[before.pk], at=at)


def join(*, workspace_id: int, sources: Sequence[Source], at: datetime) -> None:
    """Writes that claims, drafts and retrievals which rest on what was merged into these sources rest on them too.

    Idempotent; a few queries for all sources together, and a read a 500 nodes that were merged.
    """
    of = {source.pk: source for source in sources if source.entity_id is not None}
    merged = nodes_of_merged(list(of))
    stands_for = dict(merged)
    for part in in_parts(sorted(merged)):
        read = SourceVersion.objects.filter(source__entity__in=part, entity__isnull=False)
        stands_for |= {node: merged[source] for node, source in read.values_list("entity_id", "source__entity_id")}
    ends: dict[str, int] = {}
    edges: list[capture.EdgeFacts] = []
    for part in in_parts(sorted(stands_for)):
        cited = Edge.objects.filter(workspace_id=workspace_id, to_entity__in=part, transform_type__in=_CITING)
        for edge in cited.select_related("from_entity").order_by("pk"):
            dependent, source = edge.from_entity.as_ref, of[stands_for[edge.to_entity_id]]
            rests_on = refs.make(EntityType.SOURCE, str(source.uuid), "v1")
            ends |= {str(dependent): edge.from_entity_id, str(rests_on): source.entity_id or 0}
            edges.append(capture.EdgeFacts(dependent, edge.as_relation, rests_on, transform_type=edge.transform_type))
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)


def _said(version: DraftVersion, gated: Gated) -> list[tuple[str, tuple[str, ...]]]:
    """Each claim once with the ids that carry it, sorted; a marked one without any."""
    carried: dict[str, set[str]] = {}
    for claim in gated.claims:
        carried.setdefault(claim.sentence, set()).update(claim.ids)
    for marker in citations.markers_of(version.gated_text):
        if marker.claim:
            carried.setdefault(marker.claim, set())
    return [(text, tuple(sorted(ids))) for text, ids in carried.items()]


def _own_label(version: DraftVersion, gated: Gated, corpus: Sequence[CorpusItem]) -> Label:
    """As restricted as what it names and does not rest on: what the gate refused is told with the version."""
    told = {one.id for one in gated.problems} | {found for one in version.changes for found in _ids_in(one)}
    named = told & {item.id for item in corpus}
    numbers = sorted({int(one.removeprefix("src-")) for one in named})
    label = Label.INTERNAL
    for part in in_parts(numbers):
        rows = Source.objects.filter(entries__project=version.draft.project_id, entries__number__in=part)
        for level, declared in rows.values_list("entity__level", "classification"):
            label = max(label, _LABELS[level] if level is not None else Label(declared), key=lambda one: one.level)
    return label


def _ids_in(change: Mapping[str, Any]) -> Iterable[str]:
    return _ID.findall(" ".join(str(change[name]) for name in ("before", "after", "reason")))


def _report(version: DraftVersion, label: Label) -> capture.EntityFacts:
    return capture.EntityFacts(
        ref=refs.make(EntityType.REPORT, f"draft/{version.draft.uuid}/{version.number}", version.sha256),
        content_hash=version.sha256,
        source_time=version.created_at,
        authority="user-provided",
        classification=label,
        owner_id=version.created_by_id,
        metadata={"draft": version.draft.name, "number": version.number, "origin": str(version.origin)},
    )


def _claim(version: DraftVersion, text: str, ids: Sequence[str]) -> capture.EntityFacts:
    digest = hash_of("\n".join((text, *ids)))
    return capture.EntityFacts(
        ref=refs.make(EntityType.CLAIM, f"draft/{version.draft.uuid}/{hash_of(text)[:16]}", digest),
        content_hash=hash_of(text),
        source_time=version.created_at,
        authority="user-provided",
        classification=Label.PUBLIC,  # of its own: it inherits what carries it
        owner_id=version.created_by_id,
    )


def _with_passages(
    workspace_id: int, supports: Sequence[tuple[capture.EdgeFacts, str, str]], corpus: Sequence[CorpusItem]
) -> list[capture.EdgeFacts]:
    """These edges with the hash of the passage that carries their claim. Those that an earlier version told are there
    with theirs, and finding a passage is the dearest part of a version: they are told as they are."""
    known: set[str] = set()
    for part in in_parts(sorted({edge.key for edge, _, _ in supports})):
        there = Edge.objects.filter(workspace_id=workspace_id, edge_key__in=part)
        known.update(there.values_list("edge_key", flat=True))
    items = {item.id: item for item in corpus}
    return [
        edge if edge.key in known else replace(edge, metadata=_passage(items.get(stable_id), stable_id, text))
        for edge, stable_id, text in supports
    ]


def _passage(item: CorpusItem | None, stable_id: str, claim: str) -> dict[str, str]:
    passage = citations.best_passage(item.excerpt, claim=claim).text if item and item.excerpt else ""
    return {"id": stable_id, "passage_sha256": hash_of(passage) if passage else ""}


def _grounds(version: DraftVersion, ids: Iterable[str]) -> Mapping[str, tuple[CorpusEntry, Entity]]:
    """The corpus row and the node behind each stable id: a content version, else the source."""
    numbers = {int(one.removeprefix("src-")): one for one in ids if one.removeprefix("src-").isdecimal()}
    rows: dict[str, CorpusEntry] = {}
    for part in in_parts(sorted(numbers)):
        found = CorpusEntry.objects.filter(entry__project=version.draft.project_id, entry__number__in=part)
        for row in found.select_related("entry").order_by("-rank", "-pk"):
            rows[numbers[row.entry.number]] = row
    sources = Source.objects.select_related("entity", "latest_check__version__entity").in_bulk(
        {row.entry.source_id for row in rows.values()}
    )
    nodes = rests_of([(sources[row.entry.source_id], row.body_sha256) for row in rows.values()])
    return {
        stable_id: (row, nodes[row.entry.source_id, row.body_sha256])
        for stable_id, row in rows.items()
        if (row.entry.source_id, row.body_sha256) in nodes
    }
