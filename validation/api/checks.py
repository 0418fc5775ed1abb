"""Checks over JSON: hand in a list, read what came of it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.reading import limited
from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import RowAction
from sources.models import Check, ImportBatch, Project
from sources.queries.listings import link_of
from sources.services import importing, projects, staging
from validation import dispatch
from validation.models import CheckRun
from validation.queries.readable_runs import readable_runs
from validation.queries.report import gate_of_run
from validation.queries.runs import results_of, state_of
from validation.reports.run_json import ReportOut, document
from validation.services import runs
from validation.services.reporting import report_on
from validation.services.runs import Scope

router = Router(tags=["checks"])


class ValidateIn(Schema):
    """A list to check: one reference a line, or a Markdown draft."""

    project: str = Field(min_length=1, max_length=200, description="Name of the project; made where there is none.")
    text: str = Field(
        min_length=1, description="URLs, DOIs and other identifiers, one a line, or Markdown. At most 10 MB."
    )
    label: str = Field("", max_length=200, description="Name of this version of the text.")
    recheck: bool = Field(False, description="Ask about every source again, also where a verdict still holds.")


class Unreadable(Schema):
    """A line that was left out, and why."""

    line: int
    message: str
    spelling: str


class ValidateOut(Schema):
    """The list was taken in and its check was started."""

    run: UUID
    run_url: str
    new_sources: int | None = Field(description="null for whoever may not read everything in the workspace.")
    new_in_project: int | None
    unreadable: list[Unreadable]


class ResultOut(Schema):
    """One source of a run.

    `fresh_until`: until then a run takes this verdict for its answer; null for failures and fabricated patterns.
    `retry_at`: when it is checked again by itself, a failure or a page that is dead for now; null for all others.
    `is_final`: true for a dead page once enough checks over days agree, and for a fabricated pattern.
    """

    source: UUID
    title: str
    url: str
    verdict: Verdict
    cause: str
    disposition: Disposition
    checked_at: datetime
    fresh_until: datetime | None
    retry_at: datetime | None
    is_final: bool
    evidence: dict[str, Any]


class RunOut(Schema):
    """A run: how far it is, what it found so far, one page of results in the order they came.

    `known` of the done ones are answered by checks of the last days; their results come first.
    """

    run: UUID
    project: str
    state: str
    total: int
    done: int
    known: int
    by_verdict: dict[str, int]
    share_verified: str
    gate: str
    results: list[ResultOut]
    next_offset: int | None


class ReportIn(Schema):
    """Which sources a report tells of."""

    internal: bool = Field(
        False, description="Internal sources go in, and the report is not for others. Needs the role curator."
    )


class ProjectReportIn(ReportIn):
    """Which project, and which of its sources."""

    project: str = Field(min_length=1, max_length=200, description="Name of the project.")


class PageIn(Schema):
    """Which results."""

    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(100, ge=1, le=500)


@router.post(
    "/validate", response={202: ValidateOut, 409: Problem, 422: Problem}, summary="Check a list", url_name="validate"
)
def validate(request: HttpRequest, given: ValidateIn) -> Status[Any]:
    """Imports the list into the project and starts a check of the whole project.

    Sources whose verdict still holds are answered from it; `recheck` asks about all of them again.
    202 with the run's address; 422 where nothing could be imported; 409 while another check of the project goes on.
    Needs the role curator. Twice is safe: known sources are not entered again.
    """
    token, at = token_of(request), datetime.now(UTC)
    try:
        with transaction.atomic():  # a refused list leaves no new project behind, a busy project no half-taken list
            project = projects.named(workspace_id=token.workspace_id, name=given.project, by=token.user, at=at)
            data = given.text.encode("utf-8", "surrogatepass")
            batch = staging.stage(project=project, data=data, label=given.label, by=token.user, at=at)
            staging.check_readable(batch)
            result = importing.commit(batch=batch, by=token.user, channel=Channel.API, at=at)
            scope = Scope.EVERYTHING if given.recheck else Scope.ALL
            run = dispatch.start_run(project=project, scope=scope, by=token.user, at=at)
    except (projects.NameRefused, staging.ImportRefused, runs.NothingToCheck) as refused:
        return Status(422, {"detail": str(refused)})
    except importing.Overtaken as overtaken:
        return Status(409, {"detail": str(overtaken)})
    except runs.AlreadyRunning as already:
        return Status(409, {"detail": f"{already} Read it at {_run_url(already.run)}, then try again."})
    taken_in = {
        "run": run.job.uuid,
        "run_url": _run_url(run),
        # How many were known already would tell of sources that the token's person may not read.
        "new_sources": result.new_sources if limited() is None else None,
        "new_in_project": result.new_entries if limited() is None else None,
        "unreadable": _unreadable(batch),
    }
    return Status(202, taken_in)


@router.get("/runs/{uuid}", response={200: RunOut, 404: Problem}, summary="Read a run", url_name="run")
def read_run(request: HttpRequest, uuid: UUID, page: Query[PageIn]) -> dict[str, Any]:
    """How far the run is, and one page of its results, oldest first. `next_offset` is null on the last page so far."""
    token = token_of(request)
    run = get_object_or_404(
        readable_runs(CheckRun.objects.select_related("job", "project")),
        job__uuid=uuid,
        project__workspace_id=token.workspace_id,
    )
    state, gate = state_of(run, at=datetime.now(UTC)), gate_of_run(run)
    results, next_offset = results_of(run, offset=page.offset, limit=page.limit)
    return {
        "run": run.job.uuid,
        "project": run.project.name,
        "state": run.job.state,
        "total": state.progress.total,
        "done": state.progress.done,
        "known": state.progress.known,
        "by_verdict": {verdict.value: number for verdict, number in state.by_verdict.items()},
        "share_verified": gate.percent,
        "gate": gate.decision.value,
        "results": [_result(check) for check in results],
        "next_offset": next_offset,
    }


@router.get(
    "/runs/{uuid}/report",
    response={200: ReportOut, 403: Problem, 404: Problem},
    summary="Read the report on a run",
    url_name="run-report",
)
def read_report(request: HttpRequest, uuid: UUID, wanted: Query[ReportIn]) -> Any:
    """What came of the run, list by list, and the ship gate: what the run's report says as a JSON file.

    The run's own verdicts, with the decisions of people that hold by now. Internal sources are left out and counted in
    `left_out`; `internal` takes them along.
    """
    token = token_of(request)
    run = get_object_or_404(
        readable_runs(CheckRun.objects.select_related("job", "project")),
        job__uuid=uuid,
        project__workspace_id=token.workspace_id,
    )
    return _report(run, token, internal=wanted.internal)


@router.get(
    "/report",
    response={200: ReportOut, 403: Problem, 404: Problem},
    summary="Read the report on a project",
    url_name="project-report",
)
def read_project_report(request: HttpRequest, wanted: Query[ProjectReportIn]) -> Any:
    """Where the project stands by the newest verdict of each source, list by list, and the ship gate.

    Internal sources as in the report on a run.
    """
    token = token_of(request)
    projects_here = Project.objects.select_related("workspace")
    project = get_object_or_404(projects_here, workspace_id=token.workspace_id, name=wanted.project)
    return _report(project, token, internal=wanted.internal)


def _report(of: Project | CheckRun, token: ApiToken, *, internal: bool) -> ReportOut | Status[Any]:
    try:
        return document(report_on(of=of, by=token.user, internal=internal))
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})


def _result(check: Check) -> dict[str, Any]:
    source = check.source
    return {
        "source": source.uuid,
        "title": source.title,
        "url": source.request_url or link_of(source),
        "verdict": check.verdict,
        "cause": check.cause,
        "disposition": source.disposition,
        "checked_at": check.at,
        "fresh_until": source.fresh_until,
        "retry_at": source.retry_at,
        "is_final": source.is_final,
        "evidence": check.evidence,
    }


def _unreadable(batch: ImportBatch) -> list[dict[str, Any]]:
    rows = batch.rows.filter(action=RowAction.ERROR).order_by("line")[:1000]
    return [{"line": row.line, "message": row.message, "spelling": row.spelling} for row in rows]


def _run_url(run: CheckRun) -> str:
    return reverse("api-1:run", args=[run.job.uuid])
