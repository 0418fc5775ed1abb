"""Starts work: one transaction, one service call, and after the commit one message for each worker slot."""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from provenance_site.jobs.states import JobState
from sources.models import Draft, DraftVersion, Project
from validation import tasks
from validation.models import CheckRun, HarvestRequest, HarvestRun, RetractionRequest, ShipCheck
from validation.services import corrections, harvest_runs, marker_resolution, retraction_requests, runs, ship_gate
from validation.services.corrections import Corrected
from validation.services.harvest_plans import Budget
from validation.services.marker_resolution import SearchBudget
from validation.services.runs import Scope
from validation.services.ship_gate import Document

log = logging.getLogger(__name__)


def start_run(*, project: Project, scope: Scope, by: User, at: datetime) -> CheckRun:
    """Starts a run and wakes the workers where it has something to ask; see `services.runs.start`."""
    with transaction.atomic():
        run = runs.start(project=project, scope=scope, by=by, at=at)
        if run.job.state == JobState.RUNNING:
            transaction.on_commit(partial(_wake, slots=settings.WORKER_SLOTS))
    return run


def check_again(*, project: Project, source_ids: Sequence[int], by: User, at: datetime) -> CheckRun:
    """Starts a run over chosen sources of a project and wakes the workers; see `services.runs.again`."""
    with transaction.atomic():
        run = runs.again(project=project, source_ids=source_ids, by=by, at=at)
        transaction.on_commit(partial(_wake, slots=settings.WORKER_SLOTS))
    return run


def check_retractions(
    *, workspace_id: int, text: str, project_id: int | None, source_ids: Sequence[int], by: User, at: datetime
) -> RetractionRequest:
    """Asks for a check of retractions and wakes a worker: of a text, else of a project, else of sources.

    See `services.retraction_requests`, whose NothingToAsk it raises.
    """
    with transaction.atomic():
        if text:
            request = retraction_requests.of_text(workspace_id=workspace_id, text=text, by=by, at=at)
        elif project_id is not None:
            request = retraction_requests.of_project(project_id=project_id, workspace_id=workspace_id, by=by, at=at)
        else:
            request = retraction_requests.of_sources(workspace_id=workspace_id, source_ids=source_ids, by=by, at=at)
        transaction.on_commit(_wake_for_retractions)
    return request


def start_ship_check(*, project: Project, document: Document, by: User, at: datetime) -> ShipCheck:
    """Begins a ship check and wakes a worker for its links; see `services.ship_gate.start`."""
    with transaction.atomic():
        check = ship_gate.start(project=project, document=document, by=by, at=at)
        if check.job.state == JobState.RUNNING:
            transaction.on_commit(_wake_for_ship_checks)
    return check


def _wake_for_ship_checks() -> None:
    """A broker that is down is no failure of the check: the sweeper finds its links when it is back."""
    try:
        tasks.work_on_ship_checks.apply_async(retry=False)
    except OperationalError:
        log.warning("The broker does not answer; the ship check starts when it is back.")


def request_sources(
    *,
    version: DraftVersion,
    claims: Collection[str] | None = None,
    by: User,
    at: datetime,
    budget: SearchBudget | None = None,
) -> list[HarvestRequest]:
    """Asks for sources for markers and wakes a worker; see `services.marker_resolution.request_sources`."""
    with transaction.atomic():
        requests = marker_resolution.request_sources(version=version, claims=claims, by=by, at=at, budget=budget)
        transaction.on_commit(_wake_for_requests)
    return requests


def search_again(*, request: HarvestRequest, by: User, at: datetime, budget: SearchBudget | None = None) -> None:
    """Has a request searched anew and wakes a worker; see `services.marker_resolution.search_again`."""
    with transaction.atomic():
        marker_resolution.search_again(request=request, by=by, at=at, budget=budget)
        transaction.on_commit(_wake_for_requests)


def correct(
    *, draft: Draft, text: str, by: User, channel: Channel, at: datetime, seen: int | None = None, note: str = ""
) -> Corrected:
    """Takes a corrected text in and wakes a worker for its new links; see `services.corrections.correct`."""
    with transaction.atomic():
        corrected = corrections.correct(draft=draft, text=text, by=by, channel=channel, at=at, seen=seen, note=note)
        if corrected.requests:
            transaction.on_commit(_wake_for_requests)
    return corrected


def _wake_for_requests() -> None:
    """A broker that is down is no failure of the request: the sweeper finds its row when it is back."""
    try:
        tasks.work_on_harvest_requests.apply_async(retry=False)
    except OperationalError:
        log.warning("The broker does not answer; the search for sources starts when it is back.")


def start_harvest(*, run: HarvestRun, by: User, at: datetime) -> HarvestRun:
    """Starts a planned harvest and wakes the workers; see `services.harvest_runs.start`."""
    with transaction.atomic():
        started = harvest_runs.start(run=run, by=by, at=at)
        transaction.on_commit(_wake_for_harvests)
    return started


def resume_harvest(*, run: HarvestRun, by: User, at: datetime, budget: Budget | None = None) -> HarvestRun:
    """Takes a harvest up again and wakes the workers; see `services.harvest_runs.resume`."""
    with transaction.atomic():
        resumed = harvest_runs.resume(run=run, by=by, at=at, budget=budget)
        transaction.on_commit(_wake_for_harvests)
    return resumed


def _wake_for_harvests() -> None:
    """A broker that is down is no failure of the harvest: the sweeper finds its rows when it is back."""
    try:
        for _ in range(settings.WORKER_SLOTS):
            tasks.work_on_harvests.apply_async(retry=False)
    except OperationalError:
        log.warning("The broker does not answer; the harvest starts when it is back.")


def _wake_for_retractions() -> None:
    """A broker that is down is no failure of the request: the sweeper finds its row when it is back."""
    try:
        tasks.work_on_retraction_requests.apply_async(retry=False)
    except OperationalError:
        log.warning("The broker does not answer; the check of retractions starts when it is back.")


def _wake(*, slots: int) -> None:
    """A broker that is down is no failure of the run: the sweeper finds its rows when it is back."""
    try:
        for _ in range(slots):
            tasks.work.apply_async(retry=False)
    except OperationalError:
        log.warning("The broker does not answer; the run starts when it is back.")
