"""Runs of checks over a project: started, cancelled. The work itself is `validation.services.work`."""

from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import QuerySet

from provenance_site.accounts.models import User
from provenance_site.jobs import services as jobs
from provenance_site.jobs.states import JobState
from sources import permissions
from sources.core.findings import Verdict
from sources.models import Project, Source
from sources.queries.projects import sources_in
from validation.core.classify import RULES_VERSION
from validation.models import CheckRun

KIND = "validation.run"


class Scope(StrEnum):
    """Which sources of the project a run checks."""

    ALL = "all"
    UNCHECKED = "unchecked"
    FAILED = "failed"

    @property
    def label(self) -> str:
        """The words on the button."""
        return {"all": "Check all", "unchecked": "Check what is new", "failed": "Try failed ones again"}[self.value]


class NothingToCheck(ValueError):
    """No source of the project is in the scope; the message says what to do."""


class AlreadyRunning(ValueError):
    """The project has a run that is not finished; it is in `run`."""

    def __init__(self, run: CheckRun) -> None:
        self.run = run
        super().__init__("A check of this project is going on already.")


def start(*, project: Project, scope: Scope, by: User, at: datetime) -> CheckRun:
    """A new run over the project's sources, every item pending. Workers are woken by `dispatch`, after the commit.

    Raises `NothingToCheck`, and `AlreadyRunning` where one is going on: two clicks start one run.
    """
    permissions.check_can_curate(by, project.workspace_id)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        going = CheckRun.objects.filter(project=project, job__state=JobState.RUNNING).select_related("job").first()
        if going is not None:
            raise AlreadyRunning(going)
        source_ids = list(_in_scope(project=project, scope=scope).values_list("pk", flat=True))
        if not source_ids:
            raise NothingToCheck(_nothing(scope))
        job = jobs.create(
            workspace_id=project.workspace_id, kind=KIND, title=project.name, subject_ids=source_ids, by=by, at=at
        )
        return CheckRun.objects.create(job=job, project=project, rules_version=RULES_VERSION)


def cancel(*, run: CheckRun, by: User, at: datetime) -> None:
    """Stops a run: what is done stays, what is not is skipped. Idempotent."""
    permissions.check_can_curate(by, run.project.workspace_id)
    jobs.cancel(job=run.job, by=by, at=at)


def _in_scope(*, project: Project, scope: Scope) -> QuerySet[Source]:
    sources = sources_in(project)
    match scope:
        case Scope.ALL:
            return sources
        case Scope.UNCHECKED:
            return sources.filter(verdict="")
        case Scope.FAILED:
            return sources.filter(verdict=Verdict.FETCH_FAILED)


def _nothing(scope: Scope) -> str:
    match scope:
        case Scope.ALL:
            return "The project has no sources yet. Import a list first."
        case Scope.UNCHECKED:
            return "Every source of the project was checked before. Choose “Check all” to check them again."
        case Scope.FAILED:
            return "No source of the project failed. Choose “Check all” to check them again."
