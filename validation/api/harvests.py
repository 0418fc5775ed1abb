"""Harvests over JSON: plan one, look at the plan and change it, run it, read what came of it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.core.decoding import NotText
from sources.core.lines import one_line
from sources.models import Project
from sources.services.staging import ImportRefused
from validation import dispatch
from validation.core.harvest_states import CandidateState, HarvestMode, HarvestState
from validation.core.harvest_tools import Tool
from validation.core.ports import Domains
from validation.core.query_plan import LONGEST_QUERY, MOST_QUERIES, PlannedQuery
from validation.core.routes import BadDomain, domains_in
from validation.models import Candidate, HarvestRun
from validation.queries.harvests import candidates_of, queries_of, standing_of
from validation.queries.readable_work import readable_work
from validation.services import harvest_plans, harvest_runs
from validation.services.harvest_plans import MOST_CALLS, MOST_CANDIDATES, Budget, PlanChanged, PlanRefused
from validation.services.harvest_runs import NothingToHarvest

router = Router(tags=["harvests"])


class BudgetIn(Schema):
    """What a harvest may spend."""

    calls: int = Field(100, ge=0, le=MOST_CALLS, description="One query to one search is a call.")
    candidates: int = Field(200, ge=1, le=MOST_CANDIDATES, description="Each is fetched and checked.")


class HarvestIn(BudgetIn):
    """What to plan from: the project's outline, or an analyst's list alone."""

    project: str = Field(min_length=1, max_length=200, description="Name of the project.")
    sections: list[str] = Field([], max_length=200, description="Slugs of the outline; none for all.")
    exclude: list[str] = Field([], max_length=20, description="Domains that nothing may be found on.")
    sources_md: str = Field("", max_length=1_000_000, description="A Sources.md: only what it lists, no search.")
    start: bool = Field(False, description="Start at once, without a look at the plan.")


class QueryIn(Schema):
    """One query of a plan."""

    section: str = Field(max_length=100, description="Slug of the section.")
    text: str = Field(min_length=1, max_length=LONGEST_QUERY)
    tools: list[Tool] = Field(min_length=1, max_length=len(Tool))
    include: list[str] = Field([], max_length=20)
    exclude: list[str] = Field([], max_length=20)
    why: str = Field("", max_length=300)


class PlanIn(BudgetIn):
    """The whole plan. `row_version` is that of the plan that was read: one that changed since is refused."""

    row_version: int = Field(ge=1)
    queries: list[QueryIn] = Field(max_length=MOST_QUERIES)


class SpendingOut(Schema):
    """What one search was asked. `cost` is an estimate in its own unit; `kept` were answered from before, for free."""

    tool: Tool
    calls: int
    kept: int
    failed: int
    unasked: int
    waiting: int
    hits: int
    cost: str


class HitOut(Schema):
    """Where a candidate was found. `tool` and `query` are '' for a list."""

    section: str
    tool: str
    query: str
    rank: int
    score: float | None


class CandidateOut(Schema):
    """What was found, and what became of it. `id` is its stable id once it is in the corpus."""

    url: str
    title: str
    state: CandidateState
    id: str
    verdict: str
    reason: str
    hits: list[HitOut]


class HarvestOut(Schema):
    """A harvest: its plan, what it has spent, and one page of what was found."""

    harvest: UUID
    harvest_url: str
    project: str
    mode: HarvestMode
    state: HarvestState
    row_version: int
    calls: int
    calls_spent: int
    candidates: int
    candidates_spent: int
    notes: list[str]
    queries: list[QueryIn]
    spending: list[SpendingOut]
    by_state: dict[str, int]
    found: list[CandidateOut]
    next_offset: int | None


class PageIn(Schema):
    """Which candidates."""

    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(100, ge=1, le=500)
    state: CandidateState | None = None


_FIRST = PageIn(offset=0, limit=100)
_PLANNED = {201: HarvestOut, 403: Problem, 404: Problem, 422: Problem}
_DEED = {200: HarvestOut, 403: Problem, 404: Problem, 409: Problem, 422: Problem}


@router.post("/harvests", response=_PLANNED, summary="Plan a harvest", url_name="harvests")
def plan_harvest(request: HttpRequest, given: HarvestIn) -> Status[Any]:
    """Plans a harvest from the outline, or from `sources_md` alone; nothing is asked unless `start` says so.

    201 with the plan; 422 where nothing can be planned. Needs the role curator. Twice plans twice; a search that was
    asked the same in the last week is not asked again.
    """
    token, at = token_of(request), datetime.now(UTC)
    project = get_object_or_404(
        Project.objects.select_related("workspace"), workspace_id=token.workspace_id, name=one_line(given.project)
    )
    try:
        with transaction.atomic():
            run = _planned(project, given, token=token, at=at)
            if given.start:
                run = dispatch.start_harvest(run=run, by=token.user, at=at)
    except (PlanRefused, NothingToHarvest, ImportRefused, NotText, BadDomain) as refused:
        return Status(422, {"detail": str(refused)})
    return Status(201, _out(_run_of(token, run.uuid), _FIRST))


@router.get("/harvests/{uuid}", response={200: HarvestOut, 404: Problem}, summary="Read a harvest", url_name="harvest")
def read_harvest(request: HttpRequest, uuid: UUID, page: Query[PageIn]) -> dict[str, Any]:
    """The plan, what was spent by search, and one page of what was found. `next_offset` is null on the last page."""
    return _out(_run_of(token_of(request), uuid), page)


@router.put("/harvests/{uuid}/plan", response=_DEED, summary="Change a plan", url_name="harvest-plan")
def change_plan(request: HttpRequest, uuid: UUID, given: PlanIn) -> Status[Any]:
    """Puts these queries and this budget in the place of the plan's. 409 where it was changed or started meanwhile."""
    token = token_of(request)
    try:
        harvest_plans.edit(
            run=_run_of(token, uuid),
            queries=[_query(one) for one in given.queries],
            budget=Budget(given.calls, given.candidates),
            seen=given.row_version,
            by=token.user,
            at=datetime.now(UTC),
        )
    except (PlanRefused, BadDomain) as refused:
        return Status(422, {"detail": str(refused)})
    except PlanChanged as changed:
        return Status(409, {"detail": str(changed)})
    return Status(200, _out(_run_of(token, uuid), _FIRST))


@router.post("/harvests/{uuid}/start", response=_DEED, summary="Start a harvest", url_name="harvest-start")
def start_harvest(request: HttpRequest, uuid: UUID) -> Status[Any]:
    """Starts a planned harvest; one that was started goes on as it is."""
    token = token_of(request)
    try:
        dispatch.start_harvest(run=_run_of(token, uuid), by=token.user, at=datetime.now(UTC))
    except NothingToHarvest as refused:
        return Status(422, {"detail": str(refused)})
    return Status(200, _out(_run_of(token, uuid), _FIRST))


@router.post("/harvests/{uuid}/cancel", response=_DEED, summary="Stop a harvest", url_name="harvest-cancel")
def cancel_harvest(request: HttpRequest, uuid: UUID) -> Status[Any]:
    """Stops a harvest; what is in the corpus stays. One that does not run stays as it is."""
    token = token_of(request)
    harvest_runs.cancel(run=_run_of(token, uuid), by=token.user, at=datetime.now(UTC))
    return Status(200, _out(_run_of(token, uuid), _FIRST))


@router.post("/harvests/{uuid}/resume", response=_DEED, summary="Take a harvest up", url_name="harvest-resume")
def resume_harvest(request: HttpRequest, uuid: UUID, given: BudgetIn) -> Status[Any]:
    """Tries what was not asked, not checked, or failed, under this budget. 422 where nothing is left."""
    token = token_of(request)
    try:
        dispatch.resume_harvest(
            run=_run_of(token, uuid),
            by=token.user,
            at=datetime.now(UTC),
            budget=Budget(given.calls, given.candidates),
        )
    except NothingToHarvest as refused:
        return Status(422, {"detail": str(refused)})
    return Status(200, _out(_run_of(token, uuid), _FIRST))


def _run_of(token: ApiToken, uuid: UUID) -> HarvestRun:
    runs = readable_work(HarvestRun.objects.all()).select_related("project__workspace")
    return get_object_or_404(runs, uuid=uuid, project__workspace_id=token.workspace_id)


def _planned(project: Project, given: HarvestIn, *, token: ApiToken, at: datetime) -> HarvestRun:
    budget = Budget(given.calls, given.candidates)
    if given.sources_md:
        data = given.sources_md.encode("utf-8", "surrogatepass")
        return harvest_plans.from_list(
            project=project, data=data, budget=budget, by=token.user, channel=Channel.API, at=at
        )
    return harvest_plans.from_outline(
        project=project,
        budget=budget,
        sections=given.sections,
        exclude=domains_in(" ".join(given.exclude)),
        by=token.user,
        at=at,
    )


def _query(given: QueryIn) -> PlannedQuery:
    domains = Domains(domains_in(" ".join(given.include)), domains_in(" ".join(given.exclude)))
    return PlannedQuery(given.section, given.text, tuple(given.tools), domains, given.why)


def _out(run: HarvestRun, page: PageIn) -> dict[str, Any]:
    standing = standing_of(run, at=datetime.now(UTC))
    rows = list(candidates_of(run, page.state)[page.offset : page.offset + page.limit + 1])
    return {
        "harvest": run.uuid,
        "harvest_url": reverse("api-1:harvest", args=[run.uuid]),
        "project": run.project.name,
        "mode": run.mode,
        "state": run.state,
        "row_version": run.row_version,
        "calls": run.call_budget,
        "calls_spent": run.calls_spent,
        "candidates": run.candidate_budget,
        "candidates_spent": run.candidates_spent,
        "notes": run.notes,
        "queries": [
            {
                "section": query.section.slug,
                "text": query.text,
                "tools": query.tools,
                "include": query.include,
                "exclude": query.exclude,
                "why": query.why,
            }
            for query in queries_of(run)
        ],
        "spending": [
            {
                "tool": one.tool,
                "calls": one.made,
                "kept": one.kept,
                "failed": one.failed,
                "unasked": one.unasked,
                "waiting": one.waiting,
                "hits": one.hits,
                "cost": one.cost,
            }
            for one in standing.spending
        ],
        "by_state": {state.value: number for state, number in standing.candidates.items()},
        "found": [_candidate(one) for one in rows[: page.limit]],
        "next_offset": page.offset + page.limit if len(rows) > page.limit else None,
    }


def _candidate(one: Candidate) -> dict[str, Any]:
    return {
        "url": one.url,
        "title": one.title,
        "state": one.state,
        "id": one.stable_id,
        "verdict": one.verdict,
        "reason": one.reason,
        "hits": [
            {
                "section": hit.section.slug,
                "tool": hit.call.tool if hit.call else "",
                "query": hit.call.query.text if hit.call else "",
                "rank": hit.rank,
                "score": hit.score,
            }
            for hit in one.hits.all()
        ],
    }
