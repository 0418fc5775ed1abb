"""Runs of checks over a project: started, cancelled. The work itself is `validation.services.work`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from django.db import transaction
from django.db.models import QuerySet

from provenance_site.accounts.models import User
from provenance_site.jobs import services as jobs
from provenance_site.jobs.states import JobState
from sources import permissions
from sources.core.findings import Verdict
from sources.models import Project, Source
from sources.queries.freshness import due_by_itself, known_verdicts
from sources.queries.projects import sources_in
from validation.core.classify import RULES_VERSION
from validation.core.pacing import interleaved
from validation.models import CheckRun

KIND = "validation.run"
_BATCH = 1000
# Of the SHA-256 of an identity: 60 bits fit into a database's integer, and two of a billion works rarely share them. If
# they do, they are merely claimed together.
_HEX_DIGITS = 15


class Scope(StrEnum):
    """Which sources of the project a run checks."""

    ALL = "all"
    EVERYTHING = "everything"
    UNCHECKED = "unchecked"
    FAILED = "failed"
    FAILED_DUE = "failed-due"

    @property
    def label(self) -> str:
        """The words on the button."""
        return {
            "all": "Check all",
            "everything": "Check again, whatever is known",
            "unchecked": "Check what is new",
            "failed": "Try failed ones again",
            "failed-due": "Try again what is due",
        }[self.value]


class NothingToCheck(ValueError):
    """No source of the project is in the scope; the message says what to do."""


class AlreadyRunning(ValueError):
    """The project has a run that is not finished; it is in `run`."""

    def __init__(self, run: CheckRun) -> None:
        self.run = run
        super().__init__("A check of this project is going on already.")


def start(*, project: Project, scope: Scope, by: User, at: datetime) -> CheckRun:
    """A new run over the project's sources. Workers are woken by `dispatch`, after the commit.

    `Scope.ALL` answers for all sources and asks only about what is due: a source whose verdict still holds, or whose
    failure is not to be tried again yet, is done at once with the verdict it has, without a request or a new check.
    Raises `NothingToCheck`, and `AlreadyRunning` where one is going on: two clicks start one run.
    """
    permissions.check_can_curate(by, project.workspace_id)
    with transaction.atomic():
        _hold(project)
        sources = _in_scope(project=project, scope=scope, at=at)
        source_ids = interleaved(sources.values_list("pk", "host"))
        if not source_ids:
            raise NothingToCheck(_nothing(scope))
        known: dict[int, str] = {}
        if scope is Scope.ALL:
            known = known_verdicts(sources, rules_version=RULES_VERSION, at=at)
        return _begin(project=project, source_ids=source_ids, known=known, by=by, at=at)


def again(*, project: Project, source_ids: Sequence[int], by: User, at: datetime) -> CheckRun:
    """A run over these sources of the project, whatever is known of them; those of other projects are left out.

    Raises `NothingToCheck` where none is left, and `AlreadyRunning`.
    """
    permissions.check_can_curate(by, project.workspace_id)
    with transaction.atomic():
        _hold(project)
        wanted = set(source_ids)
        rows = sources_in(project).values_list("pk", "host")
        chosen = interleaved([(key, host) for key, host in rows if key in wanted])
        if not chosen:
            raise NothingToCheck("None of the chosen sources is in the project.")
        return _begin(project=project, source_ids=chosen, known={}, by=by, at=at)


def retry(*, project: Project, source_ids: Sequence[int], at: datetime) -> CheckRun:
    """A run that nobody asked for, over sources of the project that are due. Raises `AlreadyRunning`."""
    with transaction.atomic():
        _hold(project)
        return _begin(project=project, source_ids=source_ids, known={}, by=None, at=at)


def _hold(project: Project) -> None:
    """Locks the project against a second start; raises `AlreadyRunning`."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    going = CheckRun.objects.filter(project=project, job__state=JobState.RUNNING).select_related("job").first()
    if going is not None:
        raise AlreadyRunning(going)


def _begin(
    *, project: Project, source_ids: Sequence[int], known: Mapping[int, str], by: User | None, at: datetime
) -> CheckRun:
    job = jobs.create(
        workspace_id=project.workspace_id,
        kind=KIND,
        title=project.name,
        subject_ids=source_ids,
        by=by,
        at=at,
        done=known,
        alike=_alike([source_id for source_id in source_ids if source_id not in known]),
    )
    return CheckRun.objects.create(job=job, project=project, rules_version=RULES_VERSION)


def _alike(source_ids: Sequence[int]) -> dict[int, int]:
    """A number for each source that is the same in every workspace for the same work, so for the same address."""
    numbers: dict[int, int] = {}
    for start in range(0, len(source_ids), _BATCH):
        part = Source.objects.filter(pk__in=source_ids[start : start + _BATCH]).exclude(canonical_key="").order_by()
        for source_id, key in part.values_list("pk", "canonical_key"):
            numbers[source_id] = int(key[:_HEX_DIGITS], 16)
    return numbers


def cancel(*, run: CheckRun, by: User, at: datetime) -> None:
    """Stops a run: what is done stays, what is not is skipped. Idempotent."""
    permissions.check_can_curate(by, run.project.workspace_id)
    jobs.cancel(job=run.job, by=by, at=at)


def _in_scope(*, project: Project, scope: Scope, at: datetime) -> QuerySet[Source]:
    sources = sources_in(project)
    match scope:
        case Scope.ALL | Scope.EVERYTHING:
            return sources
        case Scope.UNCHECKED:
            return sources.filter(verdict="")
        case Scope.FAILED:
            return sources.filter(verdict=Verdict.FETCH_FAILED)
        case Scope.FAILED_DUE:
            return sources.filter(due_by_itself(at=at))
        case _:
            assert_never(scope)


def _nothing(scope: Scope) -> str:
    match scope:
        case Scope.ALL | Scope.EVERYTHING:
            return "The project has no sources yet. Import a list first."
        case Scope.UNCHECKED:
            return "Every source of the project was checked before. Choose “Check all” to check what is due."
        case Scope.FAILED:
            return "No source of the project failed. Choose “Check all” to check them again."
        case Scope.FAILED_DUE:
            return "No source of the project is due yet. Choose “Try failed ones again” to ask before the time."
        case _:
            assert_never(scope)
