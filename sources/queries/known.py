"""What the registry already holds of the entries of a file: bounded queries for a thousand of them at a time."""

import uuid as uuids
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from typing import TypeVar

from provenance_site.kit.rows import in_parts
from sources.core import citing
from sources.core.entries import (
    ChunkRecord,
    ConceptRecord,
    ObservationRecord,
    ProjectRecord,
    Record,
    SourceRecord,
    TurnRecord,
)
from sources.core.fingerprint import fingerprint
from sources.core.kinds import IdentifierType
from sources.models import Chunk, Concept, ImportBatch, ImportRow, Observation, Project, Source, SourceAlias, Turn
from sources.queries.readable import hidden_keys, readable

T = TypeVar("T")


def sources_by_key(*, workspace_id: int, keys: Iterable[str]) -> dict[str, Source]:
    """The sources that go by these canonical keys, their own or an alias's; a merged one's is that it went into.

    Two queries per 500 keys, and one for each step of a chain of mergers.
    """
    found: dict[str, Source] = {}
    for part in in_parts(sorted(set(keys) - {""})):
        for source in Source.objects.select_related("entity").filter(workspace_id=workspace_id, canonical_key__in=part):
            found[source.canonical_key] = source
        aliases = SourceAlias.objects.filter(workspace_id=workspace_id, canonical_key__in=part)
        for alias in aliases.select_related("source__entity"):
            found.setdefault(alias.canonical_key, alias.source)
    return standing_for(found)


def standing_for(found: Mapping[T, Source]) -> dict[T, Source]:
    """The same with each merged source replaced by the one that it was merged into, however many steps away."""
    led = dict(found)
    while merged := {source.merged_into_id for source in led.values() if source.merged_into_id is not None}:
        winners = Source.objects.select_related("entity").in_bulk(merged)
        led = {key: winners[source.merged_into_id] if source.merged_into_id else source for key, source in led.items()}
    return led


class Matches:
    """Which sources of a workspace the records of one chunk mean."""

    def __init__(self, *, workspace_id: int, records: Sequence[SourceRecord], keys: Iterable[str]) -> None:
        self._by_key = sources_by_key(workspace_id=workspace_id, keys=keys)
        self._by_uuid = _by_uuid(workspace_id=workspace_id, records=records)
        self._untraceable = _untraceable(workspace_id=workspace_id, records=records)
        self._alike = _alike(workspace_id=workspace_id, records=records)

    @property
    def sources(self) -> dict[int, Source]:
        """All of them by key."""
        found = [*self._by_key.values(), *self._by_uuid.values(), *self._untraceable.values()]
        return {source.pk: source for source in found}

    @property
    def alike_ids(self) -> list[int]:
        """The keys of those that only look the same."""
        return [source.pk for source in self._alike.values()]

    def hits(self, record: SourceRecord) -> list[Source]:
        """The distinct sources that the record's identifiers or uuid name, in the order of its identifiers.

        A record without any is the source without identifier that says the same title, date and authors.
        """
        found: dict[int, Source] = {}
        for identity in record.identities:
            if source := self._by_key.get(identity.key):
                found[source.pk] = source
        if not found and (source := self._by_uuid.get(record.uuid.lower())):
            found[source.pk] = source
        if not found and not record.identities and (source := self._untraceable.get(words_of(record))):
            found[source.pk] = source
        return list(found.values())

    def alike(self, record: SourceRecord) -> Source | None:
        """A source with the same title, year and first author; None where there is none."""
        return self._alike.get(fingerprint_of(record))


def words_of(record: SourceRecord) -> tuple[str, str, str]:
    """What tells one work without identifier from another: title, date and authors as text."""
    people = record.authors or record.editors
    return record.title, record.published_date, "; ".join(str(person) for person in people)


def fingerprint_of(record: SourceRecord) -> str:
    """The fingerprint of what the record says."""
    people = record.authors or record.editors
    first = people[0].family if people else ""
    return fingerprint(title=record.title, published_date=record.published_date, first_author=first)


def in_batch(*, batch: ImportBatch, keys: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Line and spelling of the first row of the batch that names each key. One query per 500 keys."""
    found: dict[str, tuple[int, str]] = {}
    for part in in_parts(sorted(set(keys) - {""})):
        rows = ImportRow.objects.filter(batch=batch, canonical_key__in=part, record_kind="source").order_by("-position")
        for key, line, spelling in rows.values_list("canonical_key", "line", "spelling"):
            found[key] = (line, spelling)
    return found


def others(*, project: Project, records: Sequence[Record]) -> dict[int, str]:
    """Of records that are no works those that are known where `project` is, by `id(record)`, with a sentence. Sessions
    are known by project, all else by workspace. A query or two a kind."""
    by_kind: dict[type, list[Record]] = defaultdict(list)
    for record in records:
        by_kind[type(record)].append(record)
    told: dict[int, str] = {}
    for kind, of_kind in by_kind.items():
        if kind in _KNOWN:
            told |= _KNOWN[kind](project, of_kind)
    return told


def _by_uuid(*, workspace_id: int, records: Sequence[SourceRecord]) -> dict[str, Source]:
    wanted = [told for record in records if (told := uuid_of(record.uuid)) is not None]
    found: dict[str, Source] = {}
    for part in in_parts(wanted):
        for source in Source.objects.select_related("entity").filter(workspace_id=workspace_id, uuid__in=part):
            found[str(source.uuid)] = source
    return standing_for(found)


def _untraceable(*, workspace_id: int, records: Sequence[SourceRecord]) -> dict[tuple[str, str, str], Source]:
    titles = sorted({record.title for record in records if not record.identities and record.title})
    found: dict[tuple[str, str, str], Source] = {}
    for part in in_parts(titles):
        rows = Source.objects.select_related("entity").filter(
            workspace_id=workspace_id, identifier_type=IdentifierType.NONE, title__in=part
        )
        for source in rows.order_by("-pk"):
            found[source.title, source.published_date, source.authors] = source
    return standing_for(found)


def _alike(*, workspace_id: int, records: Sequence[SourceRecord]) -> dict[str, Source]:
    wanted = sorted({fingerprint_of(record) for record in records} - {""})
    found: dict[str, Source] = {}
    for part in in_parts(wanted):
        rows = Source.objects.standing().filter(workspace_id=workspace_id, fingerprint__in=part)
        for source in rows.order_by("-pk"):
            found[source.fingerprint] = source
    return found


def _known_projects(here: Project, records: Sequence[Record]) -> dict[int, str]:
    names = {record.name for record in records if isinstance(record, ProjectRecord)}
    there = set(Project.objects.filter(workspace_id=here.workspace_id, name__in=names).values_list("name", flat=True))
    return {
        id(record): "There is a project of this name; what belongs to it is added there."
        for record in records
        if isinstance(record, ProjectRecord) and record.name in there
    }


def _known_concepts(here: Project, records: Sequence[Record]) -> dict[int, str]:
    names = {record.name for record in records if isinstance(record, ConceptRecord)}
    there = set(Concept.objects.filter(workspace_id=here.workspace_id, name__in=names).values_list("name", flat=True))
    return {
        id(record): "There is a concept of this name."
        for record in records
        if isinstance(record, ConceptRecord) and record.name in there
    }


def _known_observations(here: Project, records: Sequence[Record]) -> dict[int, str]:
    found = observations(
        workspace_id=here.workspace_id, records=[one for one in records if isinstance(one, ObservationRecord)]
    )
    hidden = hidden_keys(Observation, {one.pk for one in found.values()})
    return {key: "This observation is there already." for key, one in found.items() if one.pk not in hidden}


def observations(*, workspace_id: int, records: Sequence[ObservationRecord]) -> dict[int, Observation]:
    """The observations that these records are, by `id(record)`: the same uuid, else the same moment and words; where a
    record has neither uuid nor moment, the first of the same words."""
    here = Observation.objects.filter(project__workspace_id=workspace_id)
    moments = {id(record): citing.moment(record.created_at, zone=UTC) for record in records}
    uuids_wanted = {id(record): uuid_of(record.uuid) for record in records}
    by_uuid = {one.uuid: one for one in here.filter(uuid__in=[uuid for uuid in uuids_wanted.values() if uuid])}
    by_words = {
        (one.created_at, one.body): one
        for one in here.filter(created_at__in={moment for moment in moments.values() if moment})
    }
    undated = {one.body for one in records if not moments[id(one)] and not uuids_wanted[id(one)]}
    by_body = {
        one.body: one for part in in_parts(sorted(undated)) for one in here.filter(body__in=part).order_by("-pk")
    }
    found: dict[int, Observation] = {}
    for record in records:
        uuid, moment = uuids_wanted[id(record)], moments[id(record)]
        one = by_uuid.get(uuid) if uuid else None
        if one is None and moment:
            one = by_words.get((moment, record.body))
        if one is None and not moment and not uuid:
            one = by_body.get(record.body)
        if one is not None:
            found[id(record)] = one
    return found


def _known_chunks(here: Project, records: Sequence[Record]) -> dict[int, str]:
    chunks = [record for record in records if isinstance(record, ChunkRecord)]
    there = set(
        readable(Chunk.objects.all())
        .filter(
            store__workspace_id=here.workspace_id,
            store__name__in={chunk.store for chunk in chunks},
            content_hash__in=[chunk.content_hash for chunk in chunks],
        )
        .values_list("store__name", "path", "content_hash")
    )
    return {id(chunk): "Unchanged." for chunk in chunks if (chunk.store, chunk.source, chunk.content_hash) in there}


def _known_turns(here: Project, records: Sequence[Record]) -> dict[int, str]:
    turns = [record for record in records if isinstance(record, TurnRecord)]
    there = set(
        Turn.objects.filter(session__project=here, session__name__in={turn.session for turn in turns}).values_list(
            "session__name", "number"
        )
    )
    return {id(turn): "This turn is there already." for turn in turns if (turn.session, turn.number) in there}


_KNOWN = {
    ProjectRecord: _known_projects,
    ConceptRecord: _known_concepts,
    ObservationRecord: _known_observations,
    ChunkRecord: _known_chunks,
    TurnRecord: _known_turns,
}


def uuid_of(text: str) -> uuids.UUID | None:
    """The UUID that `text` spells; None for anything else."""
    try:
        return uuids.UUID(text)
    except ValueError:
        return None
