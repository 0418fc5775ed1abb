"""The second step of an import: one transaction that writes a staged batch, whole or not at all."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Relation
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core.kinds import BatchState, IdentifierType, RowAction
from sources.core.records import Identity, one_per_work
from sources.models import CatalogEntry, Citation, ImportBatch, ImportRow, Source, SourceAlias
from sources.services import projects, registry

CHANGE_KIND = "sources.import"
_BATCH = 1000


class AlreadyDone(ValueError):
    """The batch was committed or thrown away before; nothing was written now."""


class Overtaken(ValueError):
    """Someone removed or entered the same sources at the same moment; nothing was written, and a second try will do."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What a commit wrote."""

    batch: ImportBatch
    new_sources: int
    new_entries: int
    new_citations: int
    unreadable: int


def commit(*, batch: ImportBatch, by: User, channel: Channel, at: datetime) -> ImportResult:
    """Writes a staged batch: sources, catalog entries, citations, lineage, and one ChangeSet that can be undone.

    All or nothing. The same list twice changes nothing but its own batch. Raises `AlreadyDone` and `Overtaken`.
    """
    permissions.check_can_curate(by, batch.project.workspace_id)
    try:
        with transaction.atomic():
            batch = ImportBatch.objects.select_for_update(of=("self",)).select_related("project").get(pk=batch.pk)
            if batch.state != BatchState.STAGED:
                raise AlreadyDone(f"This list was {batch.state} before; nothing was written now.")
            return _write(batch=batch, by=by, channel=channel, at=at)
    except IntegrityError as overtaken:
        # A source of the list was removed by an undo between our look and our write.
        raise Overtaken("The registry changed at the same moment; nothing was written. Import again.") from overtaken


def _write(*, batch: ImportBatch, by: User, channel: Channel, at: datetime) -> ImportResult:
    project = batch.project
    rows = list(batch.rows.exclude(action=RowAction.ERROR).order_by("position"))
    registered = registry.register_many(
        workspace_id=project.workspace_id,
        sources=[registry.NewSource(identity=_identity(row), title=row.title) for row in _one_per_work(rows)],
        at=at,
    )
    sources = registered.by_key
    before = set(CatalogEntry.objects.filter(project=project).values_list("source_id", flat=True))
    entries = projects.enter(
        project=project, source_ids=list(dict.fromkeys(sources[row.canonical_key].pk for row in rows)), at=at
    )
    new_citations = _cite(batch=batch, rows=rows, sources=sources, entries=entries, at=at)
    _remember_spellings(workspace_id=project.workspace_id, rows=rows, sources=sources, at=at)
    _record_lineage(batch=batch, sources=[sources[key] for key in sorted(registered.new_keys)], at=at)

    fresh = [entry for source_id, entry in entries.items() if source_id not in before]
    new_ids = {sources[key].pk for key in registered.new_keys}
    batch.change_set = changes.record(
        workspace_id=project.workspace_id,
        kind=CHANGE_KIND,
        actor=by,
        channel=channel,
        note=batch.label,
        at=at,
        changes=[
            *_cited_facts(batch, new_citations),
            *(
                changes.ChangeFacts(
                    model=CatalogEntry._meta.label_lower,
                    object_id=entry.pk,
                    before={},
                    after={"source": entry.source_id, "number": entry.number, "new_source": entry.source_id in new_ids},
                )
                for entry in fresh
            ),
        ],
    )
    batch.state, batch.committed_at = BatchState.COMMITTED, at
    batch.save(update_fields=["state", "committed_at", "change_set"])
    return ImportResult(
        batch=batch,
        new_sources=len(registered.new_keys),
        new_entries=len(fresh),
        new_citations=new_citations,
        unreadable=batch.rows.filter(action=RowAction.ERROR).count(),
    )


def _cited_facts(batch: ImportBatch, new_citations: int) -> list[changes.ChangeFacts]:
    """What undo needs to find the citations again: an import may bring them alone, for entries that were there."""
    if not new_citations:
        return []
    return [
        changes.ChangeFacts(
            model=ImportBatch._meta.label_lower, object_id=batch.pk, before={}, after={"citations": new_citations}
        )
    ]


def _one_per_work(rows: Sequence[ImportRow]) -> list[ImportRow]:
    return one_per_work(rows, key=lambda row: row.canonical_key, title=lambda row: row.title)


def _identity(row: ImportRow) -> Identity:
    return Identity(type=IdentifierType(row.identifier_type), value=row.identifier_value, request_url=row.request_url)


def _cite(
    *,
    batch: ImportBatch,
    rows: Sequence[ImportRow],
    sources: Mapping[str, Source],
    entries: Mapping[int, CatalogEntry],
    at: datetime,
) -> int:
    version = projects.version_named(project=batch.project, label=batch.label, at=at)
    sections = projects.sections_named(project=batch.project, titles=[row.section for row in rows])
    already = Citation.objects.filter(version=version).count()
    Citation.objects.bulk_create(
        [
            Citation(
                entry=entries[sources[row.canonical_key].pk],
                version=version,
                section=sections.get(row.section),
                batch=batch,
                status=row.status,
                line=row.line,
                spelling=row.spelling,
                claimed_title=row.title,
                context=row.context,
            )
            for row in rows
        ],
        ignore_conflicts=True,
        batch_size=_BATCH,
    )
    return Citation.objects.filter(version=version).count() - already


def _remember_spellings(
    *, workspace_id: int, rows: Sequence[ImportRow], sources: Mapping[str, Source], at: datetime
) -> None:
    aliases = [
        SourceAlias(
            source=sources[row.canonical_key],
            workspace_id=workspace_id,
            spelling=row.spelling,
            spelling_key=hashlib.sha256(row.spelling.encode()).hexdigest(),
            first_seen_at=at,
        )
        for row in rows
        if row.spelling not in {sources[row.canonical_key].request_url, sources[row.canonical_key].identifier_value}
    ]
    # In one order, so that two lists at once for two projects cannot wait for each other's rows.
    aliases.sort(key=lambda alias: (alias.source_id, alias.spelling_key))
    SourceAlias.objects.bulk_create(aliases, ignore_conflicts=True, batch_size=_BATCH)


def _record_lineage(*, batch: ImportBatch, sources: Sequence[Source], at: datetime) -> None:
    """The imported bytes are an artifact; each source that became known through them rests on it by PARSED_FROM."""
    workspace_id = batch.project.workspace_id
    artifact = refs.make(EntityType.ARTIFACT, f"import/{batch.uuid}", batch.sha256)
    entities = capture.record_entities(
        workspace_id=workspace_id,
        entities=[
            capture.EntityFacts(
                ref=artifact,
                content_hash=batch.sha256,
                source_time=batch.created_at,
                authority="user-provided",
                metadata={"label": batch.label, "byte_count": batch.byte_count},
            )
        ],
        at=at,
    )
    ends = dict(entities)
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
                transform_implementation="sources.core.extract",
                transform_version="1",
                run_id=str(batch.uuid),
            )
        )
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
