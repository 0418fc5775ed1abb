"""Impact over JSON: what would fall, letting it fall, taking that back, and the worklist."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from lineage import access
from lineage.api.asking import AskedRef, Key, NodeOut, OnePage, asker_for, doing
from lineage.core.asking import Asker
from lineage.core.causes import CauseKind, Outcome
from lineage.models import Cause
from lineage.queries import answers
from lineage.queries.causes import visible_causes
from lineage.queries.impact_notices import titles_of
from lineage.queries.listing import placed
from lineage.services import impact, worklist
from lineage.services.impact import What
from provenance_site.accounts.roles import Role
from provenance_site.accounts.token_requests import Problem

router = Router(tags=["lineage"])


class WhatIn(Schema):
    """What falls: a node by its ref, or what a transform or a configuration made."""

    ref: AskedRef | None = None
    transform: str = Field("", max_length=40)
    version: str = Field("", max_length=100)
    config_hash: str = Field("", max_length=64)


class FallIn(WhatIn):
    """The same, with why."""

    reason: str = Field(min_length=1, max_length=2_000)


class ReachedOut(Schema):
    """What it would make stale, as far as you may see."""

    total: int
    by_type: dict[str, int]
    released: list[NodeOut]


class CauseOut(Schema):
    """A cause that stands, or (`cleared_at`) was taken back."""

    cause: int
    kind: CauseKind
    reason: str
    at: datetime
    cleared_at: datetime | None


class WorklistIn(OnePage):
    """Which part of the worklist."""

    cause: Key | None = None
    mine: bool = False


class WaitingOut(Schema):
    """A node that waits, what is to be done and why."""

    impact: int
    node: NodeOut
    task: str
    cause: int
    why: str
    since: datetime
    owner: str | None


class WorklistOut(Schema):
    """A page of the worklist, released outputs first; `total` is exact."""

    total: int
    page: int
    pages: int
    waiting: list[WaitingOut]


class SettleIn(Schema):
    """What was done with rows of the worklist: `invalidated`, `dismissed` or `accepted`."""

    impacts: list[Key] = Field(min_length=1, max_length=10_000)
    outcome: Outcome
    reason: str = Field("", max_length=2_000)


class SettledOut(Schema):
    """How many rows were dealt with, and how many had been before."""

    settled: int
    already: int


@router.get(
    "/lineage/impact",
    response={200: ReachedOut, 404: Problem, 422: Problem},
    summary="What would fall",
    url_name="lineage-impact",
)
def preview(request: HttpRequest, wanted: Query[WhatIn]) -> Status[Any]:
    """What would become stale, by type, with the released outputs. Writes nothing."""
    asker = asker_for(request)
    try:
        what = _what(wanted, reason="", asker=asker)
    except impact.NothingNamed as nothing:
        return Status(422, {"detail": str(nothing)})
    found = impact.preview(what=what, asker=asker)
    return Status(200, answers.reached(by_type=found.by_type, released=found.released))


@router.post(
    "/lineage/impact",
    response={200: CauseOut, 404: Problem, 422: Problem},
    summary="Let something fall",
    url_name="lineage-impact",
)
def propagate(request: HttpRequest, given: FallIn) -> Status[Any]:
    """Records the cause and makes all that rests on it stale. Needs the role editor. Twice is one cause."""
    by, asker, at = doing(request, role=Role.EDITOR)
    try:
        what = _what(given, reason=given.reason, asker=asker)
    except impact.NothingNamed as nothing:
        return Status(422, {"detail": str(nothing)})
    return Status(200, _cause(impact.propagate(workspace_id=asker.workspace_id, what=what, by=by, at=at)))


@router.post(
    "/lineage/causes/{pk}/clear",
    response={200: CauseOut, 404: Problem},
    summary="Take a cause back",
    url_name="lineage-cause-clear",
)
def clear(request: HttpRequest, pk: int) -> dict[str, Any]:
    """Takes a cause back; what it alone made stale is as before. Needs the role editor. Twice is safe."""
    by, asker, at = doing(request, role=Role.EDITOR)
    found = get_object_or_404(visible_causes(asker), pk=pk)
    impact.clear(cause=found, by=by, at=at)
    return _cause(found)


@router.get("/lineage/worklist", response=WorklistOut, summary="What waits", url_name="lineage-worklist")
def waiting(request: HttpRequest, wanted: Query[WorklistIn]) -> dict[str, Any]:
    """What rests on something that fell and waits, released outputs first."""
    asker = asker_for(request)
    rows = worklist.waiting(asker)
    if wanted.cause is not None:
        rows = rows.filter(cause=wanted.cause)
    if wanted.mine:
        rows = rows.filter(entity__owner=asker.user_id)
    total = rows.count()
    page, pages = placed(wanted.page, total=total, per_page=wanted.per_page)
    kept = list(rows[(page - 1) * wanted.per_page : page * wanted.per_page])
    remarks = answers.remarks_of(row.entity for row in kept)
    titles = titles_of({row.cause_id: row.cause for row in kept}.values(), asker=asker)
    return {
        "total": total,
        "page": page,
        "pages": pages,
        "waiting": [
            {
                "impact": row.pk,
                "node": answers.node(row.entity, remarks=remarks),
                "task": worklist.task_for(row.entity.as_type).value,
                "cause": row.cause_id,
                "why": titles[row.cause_id],
                "since": row.at,
                "owner": row.entity.owner.get_username() if row.entity.owner else None,
            }
            for row in kept
        ],
    }


@router.post(
    "/lineage/worklist/settle",
    response={200: SettledOut, 422: Problem},
    summary="Deal with what waits",
    url_name="lineage-settle",
)
def settle(request: HttpRequest, given: SettleIn) -> Status[Any]:
    """Deals with rows by hand; what you may not see counts as not there. Needs the role editor. Twice is safe."""
    by, asker, at = doing(request)
    try:
        done = worklist.settle(
            impact_ids=given.impacts, outcome=given.outcome, reason=given.reason, asker=asker, by=by, at=at
        )
    except (worklist.ReasonMissing, worklist.NotByHand) as refused:
        return Status(422, {"detail": str(refused)})
    return Status(200, {"settled": done.settled, "already": done.already})


def _what(given: WhatIn, *, reason: str, asker: Asker) -> What:
    """What the request names. Raises `NoSuchEntity` and `NothingNamed`."""
    return What.named(
        reason=reason,
        entity=access.entity_at(given.ref, asker=asker) if given.ref is not None else None,
        transform=given.transform,
        version=given.version,
        config_hash=given.config_hash,
    )


def _cause(found: Cause) -> dict[str, Any]:
    return {
        "cause": found.pk,
        "kind": found.kind,
        "reason": found.reason,
        "at": found.at,
        "cleared_at": found.cleared_at,
    }
