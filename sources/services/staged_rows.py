"""What an import would do with each entry of a file, decided a thousand at a time; the registry is only read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from sources.core import chunking, entries
from sources.core.credentials import without_credentials
from sources.core.entries import (
    ChunkRecord,
    ConceptRecord,
    Item,
    LinkRecord,
    ObservationRecord,
    ProjectRecord,
    Record,
    SourceRecord,
    TurnRecord,
)
from sources.core.kinds import Classification, DecisionKind, IdentifierType, RowAction
from sources.core.records import Identity, RowError
from sources.models import CatalogEntry, Decision, ImportBatch, ImportRow, Project, Source
from sources.queries import decisions, known
from sources.queries.readable import hidden_keys
from sources.services import metadata

RANKS = {"project": 0, "concept": 1, "source": 2, "observation": 3, "chunk": 4, "turn": 5, "link": 6}
_SHOWN = 500
_LONGEST_REF = 200
# What a row has columns for; a record that says nothing else needs not be kept whole.
_COLUMNS = frozenset({"line", "spelling", "identities", "title", "section", "status", "context", "warnings"})
# Of these a row says more than their name.
_TOLD_APART = frozenset({"author_list", "classification", "sensitivity"})


class RowMaker:
    """Makes the rows of one batch, chunk by chunk in the order of the file. Bounded queries a chunk."""

    def __init__(self, *, project: Project, batch: ImportBatch) -> None:
        self._project = project
        self._batch = batch

    def rows(self, items: Sequence[Item]) -> list[ImportRow]:
        """A row for each item. What an earlier chunk of the batch holds must have been written."""
        works = [item for item in items if isinstance(item, SourceRecord)]
        about = _About(project=self._project, batch=self._batch, records=works)
        others = known.others(
            project=self._project,
            records=[item for item in items if not isinstance(item, SourceRecord | RowError)],
        )
        return [self._row(item, about=about, others=others) for item in items]

    def _row(self, item: Item, *, about: "_About", others: Mapping[int, str]) -> ImportRow:
        match item:
            case RowError():
                return ImportRow(
                    batch=self._batch,
                    line=item.line,
                    action=RowAction.ERROR,
                    message=item.message,
                    spelling=item.spelling[:_SHOWN],
                )
            case SourceRecord():
                return about.row(item)
            case _:
                return self._other_row(item, message=others.get(id(item)))

    def _other_row(self, record: Record, *, message: str | None) -> ImportRow:
        kind = entries.name_of(record)
        spelling, title = _shown(record)
        return ImportRow(
            batch=self._batch,
            line=record.line,
            action=RowAction.NEW if message is None else RowAction.KNOWN,
            message=message or "",
            spelling=without_credentials(spelling)[:_SHOWN],
            title=without_credentials(title)[:_SHOWN],
            record_kind=kind,
            rank=RANKS[kind],
            ref=getattr(record, "ref", "")[:_LONGEST_REF],
            record=entries.as_json(record),
            canonical_key=chunking.document_key(record.store, record.source) if isinstance(record, ChunkRecord) else "",
        )


class _About:
    """What the registry and the batch know of the works of one chunk."""

    def __init__(self, *, project: Project, batch: ImportBatch, records: Sequence[SourceRecord]) -> None:
        self._batch = batch
        self._first_seen: dict[str, tuple[int, str]] = {}
        keys = {identity.key for record in records for identity in record.identities} - {""}
        self._matches = known.Matches(workspace_id=project.workspace_id, records=records, keys=keys)
        self._first_seen.update(known.in_batch(batch=batch, keys=keys))
        sources = self._matches.sources
        # What the person may not read is to them as if it were not here: the file's word is told as news.
        self._hidden = hidden_keys(Source, [*sources, *self._matches.alike_ids])
        self._entered = _stable_ids(project=project, source_ids=sources)
        dropped = [pk for pk, source in sources.items() if source.decided == DecisionKind.DROP]
        self._dropped: Mapping[int, Decision] = decisions.holding(dropped) if dropped else {}

    def row(self, record: SourceRecord) -> ImportRow:
        """The row of one work."""
        identity = entries.first_identity(record)
        action, message, source = self._judged(record)
        warnings = " ".join(record.warnings)
        return ImportRow(
            batch=self._batch,
            line=record.line,
            action=action,
            message=f"{message} {warnings}".strip(),
            spelling=record.spelling[:_SHOWN],
            identifier_type=identity.type,
            identifier_value=identity.value,
            canonical_key=identity.key,
            request_url=identity.request_url,
            title=record.title,
            section=record.section[:300],
            status=record.status,
            context=record.context,
            source=source,
            rank=RANKS["source"],
            ref=record.ref[:_LONGEST_REF],
            record=entries.as_json(record) if _says_more(record) else None,
        )

    def _judged(self, record: SourceRecord) -> tuple[RowAction, str, Source | None]:
        key = entries.first_identity(record).key
        if key and (first := self._first_seen.get(key)):
            line, spelling = first
            # The strictest word of a file holds, in whatever line it stands.
            told = _declared(record, None, {})
            if spelling == record.spelling[:_SHOWN]:
                return RowAction.REPEAT, f"Line {line} names it already. {told}".strip(), None
            message = f"Line {line} names it already as {spelling[:200]}"
            return RowAction.DUPLICATE, f"{message}. {told}" if told else message, None
        if key:
            self._first_seen[key] = (record.line, record.spelling[:_SHOWN])
        hits = [source for source in self._matches.hits(record) if source.pk not in self._hidden]
        if len(hits) > 1:
            names = " and ".join(f"“{str(source)[:100]}”" for source in hits[:3])
            message = f"Its identifiers are those of {len(hits)} sources, {names}: it joins none of them."
            return RowAction.POSSIBLE_DUPLICATE, message, hits[0]
        if hits:
            return self._known(record, hits[0])
        alike = self._matches.alike(record)
        if alike is not None and alike.pk not in self._hidden:
            message = "Title, year and first author are those of this source; both are kept, and shown as possibly one."
            return RowAction.POSSIBLE_DUPLICATE, message, alike
        return RowAction.NEW, _declared(record, None, {}), None

    def _known(self, record: SourceRecord, source: Source) -> tuple[RowAction, str, Source]:
        dropped = self._dropped.get(source.pk)
        if dropped is not None:
            reason = f"Rejected on {dropped.at:%Y-%m-%d} by {dropped.by} because {dropped.reason}"
            return RowAction.REJECTED, f"{reason.rstrip('.')}. It is not brought back.", source
        stable_id = self._entered.get(source.pk)
        place = f"In this project as {stable_id}." if stable_id else "In the registry; it is added to this project."
        missing = metadata.missing_of(source, metadata.values_of(record)) if _says_more(record) else {}
        told = _declared(record, source, missing)
        if record.retracted and not source.retracted:
            missing["retraction"] = True
        names = ", ".join(sorted(name.replace("_", " ") for name in missing if name not in _TOLD_APART))
        adds = f"Adds {names}." if names else ""
        message = " ".join(part for part in (place, adds, told) if part)
        return RowAction.UPDATE if missing else RowAction.KNOWN, message, source


def _declared(record: SourceRecord, source: Source | None, missing: Mapping[str, Any]) -> str:
    """What becomes of the file's word on who may see the work, and on whether it may be cited outside; '' where it has
    none, or changes nothing."""
    sentences = []
    told = record.classification
    # What every source begins as is no news.
    if told and source is None and told is not Classification.INTERNAL:
        sentences.append(f"The file declares it {told}.")
    elif told and source is not None and "classification" in missing:
        sentences.append(f"It becomes {told}, as the file says.")
    elif told and source is not None and metadata.is_stricter(source.classification, told):
        sentences.append(f"It stays {source.classification}: the file says {told}, and an import lowers nothing.")
    if "sensitivity" in missing:
        sentences.append("It becomes internal only, as the file says.")
    return " ".join(sentences)


def _says_more(record: SourceRecord) -> bool:
    """True where a record has more than a row has columns for."""
    return len(record.identities) > 1 or any(
        getattr(record, field.name) != field.default for field in fields(record) if field.name not in _COLUMNS
    )


def _stable_ids(*, project: Project, source_ids: Iterable[int]) -> dict[int, str]:
    wanted = list(source_ids)
    entered = CatalogEntry.objects.filter(project=project, source_id__in=wanted)
    return {entry.source_id: entry.stable_id for entry in entered}


def _shown(record: Record) -> tuple[str, str]:
    """What names a record that is no work, for a person: a short line and a title."""
    match record:
        case ProjectRecord():
            return f"project {record.name}", record.name
        case ConceptRecord():
            return f"concept {record.name}", record.name
        case ObservationRecord():
            return f"{record.kind}: {record.body[:200]}", record.body[:200]
        case ChunkRecord():
            lines = f":{record.start_line}" if record.start_line else ""
            return f"passage of {record.source or 'an unnamed document'}{lines} in {record.store}", record.source_title
        case TurnRecord():
            return f"turn {record.number} of {record.session}, {record.started_at}", ""
        case LinkRecord():
            how = f" ({record.relationship})" if record.relationship else ""
            return f"{record.from_ref} – {record.to_ref}{how}", ""
        case SourceRecord():
            return record.spelling, record.title


def plain(record: SourceRecord) -> SourceRecord:
    """The record without what only this file says of its place, for comparing and hashing what it says of the work."""
    return replace(record, line=0, spelling="", ref="", section="", context="", project_version="", warnings=())


def record_of(row: ImportRow) -> Record:
    """The record behind a row; for a plain reference what the row itself says."""
    told: dict[str, Any] | None = row.record
    if told is not None:
        return entries.from_json(told)
    identity = Identity(
        type=IdentifierType(row.identifier_type), value=row.identifier_value, request_url=row.request_url
    )
    return SourceRecord(
        line=row.line,
        spelling=row.spelling,
        identities=(identity,) if identity.key else (),
        title=row.title,
        section=row.section,
        context=row.context,
    )
