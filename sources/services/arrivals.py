"""The works of an import, a step at a time: registered, described, entered into the project, cited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lineage.services.in_turn import wait_for_turn
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts, update_rows
from sources.core.kinds import DecisionKind, RowAction
from sources.models import CatalogEntry, ImportBatch, ImportRow, Project, Source
from sources.queries.readable import hidden_keys
from sources.services import (
    import_lineage,
    imported_marks,
    metadata,
    places,
    registry,
    retraction_parts,
    source_lineage,
    traces,
)
from sources.services.works import Work, sorted_out

_SOURCE = Source._meta.label_lower


@dataclass(slots=True)
class Arrived:
    """What a step wrote: how many were new, what has to be kept for undo, and the sources that the file rejects."""

    new_sources: list[Source] = field(default_factory=list)
    new_entries: int = 0
    new_citations: int = 0
    facts: list[ChangeFacts] = field(default_factory=list)
    rejected: list[tuple[int, str]] = field(default_factory=list)


def write(*, batch: ImportBatch, rows: Sequence[ImportRow], at: datetime) -> Arrived:
    """Writes the works of some rows of a batch in the caller's transaction; the rows then name their sources.

    What a person rejected is not brought back. A row whose identifiers are those of several sources joins none of them:
    the sources are proposed to each other as one work. Nothing that a source says already is overwritten, but
    for a classification by a stricter one.
    """
    arrived = Arrived()
    works = sorted_out(batch=batch, rows=rows, at=at)
    _register(batch=batch, works=works, arrived=arrived, at=at)
    # Before the text rests on them: what becomes known changes nothing that stands.
    import_lineage.record(batch=batch, sources=arrived.new_sources, at=at)
    _describe(works=works, arrived=arrived, at=at)
    new = {source.pk for source in arrived.new_sources}
    # What its importer may not read is cited by the list all the same; nothing about it is written or taken from it.
    hidden = hidden_keys(Source, {work.known.pk for work in works} - new)
    told = [work for work in works if work.known.pk not in hidden]
    arrived.facts += traces.remember(batch=batch, works=told, new=new, at=at)
    traces.keep_versions(works=told, at=at)
    traces.tag(workspace_id=batch.project.workspace_id, works=told)
    words = {work.known.pk: word for work in works if (word := _word(work))}
    if words:
        # Before nodes of sources are held that the text rests on, and after the project that they enter.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        wait_for_turn(workspace_id=batch.project.workspace_id)
    wanted = [work for work in works if not _is_rejected(work)]
    placed = [(row, record, work.known) for work in wanted for row, record in work.placed]
    _tell_entered(arrived, places.enter(batch=batch, placed=placed, at=at))
    for work in works:
        source = work.known
        reason = next((record.rejected_because for record in work.records if record.rejected_because), "")
        if reason and source.decided != DecisionKind.DROP and source.pk not in hidden:
            arrived.rejected.append((source.pk, reason))
        for row in work.rows:
            row.source, row.object_id = source, source.pk
    update_rows([row for work in works for row in work.rows], ["source", "object_id"])
    arrived.facts += imported_marks.take_in(batch=batch, words=words, marks=True, at=at)
    return arrived


def _word(work: Work) -> imported_marks.FileWord | None:
    """What the rows say of its retraction: that it fell where one says so, else the first word."""
    words = [word for record in work.records if (word := imported_marks.word_of(record))]
    return next((word for word in words if word.nature.is_full), words[0] if words else None)


def _register(*, batch: ImportBatch, works: Sequence[Work], arrived: Arrived, at: datetime) -> None:
    new = [work for work in works if work.source is None]
    registered = registry.register_many(
        workspace_id=batch.project.workspace_id,
        sources=[
            registry.NewSource(
                identity=work.spelled,
                title=next((record.title for record in work.records if record.title), ""),
                values=work.values,
                uuid=next((record.uuid for record in work.records if record.uuid), ""),
            )
            for work in new
        ],
        at=at,
    )
    for work in new:
        key = work.identity.key
        work.source = registered.by_key[key] if key else registered.untraceable.pop(0)
    made = {source.pk: source for work in new if (source := work.source) and registered.is_new(source)}
    arrived.new_sources.extend(made[pk] for pk in sorted(made))


def _describe(*, works: Sequence[Work], arrived: Arrived, at: datetime) -> None:
    """Fills what known sources did not say yet; a new one was registered with all of it."""
    new = {source.pk for source in arrived.new_sources}
    told = [(work.known, _described(work)) for work in works if work.known.pk not in new]
    hidden = hidden_keys(Source, {source.pk for source, _ in told})
    told = [
        (source, values) for source, values in told if source.pk not in hidden and metadata.missing_of(source, values)
    ]
    # With those whose standing the file may change further on: sources are held before the graph's turn.
    spoken = [
        work.known
        for work in works
        if work.known.pk not in new | hidden and (_word(work) or any(one.rejected_because for one in work.records))
    ]
    _lock(list({source.pk: source for source in (*(source for source, _ in told), *spoken)}.values()))
    filled = []
    declared = []
    for source, values in told:
        missing = metadata.missing_of(source, values)
        if not missing:
            continue
        before = metadata.fill(source, missing)
        source.row_version += 1
        filled.append(source)
        if before.keys() & source_lineage.DECLARED:
            declared.append(source)
        after = {name: getattr(source, name) for name in before}
        arrived.facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=after))
    update_rows(filled, [*metadata.FILLED, "row_version"])
    source_lineage.declare(declared)
    retraction_parts.take_in(sources=filled, at=at)


def _lock(sources: Sequence[Source]) -> None:
    """Locks the rows and reads them again: who edited one since they were looked up keeps what they wrote."""
    columns = (*metadata.FILLED, "row_version")
    for part in in_parts(sorted(sources, key=lambda source: source.pk)):
        rows = (
            Source.objects.select_for_update(no_key=True)
            .order_by("pk")
            .only(*columns)
            .in_bulk([source.pk for source in part])
        )
        for source in part:
            if row := rows.get(source.pk):
                for name in columns:
                    setattr(source, name, getattr(row, name))


def _described(work: Work) -> Mapping[str, Any]:
    """What rows with a record of their own say; a title in a sentence is no word on a source that is known."""
    kept = [record for row, record in work.placed if row.record is not None]
    return Work(work.identity, records=kept).values


def _tell_entered(arrived: Arrived, entered: places.Entered) -> None:
    new = {source.pk for source in arrived.new_sources}
    for entry in entered.new_entries:
        after = {"source": entry.source_id, "number": entry.number, "new_source": entry.source_id in new}
        arrived.facts.append(ChangeFacts(CatalogEntry._meta.label_lower, entry.pk, {}, after))
    arrived.new_entries += len(entered.new_entries)
    arrived.new_citations += entered.new_citations


def _is_rejected(work: Work) -> bool:
    """True for what a person rejected before, and for what the file itself rejects."""
    if any(record.rejected_because for record in work.records):
        return True
    return work.known.decided == DecisionKind.DROP or any(row.action == RowAction.REJECTED for row in work.rows)
