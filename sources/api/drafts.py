"""Drafts over JSON: begun, gated, reconciled, read."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.core.citations import Action, ChangeKind, Mode, RateDecision, Standing
from sources.core.drafting import DraftOrigin
from sources.models import Draft, DraftVersion, Project
from sources.queries.drafts import drafts_of, rate_of, version_of
from sources.queries.readable import readable
from sources.services import drafts, gating
from sources.services.drafts import MAX_NAME, MAX_TEXT, DraftChanged, DraftRefused

router = Router(tags=["writing"])


class DraftIn(Schema):
    """A draft with its first text, under a policy."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    text: str = Field(min_length=1, max_length=MAX_TEXT, description="Markdown that cites by [src-007].")
    mode: Mode = Mode.STRICT
    policy: dict[Standing, Action] = Field({}, description="Action by standing, where it is not the default.")


class VersionIn(Schema):
    """Another text of a draft. `seen` is the version it was made from; 409 where a newer is there."""

    text: str = Field(min_length=1, max_length=MAX_TEXT)
    note: str = Field("", max_length=300)
    seen: int | None = Field(None, ge=0)


class ReconcileIn(Schema):
    """Which version to reconcile (the newest without a number), and whether to keep what comes of it."""

    version: int | None = Field(None, ge=1)
    keep: bool = Field(False, description="True makes it the next version; false only tells what would change.")
    seen: int | None = Field(None, ge=0)


class PolicyIn(Schema):
    """The policy of a draft from its next version on."""

    mode: Mode
    policy: dict[Standing, Action] = {}


class ProblemOut(Schema):
    """What the gate found at a place of the text as given; line and column count from 1."""

    code: str
    severity: str
    line: int
    column: int
    end_column: int
    message: str
    id: str
    claim: str
    url: str = ""


class CitationOut(Schema):
    """A note of the gated text, and how often it is cited."""

    number: int
    id: str
    definition: str
    places: int


class ChangeOut(Schema):
    """What reconciling did to one citation."""

    kind: str
    line: int
    label: str
    before: str
    after: str
    reason: str


class RateOut(Schema):
    """The share of claims that carry a marker."""

    markers: int
    claims: int
    share: float
    decision: RateDecision


class VersionOut(Schema):
    """A version: the gated text, and everything that was said about it."""

    draft: UUID
    version: int
    origin: DraftOrigin
    sha256: str
    gated_text: str
    citations: list[CitationOut]
    problems: list[ProblemOut]
    changes: list[ChangeOut]
    markers: RateOut
    entity: str = Field(description="Its ref in lineage, for the release check.")
    created_at: datetime


class DraftOut(Schema):
    """A draft in brief; `version` is its newest, null before the first."""

    draft: UUID
    name: str
    mode: Mode
    policy: dict[str, str]
    version: int | None
    refused: int
    markers: int
    claims: int


class DraftsOut(Schema):
    """The drafts of a project, newest first."""

    drafts: list[DraftOut]


class ReconciledOut(Schema):
    """What reconciling changes, counted and listed, and the text that comes of it."""

    text: str
    counts: dict[ChangeKind, int]
    changes: list[ChangeOut]


class WantedIn(Schema):
    """Which version; the newest without a number."""

    version: int | None = Field(None, ge=1)


@router.get(
    "/projects/{uuid}/drafts", response={200: DraftsOut, 404: Problem}, summary="List drafts", url_name="drafts"
)
def list_drafts(request: HttpRequest, uuid: UUID) -> dict[str, Any]:
    """The project's drafts, each with the counts of its newest version."""
    project = get_object_or_404(Project, workspace_id=token_of(request).workspace_id, uuid=uuid)
    return {"drafts": [_brief(draft) for draft in drafts_of(project)[:500]]}


@router.post(
    "/projects/{uuid}/drafts",
    response={201: VersionOut, 404: Problem, 422: Problem},
    summary="Begin a draft",
    url_name="drafts",
)
def begin(request: HttpRequest, uuid: UUID, given: DraftIn) -> Status[Any]:
    """Puts a text through the gate as the first version of a new draft. Needs the role curator."""
    token = token_of(request)
    project = get_object_or_404(Project, workspace_id=token.workspace_id, uuid=uuid)
    try:
        version = drafts.begin(
            project=project,
            name=given.name,
            text=given.text,
            mode=given.mode,
            policy=given.policy,
            by=token.user,
            channel=Channel.API,
            at=datetime.now(UTC),
        )
    except DraftRefused as refused:
        return Status(422, {"detail": str(refused)})
    return Status(201, _version(version))


@router.get(
    "/drafts/{uuid}", response={200: VersionOut, 404: Problem}, summary="Read a version of a draft", url_name="draft"
)
def read(request: HttpRequest, uuid: UUID, wanted: Query[WantedIn]) -> dict[str, Any]:
    """The newest version, or the one of `version`, with its gated text, citations and problems."""
    return _version(_version_for(_draft_for(request, uuid), wanted.version))


@router.post(
    "/drafts/{uuid}/versions",
    response={201: VersionOut, 404: Problem, 409: Problem, 422: Problem},
    summary="Give another version",
    url_name="draft-versions",
)
def give(request: HttpRequest, uuid: UUID, given: VersionIn) -> Status[Any]:
    """Puts a text through the gate as the next version. Needs the role curator. The same text with the same outcome is
    the newest version again."""
    draft = _draft_for(request, uuid)
    try:
        version = drafts.add_version(
            draft=draft,
            text=given.text,
            note=given.note,
            seen=given.seen,
            by=token_of(request).user,
            channel=Channel.API,
            at=datetime.now(UTC),
        )
    except DraftRefused as refused:
        return Status(422, {"detail": str(refused)})
    except DraftChanged as changed:
        return Status(409, {"detail": str(changed)})
    return Status(201, _version(version))


@router.post(
    "/drafts/{uuid}/reconcile",
    response={200: ReconciledOut, 201: VersionOut, 404: Problem, 409: Problem, 422: Problem},
    summary="Reconcile a draft",
    url_name="draft-reconcile",
)
def reconcile(request: HttpRequest, uuid: UUID, given: ReconcileIn) -> Status[Any]:
    """Holds the citations of a text against the corpus. 200 tells what would change, 201 is the version that was kept,
    which needs the role curator."""
    version, at = _version_for(_draft_for(request, uuid), given.version), datetime.now(UTC)
    if not given.keep:
        told = gating.reconciled(draft=version.draft, text=version.text, at=at)
        counts = {kind: told.counts.get(kind, 0) for kind in ChangeKind}
        return Status(200, {"text": told.text, "counts": counts, "changes": gating.change_facts(told.changes)})
    try:
        made = drafts.reconcile(version=version, by=token_of(request).user, channel=Channel.API, at=at, seen=given.seen)
    except DraftRefused as refused:
        return Status(422, {"detail": str(refused)})
    except DraftChanged as changed:
        return Status(409, {"detail": str(changed)})
    return Status(201, _version(made))


@router.put(
    "/drafts/{uuid}/policy",
    response={200: PolicyIn, 404: Problem},
    summary="Put a draft under another policy",
    url_name="draft-policy",
)
def set_policy(request: HttpRequest, uuid: UUID, given: PolicyIn) -> dict[str, Any]:
    """The policy holds from the next version on. Needs the role curator; twice is safe."""
    row = drafts.set_policy(
        draft=_draft_for(request, uuid),
        mode=given.mode,
        policy=given.policy,
        by=token_of(request).user,
        channel=Channel.API,
        at=datetime.now(UTC),
    )
    return {"mode": row.mode, "policy": row.policy}


def _draft_for(request: HttpRequest, uuid: UUID) -> Draft:
    mine = readable(Draft.objects.all()).filter(project__workspace_id=token_of(request).workspace_id)
    return get_object_or_404(mine.select_related("project"), uuid=uuid)


def _version_for(draft: Draft, number: int | None) -> DraftVersion:
    version = version_of(draft, number)
    return version if version is not None else get_object_or_404(DraftVersion.objects.none())


def _brief(draft: Any) -> dict[str, Any]:
    """A row of `drafts_of`, with what it is annotated with."""
    return {
        "draft": draft.uuid,
        "name": draft.name,
        "mode": draft.mode,
        "policy": draft.policy,
        "version": draft.newest_number,
        "refused": draft.newest_refused or 0,
        "markers": draft.newest_markers or 0,
        "claims": draft.newest_claims or 0,
    }


def _version(version: DraftVersion) -> dict[str, Any]:
    rate = rate_of(version)
    return {
        "draft": version.draft.uuid,
        "version": version.number,
        "origin": version.origin,
        "sha256": version.sha256,
        "gated_text": version.gated_text,
        "citations": version.citations,
        "problems": version.problems,
        "changes": version.changes,
        "markers": {"markers": rate.markers, "claims": rate.claims, "share": rate.share, "decision": rate.decision},
        "entity": version.entity.ref if version.entity else "",
        "created_at": version.created_at,
    }
