"""Mends the lineage graph of a workspace from what the registry's own rows say, and tells what it could not mend.

Nothing is guessed: a node is written where its ref, hash and what it rests on follow from a row; a run that made
something, or the bytes that a passage was cut from, are written only where the row names them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import models, transaction

from lineage import capture, reconcile
from lineage.core import refs
from lineage.core.reconciling import Finding, Kind, Reconciled
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Entity
from lineage.queries.key_sets import among
from lineage.queries.levels import wrong_levels
from lineage.reconcile import Difference
from lineage.services import impact, labels
from lineage.services.in_turn import hold, wait_for_turn
from lineage.services.labels import Declared
from provenance_site.kit.rows import in_parts, update_rows
from sources.models import Chunk, Observation, ObservationSource, Source, SourceVersion
from sources.queries import expected_lineage
from sources.queries.expected_lineage import CHUNK, DRAFT, OBSERVATION, SOURCE, VERSION
from sources.services import chunk_lineage, observation_lineage

# What is told out of order comes within a day, or does not come.
_DANGLES_AFTER = timedelta(days=1)
# By what an object is joined to what its row names, and the transform that is certain.
_CERTAIN = {
    VERSION: (Relation.FETCHED_FROM, ""),
    CHUNK: (Relation.CHUNKED_FROM, "chunk"),
    DRAFT: (Relation.DERIVED_FROM, "cite"),
}


def reconcile_workspace(*, workspace_id: int, at: datetime, dry_run: bool = False) -> Reconciled:
    """Looks at the whole graph, mends what follows from rows, and gives all that was wrong; writes nothing with
    `dry_run`. One transaction; twice is safe, and the second time finds only what could not be mended."""
    with transaction.atomic():
        found = _differences(workspace_id)
        if found and not dry_run:
            # What somebody wrote while we looked seems wrong: look again with all of it held.
            _hold(found)
            wait_for_turn(workspace_id=workspace_id)
            hold(one.entity_id for one in found if one.entity_id is not None)
            found = _differences(workspace_id)
        by_kind: dict[Kind, list[Difference]] = defaultdict(list)
        for one in found:
            by_kind[one.kind].append(one)
        mended: set[int] = set()
        for kind, mend in _MENDERS.items():
            if by_kind[kind] and not dry_run:
                mended |= {id(one) for one in mend(workspace_id, by_kind[kind], at)}
        names = _names(found)
        findings = [Finding(one.kind, names[id(one)], one.note, id(one) in mended) for one in found]
        findings += _wrong_labels(workspace_id, dry_run=dry_run)
        findings += _missed_causes(workspace_id, at=at, dry_run=dry_run)
        dangling = reconcile.dangling(workspace_id=workspace_id, before=at - _DANGLES_AFTER)
        findings += [Finding(Kind.DANGLING, entity.ref) for entity in dangling]
    order = list(Kind)
    return Reconciled(sorted(findings, key=lambda one: (order.index(one.kind), one.ref)))


def _differences(workspace_id: int) -> list[Difference]:
    expected = expected_lineage.expected(workspace_id=workspace_id)
    return list(reconcile.differences(workspace_id=workspace_id, expected=expected))


def _hold(found: Sequence[Difference]) -> None:
    """Holds the rows of objects that get their node now: before the graph's turn, as whoever edits one does."""
    for model in (Source, Observation):
        label = model._meta.label_lower
        rows = {one.expected.row[1] for one in found if one.kind is Kind.MISSING and one.expected.row[0] == label}
        for part in in_parts(sorted(rows)):
            list(model._default_manager.select_for_update(no_key=True).filter(pk__in=part).order_by("pk"))


def _names(found: Sequence[Difference]) -> dict[int, str]:
    """What each is called, by its `id`: the ref that its row gives, else that of its node, else the row."""
    bare = {one.entity_id for one in found if not one.expected.ref and one.entity_id is not None}
    refs_of = dict(Entity.objects.filter(pk__in=among(bare)).values_list("pk", "ref"))
    return {
        id(one): one.expected.ref or refs_of.get(one.entity_id or 0, "") or " ".join(map(str, one.expected.row))
        for one in found
    }


def _wrong_labels(workspace_id: int, *, dry_run: bool) -> list[Finding]:
    found = wrong_levels(workspace_id=workspace_id)
    if found and not dry_run:
        labels.settle(workspace_id=workspace_id, entity_ids=[one.entity_id for one in found])
    names = list(Label)
    return [
        Finding(Kind.WRONG_LABEL, one.ref, f"{names[one.level]}, must be {names[one.expected]}", not dry_run)
        for one in found
    ]


def _missed_causes(workspace_id: int, *, at: datetime, dry_run: bool) -> list[Finding]:
    found = reconcile.missed_causes(workspace_id=workspace_id)
    if found and not dry_run:
        wait_for_turn(workspace_id=workspace_id)
        hold(entity.pk for entity in found)
        impact.reach(workspace_id=workspace_id, entity_ids=[entity.pk for entity in found], at=at)
    return [Finding(Kind.MISSED_CAUSE, entity.ref, is_mended=not dry_run) for entity in found]


def _bring_back(workspace_id: int, found: Sequence[Difference], at: datetime) -> Iterable[Difference]:
    capture.stand_again(entity_ids=[one.entity_id for one in found if one.entity_id is not None])
    return found


def _declare(workspace_id: int, found: Sequence[Difference], at: datetime) -> Iterable[Difference]:
    """A node that says a stricter label than its object is left as it is and told: somebody outside may have said so,
    and only a person lowers a label."""
    nodes = Entity.objects.in_bulk([one.entity_id for one in found if one.entity_id is not None])
    declared = {}
    mended = []
    for one in found:
        node = nodes.get(one.entity_id or 0)
        if node is None or one.expected.label is None or Label(node.classification).level > one.expected.label.level:
            continue
        declared[node.pk] = Declared(one.expected.label, one.expected.authority)
        mended.append(one)
    labels.declare(workspace_id=workspace_id, declared=declared)
    return mended


def _write_missing(workspace_id: int, found: Sequence[Difference], at: datetime) -> Iterable[Difference]:
    mended: list[Difference] = []
    for model, write in _WRITERS.items():
        ours = {one.expected.row[1]: one for one in found if one.expected.row[0] == model}
        for part in in_parts(sorted(ours)):
            written = write(workspace_id, part, at)
            mended += [ours[pk] for pk in written]
    return mended


def _write_sources(workspace_id: int, keys: Sequence[int], at: datetime) -> Iterable[int]:
    rows = list(Source.objects.filter(workspace=workspace_id, pk__in=keys).order_by("pk"))
    facts = {
        row.pk: capture.EntityFacts(
            ref=refs.make(EntityType.SOURCE, str(row.uuid), "v1"),
            source_time=row.first_seen_at,
            authority=row.authority,
            classification=Label(row.classification),
            metadata={"identifier": f"{row.identifier_type}:{row.identifier_value}"},
        )
        for row in rows
    }
    return _give(workspace_id, rows, facts, at=at)


def _write_versions(workspace_id: int, keys: Sequence[int], at: datetime) -> Iterable[int]:
    """Those whose source has a node: without it, what they were fetched from cannot be said."""
    rows = SourceVersion.objects.filter(source__workspace=workspace_id, pk__in=keys).select_related("source__entity")
    whole = [row for row in rows.order_by("pk") if row.source.entity is not None]
    for row in whole:
        chunk_lineage.write_version(version=row, source=row.source, at=row.fetched_at)
    return [row.pk for row in whole]


def _write_chunks(workspace_id: int, keys: Sequence[int], at: datetime) -> Iterable[int]:
    """Those that name the version they were cut from; of other bytes no row keeps the hash."""
    rows = Chunk.objects.filter(store__workspace=workspace_id, pk__in=keys).select_related("store", "version__entity")
    whole = [row for row in rows.order_by("pk") if row.version is not None and row.version.entity is not None]
    by_origin: dict[tuple[int, str, int | None], list[Chunk]] = defaultdict(list)
    for row in whole:
        by_origin[row.store_id, row.path, row.version_id].append(row)
    for same in by_origin.values():
        version = same[0].version
        assert version is not None  # noqa: S101
        origin = chunk_lineage.Origin(same[0].store, same[0].path, version.sha256, version)
        chunk_lineage.write(rows=same, origin=origin, instead_of=[None] * len(same), at=at)
    update_rows(whole, ["entity"])
    return [row.pk for row in whole]


def _write_observations(workspace_id: int, keys: Sequence[int], at: datetime) -> Iterable[int]:
    """Those of which the graph knows no version yet: which one a row is after, it does not say."""
    rows = Observation.objects.filter(project__workspace=workspace_id, pk__in=keys).order_by("pk")
    paths = {f"observation/{row.uuid}": row for row in rows}
    known = Entity.objects.filter(workspace=workspace_id, type=EntityType.CLAIM, logical_id__in=paths)
    for path in set(known.values_list("logical_id", flat=True)):
        del paths[path]
    observation_lineage.write_versions(workspace_id=workspace_id, observations=list(paths.values()), at=at)
    return [row.pk for row in paths.values()]


def _give(
    workspace_id: int, rows: Sequence[models.Model], facts: dict[int, capture.EntityFacts], *, at: datetime
) -> Iterable[int]:
    ids = capture.record_ids(workspace_id=workspace_id, entities=facts.values(), at=at)
    for row in rows:
        row.entity_id = ids[str(facts[row.pk].ref)]  # type: ignore[attr-defined]  # every row of ours that has a node
    update_rows(rows, ["entity"])
    return list(facts)


def _join(workspace_id: int, found: Sequence[Difference], at: datetime) -> Iterable[Difference]:
    mended: list[Difference] = []
    for part in in_parts(found):
        ids = {one.entity_id for one in part} | {other for one in part for other in one.unjoined}
        nodes = Entity.objects.in_bulk([pk for pk in ids if pk is not None])
        edges: list[capture.EdgeFacts] = []
        for one in part:
            node = nodes[one.entity_id or 0]
            relations = _relations_of(one)
            edges += [
                capture.EdgeFacts(node.as_ref, relations[other][0], nodes[other].as_ref, relations[other][1])
                for other in one.unjoined
                if other in relations
            ]
            if all(other in relations for other in one.unjoined):
                mended.append(one)
        ends = {entity.ref: entity for entity in nodes.values()}
        capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
    return mended


def _relations_of(one: Difference) -> dict[int, tuple[Relation, str]]:
    """By what each missing edge of an object would be told, with the transform that is certain; {} where none is."""
    model, key = one.expected.row
    if model in _CERTAIN:
        return dict.fromkeys(one.unjoined, _CERTAIN[model])
    links = ObservationSource.objects.filter(observation=key, source__entity__in=one.unjoined)
    told = links.exclude(source__entity=None).values_list("source__entity", "relationship")
    return {entity_id: (observation_lineage.relation_of(word), word) for entity_id, word in told if entity_id}


_WRITERS: dict[str, Callable[[int, Sequence[int], datetime], Iterable[int]]] = {
    SOURCE: _write_sources,
    VERSION: _write_versions,
    CHUNK: _write_chunks,
    OBSERVATION: _write_observations,
}
_MENDERS: dict[Kind, Callable[[int, Sequence[Difference], datetime], Iterable[Difference]]] = {
    Kind.MISSING: _write_missing,
    Kind.BURIED: _bring_back,
    Kind.UNDECLARED: _declare,
    Kind.UNJOINED: _join,
}
