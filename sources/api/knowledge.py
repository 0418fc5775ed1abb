"""Observations and chunks over JSON: write down, cite, take documents in, read what must travel with a chunk."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.core.entries import ObservationKind, Relationship
from sources.core.payload import payload
from sources.core.retraction import RetractionStatus
from sources.models import Chunk, Observation, Project, Source
from sources.queries.chunks import provenance_of
from sources.queries.observations import ObservationFilter, identity_of, observations_of, whole
from sources.queries.readable import readable
from sources.queries.retraction_evidence import statuses_of
from sources.services import chunks, observation_links, observations
from sources.services.chunks import About
from sources.services.concepts import ConceptRefused
from sources.services.observations import Said

router = Router()


class RestsOnOut(Schema):
    """A source that an observation rests on."""

    source: UUID
    title: str
    identifier_type: str
    identifier_value: str
    url: str
    relationship: Relationship
    retracted: bool
    retraction_note: str
    retraction_status: str


class ObservationOut(Schema):
    """An observation with its sources; `number` is what the command line calls it."""

    observation: UUID
    number: int
    project: str
    kind: ObservationKind
    body: str
    concepts: list[str]
    created_at: datetime
    sources: list[RestsOnOut]


class ObservationsOut(Schema):
    """One page of observations, newest first; `next_offset` is null on the last one."""

    total: int
    observations: list[ObservationOut]
    next_offset: int | None


class ObservationsIn(Schema):
    """Which observations, and which page of them."""

    project: UUID | None = None
    kind: ObservationKind | None = None
    concept: str = Field("", max_length=500, description="Name of a concept.")
    q: str = Field("", max_length=500, description="Words that must all stand in the text.")
    retracted: bool = Field(False, description="Only those that rest on a retracted source.")
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(100, ge=1, le=500)


class ObserveIn(Schema):
    """An observation to write down, in a project that is there."""

    project: str = Field(min_length=1, max_length=200, description="Name of the project.")
    body: str = Field(min_length=1, max_length=observations.MAX_BODY)
    kind: ObservationKind = ObservationKind.NOTE
    concepts: list[str] = Field([], max_length=100, description="Names; new ones are made.")


class CiteIn(Schema):
    """A source that an observation rests on."""

    source: UUID
    relationship: Relationship = Relationship.CITED


class IngestIn(Schema):
    """A document for a store: its text, what it is known by, and what is said of it."""

    store: str = Field(min_length=1, max_length=200, description="Name of the store; made where there is none.")
    path: str = Field(min_length=1, max_length=4_000, description="Path or address; its ending says what kind it is.")
    text: str = Field(min_length=1, description="The whole text, at most 10 MB.")
    title: str = Field("", max_length=1_000, description="By default the stem of the path.")
    doi: str = Field("", max_length=2_000, description="It is written on every chunk of the document.")
    url: str = Field("", max_length=8_000)
    version: str = Field("", max_length=200)
    rights: str = Field("", max_length=1_000)


class IngestOut(Schema):
    """What the ingest did. `warning` is '' unless passages that others may have cached are old now."""

    store: int
    source: UUID | None
    added: int
    replaced: int
    removed: int
    unchanged: int
    warning: str


class ProvenanceOut(Schema):
    """The minimum provenance payload of a chunk. Every key is always there; '' and null mean unknown."""

    form: str
    identifiers: dict[str, Any]
    location: dict[str, Any]
    time: dict[str, Any]
    content_hash: dict[str, str]
    source_version: str
    rights: str
    standing: dict[str, Any]


@router.get(
    "/observations",
    response=ObservationsOut,
    summary="List observations",
    tags=["observations"],
    url_name="observations",
)
def list_observations(request: HttpRequest, wanted: Query[ObservationsIn]) -> dict[str, Any]:
    """The workspace's observations, newest first, with what they rest on."""
    by = ObservationFilter(
        words=wanted.q,
        project=wanted.project,
        kind=wanted.kind.value if wanted.kind else "",
        concept=wanted.concept,
        retracted=wanted.retracted,
    )
    rows = observations_of(workspace_id=token_of(request).workspace_id, by=by)
    total, end = rows.count(), wanted.offset + wanted.limit
    return {
        "total": total,
        "observations": _told(whole(rows)[wanted.offset : end]),
        "next_offset": end if end < total else None,
    }


@router.post(
    "/observations",
    response={201: ObservationOut, 404: Problem, 422: Problem},
    summary="Write an observation",
    tags=["observations"],
    url_name="observations",
)
def observe(request: HttpRequest, given: ObserveIn) -> Status[Any]:
    """Writes an observation into a project. Needs the role curator. Twice makes two observations."""
    token = token_of(request)
    project = get_object_or_404(Project, workspace_id=token.workspace_id, name=given.project)
    try:
        made = observations.add(
            project=project,
            said=Said(given.body, given.kind, given.concepts),
            by=token.user,
            channel=Channel.API,
            at=datetime.now(UTC),
        )
    except (observations.ObservationRefused, ConceptRefused) as refused:
        return Status(422, {"detail": str(refused)})
    return Status(201, _told(whole(readable(Observation.objects.all()).filter(pk=made.pk)))[0])


@router.post(
    "/observations/{uuid}/sources",
    response={200: ObservationOut, 404: Problem},
    summary="Cite a source",
    tags=["observations"],
    url_name="observation-sources",
)
def cite(request: HttpRequest, uuid: UUID, given: CiteIn) -> dict[str, Any]:
    """Links an observation to a source. Needs the role curator. Twice is safe."""
    token = token_of(request)
    mine = readable(Observation.objects.all()).filter(project__workspace_id=token.workspace_id)
    row = get_object_or_404(mine.select_related("project"), uuid=uuid)
    source = get_object_or_404(readable(Source.objects.all()), workspace_id=token.workspace_id, uuid=given.source)
    observation_links.link(
        observation=row,
        source=source,
        relationship=given.relationship,
        by=token.user,
        channel=Channel.API,
        at=datetime.now(UTC),
    )
    return _told(whole(mine).filter(pk=row.pk))[0]


@router.post(
    "/chunks",
    response={200: IngestOut, 422: Problem},
    summary="Take a document into a store",
    tags=["chunks"],
    url_name="chunks",
)
def ingest(request: HttpRequest, given: IngestIn) -> Status[Any]:
    """Cuts a text into passages and makes them the document's chunks.

    Unchanged ones are skipped, changed ones replaced, vanished ones removed. Needs the role curator. Twice is safe.
    """
    token = token_of(request)
    try:
        done = chunks.ingest_file(
            workspace_id=token.workspace_id,
            store=given.store,
            name=given.path,
            data=given.text.encode("utf-8", "surrogatepass"),
            about=About(given.title, given.doi, given.url, given.version, given.rights),
            by=token.user,
            channel=Channel.API,
            at=datetime.now(UTC),
        )
    except chunks.IngestRefused as refused:
        return Status(422, {"detail": f"{refused.field}: {refused}"})
    told = {
        "store": done.store.pk,
        "source": done.source.uuid if done.source else None,
        "added": done.added,
        "replaced": done.replaced,
        "removed": done.removed,
        "unchanged": done.unchanged,
        "warning": done.warning,
    }
    return Status(200, told)


@router.get(
    "/chunks/{pk}/provenance",
    response={200: ProvenanceOut, 404: Problem},
    summary="Read the provenance of a chunk",
    tags=["chunks"],
    url_name="chunk-provenance",
)
def read_provenance(request: HttpRequest, pk: int) -> dict[str, Any]:
    """What must travel with the chunk: identifiers and place, times and hash, version, rights, standing."""
    mine = readable(Chunk.objects.all()).filter(store__workspace_id=token_of(request).workspace_id)
    found = get_object_or_404(mine.select_related("store", "source", "version", "entity"), pk=pk)
    return payload(provenance_of(found))


def _told(rows: Iterable[Observation]) -> list[dict[str, Any]]:
    found = list(rows)
    sources = {link.source.pk: link.source.retracted for row in found for link in row.source_links.all()}
    statuses = statuses_of(sources)
    return [_observation(row, statuses) for row in found]


def _observation(row: Observation, statuses: Mapping[int, RetractionStatus]) -> dict[str, Any]:
    return {
        "observation": row.uuid,
        "number": row.pk,
        "project": row.project.name,
        "kind": row.kind,
        "body": row.body,
        "concepts": [concept.name for concept in row.concepts.all()],
        "created_at": row.created_at,
        "sources": [
            {
                "source": link.source.uuid,
                "title": link.source.title,
                "identifier_type": link.source.identifier_type,
                "identifier_value": link.source.identifier_value,
                "url": identity_of(link.source).link,
                "relationship": link.relationship,
                "retracted": link.source.retracted,
                "retraction_note": link.source.retraction_note,
                "retraction_status": statuses[link.source.pk].value,
            }
            for link in row.source_links.all()
        ],
    }
