"""Outlines and corpora over JSON: what sections ask, what they may cite, and the pack for a writer."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core import outline
from sources.core.citations import pack_json
from sources.core.outline import OutlineRefused, Part
from sources.models import CorpusEntry, Project, Section
from sources.queries.corpora import entries_of, item_of
from sources.queries.outlines import parts_of, state_of
from sources.queries.packs import Excerpts, pack_of
from sources.queries.readable import readable
from sources.services import corpus_from_catalog, corpus_rows, outlines
from sources.services.outlines import OutlineChanged

router = Router(tags=["writing"])


class PartIn(Schema):
    """A section of the text. `slug` names one that is there under another title."""

    title: str = Field(max_length=outline.MAX_TITLE)
    guiding_questions: list[str] = Field([], max_length=outline.MAX_LINES)
    preferred_sources: list[str] = Field([], max_length=outline.MAX_LINES, description="Domains, publishers and kinds.")
    slug: str = Field("", max_length=100)


class OutlineIn(Schema):
    """A whole outline: `sections`, or the same as YAML in `yaml`."""

    sections: list[PartIn] = Field([], max_length=outline.MAX_SECTIONS)
    yaml: str = Field("", max_length=outline.MAX_TEXT)
    state: str = Field("", max_length=64, description="The state that was read; another one is refused with 409.")


class OutlineOut(Schema):
    """The outline of a project; `state` marks what it says now."""

    project: UUID
    state: str
    sections: list[PartIn]


class CorpusIn(Schema):
    """Which corpus, and which page of it."""

    section: str = Field("", max_length=100, description="Slug of a section; all sections without it.")
    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(100, ge=1, le=500)


class CorpusRowOut(Schema):
    """A source of a corpus, in the fields of memo pipelines, with what stands against citing it."""

    id: str
    section: str
    source: UUID
    url: str
    canonical_url: str
    title: str
    fetched_at: datetime | None
    body_excerpt: str
    summary: str
    retrieval_query: str
    retrieval_tool: str
    rank: int | None
    score: float | None
    verdict: str
    access_note: str
    standing: list[str]


class CorpusOut(Schema):
    """One page of a corpus, in the order of ids."""

    total: int
    sources: list[CorpusRowOut]
    next_offset: int | None


class PackIn(Schema):
    """Which pack: `excerpts` is `asked` (what drafts ask for), `all` or `none`."""

    section: str = Field("", max_length=100)
    excerpts: Excerpts = Excerpts.ASKED


class TakeIn(Schema):
    """A section into whose corpus the project's kept sources are taken."""

    section: str = Field(min_length=1, max_length=100, description="Slug of the section.")


class TakenOut(Schema):
    """How many sources are new in the corpus."""

    taken: int


class RemoveIn(Schema):
    """A source to take out of the corpus of a section."""

    section: str = Field(min_length=1, max_length=100, description="Slug of the section.")
    id: str = Field(pattern=r"^src-[0-9]{3,9}$", description="Its stable id, which it keeps.")


@router.get(
    "/projects/{uuid}/outline",
    response={200: OutlineOut, 404: Problem},
    summary="Read an outline",
    url_name="outline",
)
def read_outline(request: HttpRequest, uuid: UUID) -> dict[str, Any]:
    """The sections of the project's text, in their order."""
    return _outline(_project_for(request, uuid))


@router.put(
    "/projects/{uuid}/outline",
    response={200: OutlineOut, 404: Problem, 409: Problem, 422: Problem},
    summary="Save an outline",
    url_name="outline",
)
def save_outline(request: HttpRequest, uuid: UUID, given: OutlineIn) -> Status[Any]:
    """Makes the outline these sections. Needs the role curator; twice is safe. 422 names the line of a fault."""
    project, token = _project_for(request, uuid), token_of(request)
    try:
        parts = outline.read(given.yaml) if given.yaml else [Part(**one.dict()) for one in given.sections]
        outlines.save(
            project=project,
            parts=parts,
            seen=given.state,
            by=token.user,
            channel=Channel.API,
            at=datetime.now(UTC),
        )
    except OutlineRefused as refused:
        return Status(422, {"detail": str(refused)})
    except OutlineChanged as changed:
        return Status(409, {"detail": str(changed)})
    return Status(200, _outline(project))


@router.get(
    "/projects/{uuid}/corpus",
    response={200: CorpusOut, 404: Problem},
    summary="Read a corpus",
    url_name="corpus",
)
def read_corpus(request: HttpRequest, uuid: UUID, wanted: Query[CorpusIn]) -> dict[str, Any]:
    """What the project, or one section, may cite. A source of two sections comes twice."""
    project = _project_for(request, uuid)
    rows = entries_of(project, _section_for(project, wanted.section))
    page = list(rows[wanted.offset : wanted.offset + wanted.limit + 1])
    at = datetime.now(UTC)
    return {
        "total": rows.count(),
        "sources": [_row(row, at=at) for row in page[: wanted.limit]],
        "next_offset": wanted.offset + wanted.limit if len(page) > wanted.limit else None,
    }


@router.get(
    "/projects/{uuid}/corpus/pack",
    response={200: dict[str, Any], 404: Problem},
    summary="Read the pack for a writer",
    url_name="corpus-pack",
)
def read_pack(request: HttpRequest, uuid: UUID, wanted: Query[PackIn]) -> dict[str, Any]:
    """Rules, ids, titles and summaries, with full excerpts where they are asked for. Internal sources only for
    curators."""
    project, token = _project_for(request, uuid), token_of(request)
    items, excerpts_for = pack_of(
        project=project,
        section=_section_for(project, wanted.section),
        excerpts=wanted.excerpts,
        with_internal=permissions.can_export_internal(token.user, token.workspace_id),
        at=datetime.now(UTC),
    )
    return pack_json(items, excerpts_for=excerpts_for)


@router.post(
    "/projects/{uuid}/corpus/take",
    response={200: TakenOut, 404: Problem},
    summary="Take the project's sources into a corpus",
    url_name="corpus-take",
)
def take_in(request: HttpRequest, uuid: UUID, given: TakeIn) -> dict[str, Any]:
    """Takes every source that is kept into the corpus of a section. Needs the role curator; twice is safe."""
    project, token = _project_for(request, uuid), token_of(request)
    section = get_object_or_404(Section, project=project, slug=given.section)
    taken = corpus_from_catalog.take_in(
        project=project, section=section, by=token.user, channel=Channel.API, at=datetime.now(UTC)
    )
    return {"taken": taken}


@router.post(
    "/projects/{uuid}/corpus/remove",
    response={204: None, 404: Problem},
    summary="Take a source out of a corpus",
    url_name="corpus-remove",
)
def remove(request: HttpRequest, uuid: UUID, given: RemoveIn) -> Status[Any]:
    """Takes a source out of the corpus of a section; it keeps its id. Needs the role curator."""
    project, token = _project_for(request, uuid), token_of(request)
    rows = readable(CorpusEntry.objects.all()).filter(entry__project=project, section__slug=given.section)
    number = int(given.id.removeprefix("src-"))
    row = get_object_or_404(rows.select_related("entry__project", "section"), entry__number=number)
    corpus_rows.remove(row=row, by=token.user, channel=Channel.API, at=datetime.now(UTC))
    return Status(204, None)


def _project_for(request: HttpRequest, uuid: UUID) -> Project:
    return get_object_or_404(Project, workspace_id=token_of(request).workspace_id, uuid=uuid)


def _section_for(project: Project, slug: str) -> Section | None:
    return get_object_or_404(Section, project=project, slug=slug) if slug else None


def _outline(project: Project) -> dict[str, Any]:
    parts = parts_of(project)
    return {"project": project.uuid, "state": state_of(parts), "sections": [_part(part) for part in parts]}


def _part(part: Part) -> dict[str, Any]:
    return {
        "title": part.title,
        "slug": part.slug,
        "guiding_questions": list(part.guiding_questions),
        "preferred_sources": list(part.preferred_sources),
    }


def _row(row: CorpusEntry, *, at: datetime) -> dict[str, Any]:
    item = item_of(row, at=at)
    return {
        "id": item.id,
        "section": item.section,
        "source": row.entry.source.uuid,
        "url": item.url,
        "canonical_url": item.canonical_url,
        "title": item.title,
        "fetched_at": row.fetched_at,
        "body_excerpt": row.excerpt,
        "summary": row.summary,
        "retrieval_query": row.retrieval_query,
        "retrieval_tool": row.retrieval_tool,
        "rank": row.rank,
        "score": row.score,
        "verdict": item.verdict,
        "access_note": item.access_note,
        "standing": sorted(item.standing),
    }
