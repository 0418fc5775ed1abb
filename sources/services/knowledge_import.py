"""What an import brings beside works: projects, concepts, observations and turns; `link_import` joins them.

Everything is found again by its uuid, or by what names it, so that the same file twice changes nothing. Each function
gives what it made, as facts for undo; the rows then say what they became (`object_id`).
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from uuid import UUID

from django.db import models
from django.utils import timezone

from provenance_site.accounts.models import User
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts, update_rows
from sources.core import chunking, citing
from sources.core.entries import (
    ConceptRecord,
    ObservationRecord,
    ProjectRecord,
    TurnRecord,
)
from sources.core.lines import one_line
from sources.models import (
    Concept,
    ImportBatch,
    ImportRow,
    Observation,
    Project,
    Session,
    Turn,
    TurnSource,
)
from sources.queries import known
from sources.services import observation_lineage
from sources.services import projects as project_services
from sources.services import turns as turn_services
from sources.services.batch_rows import objects_of, records_of

_BATCH = 500
_LONGEST = {"name": 200, "origin_host": 255, "user": 200, "lines": 50}


def projects(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> list[ChangeFacts]:
    """Makes the workspace's projects of these names where there are none."""
    made: list[Project] = []
    workspace_id = batch.project.workspace_id
    records = records_of(rows, ProjectRecord)
    names = {pk: one_line(record.name)[: project_services.MAX_NAME] for pk, record in records.items()}
    there = {
        project.name: project for project in Project.objects.filter(workspace_id=workspace_id, name__in=names.values())
    }
    free = _free_uuids(Project, (record.uuid for record in records.values()))
    for row in rows:
        record, name = records[row.pk], names[row.pk]
        if name and name not in there:
            project = Project.objects.create(
                workspace_id=workspace_id,
                name=name,
                firm=record.firm[:200],
                description=record.description,
                origin_host=record.origin_host[: _LONGEST["origin_host"]],
                created_at=_moment(record.created_at, or_else=at),
                created_by=by,
                **_own_uuid(record.uuid, free),
            )
            there[name] = project
            made.append(project)
        row.object_id = there[name].pk if name else None
    return _told(rows, made)


def concepts(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> list[ChangeFacts]:
    """Makes the workspace's concepts of these names where there are none."""
    made: list[Concept] = []
    workspace_id = batch.project.workspace_id
    records = records_of(rows, ConceptRecord)
    names = {record.name[:500] for record in records.values()}
    there = {concept.name: concept for concept in Concept.objects.filter(workspace_id=workspace_id, name__in=names)}
    free = _free_uuids(Concept, (record.uuid for record in records.values()))
    for row in rows:
        record = records[row.pk]
        name = record.name[:500]
        if name not in there:
            concept = Concept(
                workspace_id=workspace_id,
                name=name,
                description=record.description,
                identifier_type=record.identifier_type[:30],
                identifier_value=record.identifier_value[:500],
                origin_host=record.origin_host[: _LONGEST["origin_host"]],
                created_at=citing.moment(record.created_at, zone=UTC),
                **_own_uuid(record.uuid, free),
            )
            there[name] = concept
            made.append(concept)
    Concept.objects.bulk_create(made, batch_size=_BATCH)
    for row in rows:
        row.object_id = there[records[row.pk].name[:500]].pk
    return _told(rows, made)


def observations(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> list[ChangeFacts]:
    """Makes the observations that are not there yet, in the project that the file names, else in the batch's own."""
    records = records_of(rows, ObservationRecord)
    there = known.observations(workspace_id=batch.project.workspace_id, records=list(records.values()))
    homes = objects_of(batch, (record.project_ref for record in records.values()), kind="project")
    free = _free_uuids(Observation, (record.uuid for record in records.values()))
    found: dict[int, Observation] = {}
    made: list[Observation] = []
    for row in rows:
        record = records[row.pk]
        observation = there.get(id(record))
        if observation is None:
            observation = Observation(
                project_id=homes.get(record.project_ref, batch.project_id),
                kind=record.kind,
                body=record.body,
                source_doi=record.source_doi,
                origin_host=record.origin_host[: _LONGEST["origin_host"]],
                created_at=_moment(record.created_at, or_else=at),
                created_by=by,
                **_own_uuid(record.uuid, free),
            )
            made.append(observation)
        found[row.pk] = observation
    Observation.objects.bulk_create(made, batch_size=_BATCH)
    for row in rows:
        row.object_id = found[row.pk].pk
    observation_lineage.write_versions(workspace_id=batch.project.workspace_id, observations=made, at=at)
    _place(made)
    return _told(rows, made)


def turns(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> list[ChangeFacts]:
    """Makes the sessions and turns that are not there yet, with what each turn retrieved."""
    records = records_of(rows, TurnRecord)
    names = dict.fromkeys(record.session[: _LONGEST["name"]] for record in records.values())
    sessions = {
        name: Session.objects.get_or_create(project=batch.project, name=name, defaults={"imported_at": at})[0]
        for name in names
    }
    numbers = {(turn.session_id, turn.number): turn for turn in Turn.objects.filter(session__in=sessions.values())}
    made: list[Turn] = []
    retrieved: list[TurnSource] = []
    found: dict[int, Turn] = {}
    for row in rows:
        record = records[row.pk]
        session = sessions[record.session[: _LONGEST["name"]]]
        turn = numbers.get((session.pk, record.number))
        if turn is None:
            turn = Turn(
                session=session,
                number=record.number,
                user=record.user[: _LONGEST["user"]],
                started_at=_moment(record.started_at, zone=timezone.get_default_timezone(), or_else=at),
            )
            retrieved += _turn_sources(turn, record)
            numbers[session.pk, record.number] = turn
            made.append(turn)
        found[row.pk] = turn
    Turn.objects.bulk_create(made, batch_size=_BATCH)
    TurnSource.objects.bulk_create(retrieved, batch_size=_BATCH)
    for row in rows:
        row.object_id = found[row.pk].pk
    if made:
        turn_services.place(project=batch.project)
    return _told(rows, made)


def _place(made: Sequence[Observation]) -> None:
    """Puts new observations into the turns of their projects, where these have sessions."""
    for project in Project.objects.filter(observations__in=made, sessions__isnull=False).distinct():
        turn_services.place(project=project)


def _turn_sources(turn: Turn, record: TurnRecord) -> list[TurnSource]:
    found: list[TurnSource] = []
    for retrieval in record.retrievals:
        common = {
            "turn": turn,
            "store": chunking.store_name(retrieval.store)[: _LONGEST["name"]],
            "chunk_count": retrieval.chunk_count,
            "top_score": retrieval.top_score,
        }
        for source in retrieval.sources:
            told = {
                "path": source.source,
                "lines": source.lines[: _LONGEST["lines"]],
                "title": source.title,
                "locator": source.locator,
                "score": source.score,
            }
            found.append(TurnSource(position=len(found) + 1, **common, **told))
        if not retrieval.sources:
            found.append(TurnSource(position=len(found) + 1, **common))
    return found


def _free_uuids(model: type[models.Model], uuids: Iterable[str]) -> set[UUID]:
    """Those of the uuids that records bring which nobody has. One query per 500."""
    brought = {told for uuid in uuids if (told := known.uuid_of(uuid)) is not None}
    taken: set[UUID] = set()
    for part in in_parts(sorted(brought)):
        taken.update(model._default_manager.filter(uuid__in=part).values_list("uuid", flat=True))
    return brought - taken


def _own_uuid(uuid: str, free: set[UUID]) -> dict[str, object]:
    """The uuid that a record brings, where it is free; it is taken then."""
    brought = known.uuid_of(uuid)
    if brought is None or brought not in free:
        return {}
    free.remove(brought)
    return {"uuid": brought}


def _moment(written: str, *, zone: tzinfo = UTC, or_else: datetime) -> datetime:
    return citing.moment(written, zone=zone) or or_else


def _told(rows: Sequence[ImportRow], made: Sequence[models.Model]) -> list[ChangeFacts]:
    update_rows(rows, ["object_id"])
    return [ChangeFacts(type(one)._meta.label_lower, one.pk, {}, {"made": True}) for one in made]
