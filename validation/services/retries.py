"""Checks that nobody asked for: failures whose time to try again has come, and dead pages that are not final yet."""

from collections import defaultdict
from datetime import datetime, timedelta

from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import OPEN_ITEM_STATES, JobState
from sources.models import CatalogEntry, Project, Source
from sources.queries.freshness import due_by_itself
from validation.models import CheckRun
from validation.services import runs
from validation.services.runs import KIND

# So that failures that come due one after the other share a run, and a project's list of checks stays readable.
_QUIET = timedelta(minutes=15)


def start_due(*, at: datetime) -> list[CheckRun]:
    """Starts a run by nobody in each project that has due sources; the caller wakes a worker.

    A source of several projects is asked about in one of them. No run starts in a project where one is going on, or
    where one started by itself less than 15 minutes ago, and none about a source that waits in another run: what is
    left out is found at the next call. Twice is safe.
    """
    waiting = JobItem.objects.filter(job__kind=KIND, job__state=JobState.RUNNING, state__in=OPEN_ITEM_STATES)
    due = Source.objects.standing().filter(due_by_itself(at=at)).exclude(pk__in=waiting.values("subject_id"))
    busy = CheckRun.objects.filter(job__state=JobState.RUNNING) | CheckRun.objects.filter(
        job__created_by__isnull=True, job__created_at__gt=at - _QUIET
    )
    entries = (
        CatalogEntry.objects.filter(source__in=due)
        .exclude(project__in=busy.values("project"))
        .order_by("source_id", "project_id")
    )
    chosen: dict[int, int] = {}
    for source_id, project_id in entries.values_list("source_id", "project_id"):
        chosen.setdefault(source_id, project_id)
    by_project: dict[int, list[int]] = defaultdict(list)
    for source_id, project_id in chosen.items():
        by_project[project_id].append(source_id)
    started = []
    for project in Project.objects.filter(pk__in=by_project).order_by("pk"):
        try:
            started.append(runs.retry(project=project, source_ids=by_project[project.pk], at=at))
        except runs.AlreadyRunning:  # somebody was faster; theirs asks about what is due as well, or the next call does
            continue
    return started
