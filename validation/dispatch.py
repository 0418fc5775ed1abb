"""Starts work: one transaction, one service call, and after the commit one message for each worker slot."""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from provenance_site.accounts.models import User
from provenance_site.jobs.states import JobState
from sources.models import Project
from validation import tasks
from validation.models import CheckRun, RetractionRequest, ShipCheck
from validation.services import retraction_requests, runs, ship_gate
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
