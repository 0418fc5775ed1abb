"""Claims without a source over JSON: have sources searched, read candidates, pick one; hand in a corrected text."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.core.findings import Verdict
from sources.models import Draft, DraftVersion, Section
from sources.queries.drafts import version_of
from sources.queries.readable import readable
from sources.services import drafts
from sources.services.projects import SourceMerged
from validation import dispatch
from validation.core.harvest_states import CallState
from validation.core.source_requests import (
    CALLS,
    CANDIDATES,
    MOST_CALLS,
    MOST_CANDIDATES,
    RequestKind,
    RequestState,
)
from validation.models import HarvestRequest
from validation.queries.harvest_requests import candidates_of
from validation.queries.readable_work import readable_work
from validation.services import marker_resolution
from validation.services.marker_resolution import SearchBudget

router = Router(tags=["drafts"])


class MarkersIn(Schema):
    """Which claims of the draft's newest version want a source; none named: all that have a marker.

    `calls` and `candidates` are what the search for each may spend: questions to searches, pages that are checked.
    """

    claims: list[str] = Field([], max_length=500)
    calls: int = Field(CALLS, ge=0, le=MOST_CALLS)
    candidates: int = Field(CANDIDATES, ge=1, le=MOST_CANDIDATES)


class RequestCallOut(Schema):
    """One question to one search: `domains` that it was kept to, `why` it was asked so, and what came of it."""

    tool: str
    text: str
    domains: list[str]
    why: str
    state: CallState
    reason: str
    found: int


class RequestCandidateOut(Schema):
    """One address that may carry the claim. `score` is how well `passage` fits the claim, 0 to 1.

    `picked_as` is the stable id that it got, '' where it was not picked.
    """

    candidate: UUID
    url: str
    title: str
    tool: str
    query: str
    rank: int
    published: str
    verdict: Verdict
    reason: str
    may_be_picked: bool
    passage: str
    score: float
    picked_as: str


class SourceRequestOut(Schema):
    """A claim that wants a source, and what was found for it. `told` says which searches failed.

    `calls` is the budget of its newest search, `asked` whom it has asked what.
    """

    request: UUID
    request_url: str
    draft: str
    version: int
    kind: RequestKind
    claim: str
    url: str
    line: int
    query: str
    state: RequestState
    told: list[str]
    calls: int
    calls_spent: int
    asked: list[RequestCallOut]
    candidate_budget: int
    candidates: list[RequestCandidateOut]


class PickIn(Schema):
    """Which candidate, and the slug of the section whose corpus it joins ('': the section that the claim stands in)."""

    candidate: UUID
    section: str = Field("", max_length=100)


class CorrectIn(Schema):
    """The corrected text. `seen` is the number of the version it was made from; another one in between refuses it."""

    text: str = Field(min_length=1, max_length=2_000_000)
    seen: int | None = Field(None, ge=0)
    note: str = Field("", max_length=300)


class GatedVersionOut(Schema):
    """The draft's new version as the gate left it."""

    draft: str
    version: int
    text: str
    refused: int
    markers: int
    requests: list[SourceRequestOut]


_REFUSALS = (marker_resolution.PickRefused, drafts.DraftRefused, drafts.DraftChanged)


@router.post(
    "/drafts/{uuid}/source-requests",
    response={202: list[SourceRequestOut], 403: Problem, 404: Problem, 422: Problem},
    summary="Search sources for marked claims",
    url_name="draft-source-requests",
)
def ask(request: HttpRequest, uuid: UUID, given: MarkersIn) -> Status[Any]:
    """A request for each claim; workers search and check. Twice is safe: a claim keeps its request."""
    token = token_of(request)
    draft = _draft_for(token, uuid)
    version = version_of(draft)
    if version is None:
        return Status(422, {"detail": "The draft has no version yet. Give it a text first."})
    version.draft = draft
    try:
        made = dispatch.request_sources(
            version=version,
            claims=given.claims or None,
            by=token.user,
            at=datetime.now(UTC),
            budget=SearchBudget(given.calls, given.candidates),
        )
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return Status(202, [_told(one) for one in made])


@router.get(
    "/source-requests/{uuid}",
    response={200: SourceRequestOut, 404: Problem},
    summary="Read what was found for a claim",
    url_name="source-request",
)
def read(request: HttpRequest, uuid: UUID) -> dict[str, Any]:
    """The request with its candidates, those that may be picked first, then by score."""
    return _told(_request_for(token_of(request), uuid))


@router.post(
    "/source-requests/{uuid}/pick",
    response={200: GatedVersionOut, 403: Problem, 404: Problem, 409: Problem},
    summary="Choose a source for a claim",
    url_name="source-request-pick",
)
def pick(request: HttpRequest, uuid: UUID, given: PickIn) -> Any:
    """The source joins the corpus and the draft gets a new version that cites it. Needs the role curator.

    409 where it cannot be taken, with the reason; then nothing was written.
    """
    token = token_of(request)
    found = _request_for(token, uuid)
    candidates = readable_work(found.candidates.all()).select_related("request__draft__project__workspace")
    candidate = get_object_or_404(candidates, uuid=given.candidate)
    section = None
    if given.section:
        section = get_object_or_404(Section, project=found.draft.project, slug=given.section)
    try:
        version = marker_resolution.pick(
            candidate=candidate, section=section, by=token.user, channel=Channel.API, at=datetime.now(UTC)
        )
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    except _REFUSALS as refused:
        return Status(409, {"detail": str(refused)})
    except SourceMerged:
        return Status(409, {"detail": "The source was merged at the same moment. Choose it again."})
    return _version(version)


@router.post(
    "/drafts/{uuid}/corrections",
    response={200: GatedVersionOut, 403: Problem, 404: Problem, 409: Problem, 422: Problem},
    summary="Hand in a corrected text",
    url_name="draft-corrections",
)
def correct(request: HttpRequest, uuid: UUID, given: CorrectIn) -> Any:
    """The text passes the draft's gate as its next version; each link outside the corpus is a request, no citation."""
    token = token_of(request)
    draft = _draft_for(token, uuid)
    try:
        made = dispatch.correct(
            draft=draft,
            text=given.text,
            by=token.user,
            channel=Channel.API,
            at=datetime.now(UTC),
            seen=given.seen,
            note=given.note,
        )
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    except drafts.DraftChanged as refused:
        return Status(409, {"detail": str(refused)})
    except drafts.DraftRefused as refused:
        return Status(422, {"detail": str(refused)})
    return _version(made.version, requests=[_told(one) for one in made.requests])


def _draft_for(token: ApiToken, uuid: UUID) -> Draft:
    mine = (
        readable(Draft.objects.all())
        .filter(project__workspace_id=token.workspace_id)
        .select_related("project__workspace")
    )
    return get_object_or_404(mine, uuid=uuid)


def _request_for(token: ApiToken, uuid: UUID) -> HarvestRequest:
    mine = readable_work(HarvestRequest.objects.all()).filter(draft__project__workspace_id=token.workspace_id)
    return get_object_or_404(mine.select_related("draft__project__workspace", "version"), uuid=uuid)


def _version(version: DraftVersion, *, requests: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "draft": version.draft.name,
        "version": version.number,
        "text": version.gated_text,
        "refused": version.refused_count,
        "markers": version.marker_count,
        "requests": requests or [],
    }


def _told(found: HarvestRequest) -> dict[str, Any]:
    return {
        "request": found.uuid,
        "request_url": reverse("api-1:source-request", args=[found.uuid]),
        "draft": found.draft.name,
        "version": found.version.number,
        "kind": found.as_kind,
        "claim": found.claim,
        "url": found.url,
        "line": found.line,
        "query": found.query,
        "state": found.as_state,
        "told": found.told,
        "calls": found.call_budget,
        "calls_spent": found.calls_spent,
        "asked": found.asked,
        "candidate_budget": found.candidate_budget,
        "candidates": [
            {
                "candidate": one.uuid,
                "url": one.url,
                "title": one.title,
                "tool": one.tool,
                "query": one.query,
                "rank": one.rank,
                "published": one.published,
                "verdict": one.as_verdict,
                "reason": one.reason,
                "may_be_picked": one.may_be_picked,
                "passage": one.passage,
                "score": one.score,
                "picked_as": one.picked_id,
            }
            for one in candidates_of(found)
        ],
    }
