"""The works of an import, a step at a time: registered, described, entered into the project, cited."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import insert_rows, update_rows
from sources.core import entries
from sources.core.entries import SourceRecord
from sources.core.kinds import DecisionKind, PairReason, RowAction, VersionOrigin
from sources.core.records import Identity
from sources.formats.readers import PLAIN
from sources.models import (
    CatalogEntry,
    DuplicatePair,
    ImportBatch,
    ImportRow,
    Source,
    SourceAlias,
    SourceVersion,
    Tag,
)
from sources.queries import known
from sources.services import metadata, places, registry
from sources.services.staged_rows import plain, record_of

_BATCH = 1000
_SOURCE = Source._meta.label_lower
# In these a row's spelling is how a text names the work; in the others it is an entry's key.
_PLAIN = frozenset(format_.name for format_ in PLAIN)


@dataclass(slots=True)
class Work:
    """One work that rows of a step mean: a source that is there, or one to be registered under `identity`."""

    identity: Identity
    source: Source | None = None
    rows: list[ImportRow] = field(default_factory=list)
    records: list[SourceRecord] = field(default_factory=list)

    @property
    def values(self) -> dict[str, Any]:
        """What its records say, the first one that says it; of the bibliography, the first of each part."""
        told: dict[str, Any] = {}
        for record in self.records:
            values = metadata.values_of(record)
            told = {
                **values,
                **told,
                "bibliography": {**values.get("bibliography", {}), **told.get("bibliography", {})},
            }
        return {name: value for name, value in told.items() if value}


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
    the sources are proposed to each other as one work. Nothing that a source says already is overwritten.
    """
    arrived = Arrived()
    works = _sorted_out(batch=batch, rows=rows, at=at)
    _register(batch=batch, works=works, arrived=arrived, at=at)
    _describe(works=works, arrived=arrived)
    _remember(batch=batch, works=works, at=at)
    _keep_versions(works=works, at=at)
    _tag(workspace_id=batch.project.workspace_id, works=works)
    placed = [
        (row, record, _source_of(work))
        for work in works
        if not _is_rejected(work)
        for row, record in zip(work.rows, work.records, strict=True)
    ]
    _tell_entered(arrived, places.enter(batch=batch, placed=placed, at=at))
    for work in works:
        source = _source_of(work)
        reason = next((record.rejected_because for record in work.records if record.rejected_because), "")
        if reason and source.decided != DecisionKind.DROP:
            arrived.rejected.append((source.pk, reason))
        for row in work.rows:
            row.source, row.object_id = source, source.pk
    update_rows([row for work in works for row in work.rows], ["source", "object_id"])
    return arrived


def _sorted_out(*, batch: ImportBatch, rows: Sequence[ImportRow], at: datetime) -> list[Work]:
    """The works that the rows mean, each once, in the order of their first row."""
    records = {row.pk: _record(row) for row in rows}
    keys = {identity.key for record in records.values() for identity in record.identities}
    matches = known.Matches(workspace_id=batch.project.workspace_id, records=list(records.values()), keys=keys)
    works: list[Work] = []
    by_source: dict[int, Work] = {}
    by_name: dict[object, Work] = {}
    doubtful: list[list[Source]] = []
    for row in rows:
        record = records[row.pk]
        names: list[object] = [identity.key for identity in record.identities] or [known.words_of(record)]
        hits = matches.hits(record)
        meant = {id(work): work for name in names if (work := by_name.get(name))}
        meant |= {id(work): work for source in hits if (work := by_source.get(source.pk))}
        if len(hits) > 1 or len(meant) > 1:
            doubtful.append([source for work in meant.values() if (source := work.source)] + hits)
            continue
        work = next(iter(meant.values()), None)
        if work is None:
            work = Work(entries.first_identity(record), hits[0] if hits else None)
            works.append(work)
        if work.source is not None:
            by_source[work.source.pk] = work
        for name in names:
            by_name.setdefault(name, work)
        work.rows.append(row)
        work.records.append(record)
    _propose(workspace_id=batch.project.workspace_id, groups=doubtful, at=at)
    return works


def _record(row: ImportRow) -> SourceRecord:
    record = record_of(row)
    assert isinstance(record, SourceRecord)  # noqa: S101
    return record


def _propose(*, workspace_id: int, groups: Iterable[Sequence[Source]], at: datetime) -> None:
    pairs = {
        (min(one.pk, other.pk), max(one.pk, other.pk))
        for group in groups
        for one in group
        for other in group
        if one != other
    }
    DuplicatePair.objects.bulk_create(
        [
            DuplicatePair(
                workspace_id=workspace_id,
                first_id=first,
                second_id=second,
                reason=PairReason.SHARED_IDENTIFIERS,
                found_at=at,
            )
            for first, second in sorted(pairs)
        ],
        ignore_conflicts=True,
    )


def _register(*, batch: ImportBatch, works: Sequence[Work], arrived: Arrived, at: datetime) -> None:
    new = [work for work in works if work.source is None]
    registered = registry.register_many(
        workspace_id=batch.project.workspace_id,
        sources=[
            registry.NewSource(
                identity=work.identity,
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


def _describe(*, works: Sequence[Work], arrived: Arrived) -> None:
    """Fills what known sources did not say yet; a new one was registered with all of it."""
    new = {source.pk for source in arrived.new_sources}
    filled = []
    for work in works:
        source = _source_of(work)
        missing = {} if source.pk in new else metadata.missing_of(source, _described(work))
        if not missing:
            continue
        before = metadata.fill(source, missing)
        source.row_version += 1
        filled.append(source)
        after = {name: getattr(source, name) for name in before}
        arrived.facts.append(ChangeFacts(model=_SOURCE, object_id=source.pk, before=before, after=after))
    update_rows(filled, [*metadata.FILLED, "row_version"])


def _described(work: Work) -> Mapping[str, Any]:
    """What rows with a record of their own say; a title in a sentence is no word on a source that is known."""
    kept = [record for record, row in zip(work.records, work.rows, strict=True) if row.record is not None]
    return Work(work.identity, records=kept).values


def _remember(*, batch: ImportBatch, works: Sequence[Work], at: datetime) -> None:
    """Other spellings and other identifiers of a work lead to it from now on."""
    workspace_id = batch.project.workspace_id
    aliases = []
    for work in works:
        source = _source_of(work)
        identities = [identity for record in work.records for identity in record.identities]
        others = {one.key: one for one in identities if one.key != source.canonical_key}
        aliases += [_alias(source, other.value, key, at=at) for key, other in others.items() if key]
        if batch.format in _PLAIN:
            own = {source.request_url, source.identifier_value}
            spellings = dict.fromkeys(row.spelling for row in work.rows if row.spelling not in own)
            aliases += [_alias(source, spelling, "", at=at) for spelling in spellings]
    # In one order, so that two lists at once for two projects cannot wait for each other's rows.
    aliases.sort(key=lambda alias: (alias.source_id, alias.spelling_key, alias.canonical_key))
    for alias in aliases:
        alias.workspace_id = workspace_id
    SourceAlias.objects.bulk_create(aliases, ignore_conflicts=True, batch_size=_BATCH)


def _alias(source: Source, spelling: str, key: str, *, at: datetime) -> SourceAlias:
    return SourceAlias(
        source=source,
        spelling=spelling,
        spelling_key=hashlib.sha256(spelling.encode()).hexdigest(),
        canonical_key=key,
        first_seen_at=at,
    )


def _keep_versions(*, works: Sequence[Work], at: datetime) -> None:
    """Every state in which a file describes a work, as a version named by the hash of what it says."""
    versions = []
    for work in works:
        for record, row in zip(work.records, work.rows, strict=True):
            if row.record is None:
                continue
            told = entries.as_json(plain(record))
            written = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
            versions.append(
                SourceVersion(
                    source=_source_of(work),
                    origin=VersionOrigin.IMPORTED,
                    sha256=hashlib.sha256(written).hexdigest(),
                    record=told,
                    media_type="application/json",
                    byte_count=len(written),
                    title=record.title,
                    fetched_at=at,
                )
            )
    insert_rows(versions, ignore_conflicts=True)


def _tag(*, workspace_id: int, works: Sequence[Work]) -> None:
    wanted = {
        (_source_of(work).pk, name.strip()[:100])
        for work in works
        for record in work.records
        for name in record.tags
        if name.strip()
    }
    if not wanted:
        return
    names = sorted({name for _, name in wanted})
    Tag.objects.bulk_create([Tag(workspace_id=workspace_id, name=name) for name in names], ignore_conflicts=True)
    tags = dict(Tag.objects.filter(workspace_id=workspace_id, name__in=names).values_list("name", "pk"))
    through = Source.tags.through
    through.objects.bulk_create(
        [through(source_id=source_id, tag_id=tags[name]) for source_id, name in sorted(wanted)],
        ignore_conflicts=True,
        batch_size=_BATCH,
    )


def _tell_entered(arrived: Arrived, entered: places.Entered) -> None:
    new_ids = {source.pk for source in arrived.new_sources}
    for entry in entered.new_entries:
        after = {"source": entry.source_id, "number": entry.number, "new_source": entry.source_id in new_ids}
        arrived.facts.append(ChangeFacts(CatalogEntry._meta.label_lower, entry.pk, {}, after))
    arrived.new_entries += len(entered.new_entries)
    arrived.new_citations += entered.new_citations


def _is_rejected(work: Work) -> bool:
    """True for what a person rejected before, and for what the file itself rejects."""
    if any(record.rejected_because for record in work.records):
        return True
    return _source_of(work).decided == DecisionKind.DROP or any(row.action == RowAction.REJECTED for row in work.rows)


def _source_of(work: Work) -> Source:
    assert work.source is not None  # noqa: S101
    return work.source
