"""A run as its page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from provenance_site.jobs.models import Job
from provenance_site.jobs.queries import Progress, progress
from provenance_site.jobs.states import ItemState, JobState
from sources.core.findings import Disposition, Verdict
from sources.models import Check, Project
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell
from validation.models import CheckRun
from validation.queries.readable_runs import items_of, readable_runs

_FRESH_S, _LONG_S = 30, 300


@dataclass(frozen=True, slots=True)
class RunState:
    """Progress in the machine's verdicts and dispositions, and how soon to ask again (None: never, the run is over).

    What the ship gate says is not told here: decisions of people count in it, see `report.gate_of_run`.
    """

    state: JobState
    progress: Progress
    by_verdict: Mapping[Verdict, int]
    by_disposition: Mapping[Disposition, int]
    poll_s: int | None

    @property
    def is_running(self) -> bool:
        """True while the page should ask again."""
        return self.poll_s is not None

    @property
    def settled(self) -> int:
        """Items that need no more work, for the bar."""
        return self.progress.total - self.progress.open

    @property
    def line(self) -> str:
        """`412 of 1,000 checked · 400 of 1,000 from checks of the last days · 18 a second · about 33 s left`.

        As far as it is known.
        """
        told = self.progress
        parts = [f"{told.done:,} of {told.total:,} checked"]
        if told.known:
            parts.append(f"{told.known:,} of {told.total:,} from checks of the last days")
        if told.rate_per_s is not None:
            parts.append(f"{told.rate_per_s:.1f} a second")
        if told.eta_s is not None:
            parts.append(f"about {_duration(told.eta_s)} left")
        skipped = told.total - told.done - told.open
        if skipped:
            parts.append(f"{skipped:,} not checked")
        return " · ".join(parts)

    @property
    def verdict_counts(self) -> list[tuple[Verdict, int]]:
        """Checked sources by verdict, best first, for a bar."""
        return list(self.by_verdict.items())


def state_of(run: CheckRun, *, at: datetime) -> RunState:
    """Where the run stands at `at`. One query, whatever the number of sources."""
    told = progress(run.job, at=at, items=items_of(run))
    by_verdict = {verdict: told.by_outcome.get(verdict.value, 0) for verdict in Verdict}
    # Given-up items have a word of their own in the job and are failed fetches in the registry.
    by_verdict[Verdict.FETCH_FAILED] += told.by_outcome.get("given-up", 0)
    by_disposition = dict.fromkeys(Disposition, 0)
    for verdict, number in by_verdict.items():
        by_disposition[verdict.disposition] += number
    by_disposition[Disposition.UNCHECKED] = told.total - sum(by_verdict.values())
    return RunState(
        state=JobState(run.job.state),
        progress=told,
        by_verdict=by_verdict,
        by_disposition=by_disposition,
        poll_s=poll_s(run.job, at=at),
    )


def latest_checks(run: CheckRun, limit: int = 20) -> list[Check]:
    """The newest checks of the run with their sources, and what is told of their retraction. Three queries."""
    checks = (
        readable(Check.objects.all()).filter(item__job_id=run.job_id).select_related("source").order_by("-at", "-pk")
    )
    shown = list(checks[:limit])
    tell(check.source for check in shown)
    return shown


def unsearched_in(run: CheckRun) -> int:
    """How many sources of the run may have moved and were not looked for, since no search is configured. One query."""
    return readable(Check.objects.all()).filter(item__job_id=run.job_id, evidence__unsearched=True).count()


def runs_of(project: Project, limit: int = 10) -> list[CheckRun]:
    """The project's newest runs. One query."""
    runs = (
        readable_runs(CheckRun.objects.all())
        .filter(project=project)
        .select_related("job__created_by")
        .order_by("-job_id")
    )
    return list(runs[:limit])


def poll_s(job: Job, *, at: datetime) -> int | None:
    """1 s while a run is young, then less and less often: a forgotten tab must not keep the server busy."""
    if job.state != JobState.RUNNING:
        return None
    age = (at - job.created_at).total_seconds()
    return 1 if age < _FRESH_S else 3 if age < _LONG_S else 10


def results_of(run: CheckRun, *, offset: int, limit: int) -> tuple[list[Check], int | None]:
    """One page of the run's results with their sources, and the offset of the next page (None: there is none yet).

    First the checks that answered beforehand, in the order of the list, then the run's own in the order they came. Of a
    source that left the registry meanwhile nothing is told. Four queries.
    """
    beforehand = items_of(run).filter(state=ItemState.DONE, finished_at__isnull=True)
    known = beforehand.count()
    subjects = list(beforehand.order_by("position").values_list("subject_id", flat=True)[offset : offset + limit])
    earlier = (
        readable(Check.objects.all())
        .filter(source_id__in=subjects, at__lte=run.job.created_at)
        .select_related("source")
    )
    answered = {check.source_id: check for check in earlier.order_by("at", "pk")}
    room = limit - len(subjects)
    start = max(offset - known, 0)
    own = readable(Check.objects.all()).filter(item__job_id=run.job_id).select_related("source").order_by("pk")
    rows = list(own[start : start + room + 1])
    more = len(rows) > room or offset + limit < known
    results = [answered[subject] for subject in subjects if subject in answered] + rows[:room]
    return results, offset + limit if more else None


def checks_since(run: CheckRun, *, after: int) -> list[Check]:
    """The run's checks with a key above `after`, in the order they were written. One query."""
    return list(
        readable(Check.objects.all())
        .filter(item__job_id=run.job_id, pk__gt=after)
        .select_related("source")
        .order_by("pk")
    )


def _duration(seconds: int) -> str:
    """Rounded up to what a person plans by: `40 s`, `3 min`, `2 h`."""
    if seconds < 90:
        return f"{seconds} s"
    return f"{-(-seconds // 60)} min" if seconds < 5400 else f"{-(-seconds // 3600)} h"
