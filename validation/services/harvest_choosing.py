"""From what was found to what is checked: once, in one transaction, so that a budget is never spent twice."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Min, QuerySet

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet
from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import Job
from provenance_site.jobs.states import JobState
from provenance_site.kit.rows import in_parts
from validation.core.harvest_states import CandidateState, HarvestState
from validation.core.pacing import interleaved
from validation.models import Candidate, HarvestRun
from validation.queries.rejected import rejected_before

CHECK_JOB_KIND = "validation.harvest-check"


def held_rows() -> QuerySet[HarvestRun]:
    """Harvests, locked one by one against another step. Without their keys: who writes what was found for one holds its
    items already, and must not wait here."""
    return HarvestRun.objects.select_for_update(of=("self",), no_key=True)


def advance(*, at: datetime) -> int:
    """Takes harvests one step further whose calls or checks are all done; gives how many. Twice is safe."""
    moved = 0
    states = [HarvestState.SEARCHING, HarvestState.CHECKING]
    for run_id in HarvestRun.objects.filter(state__in=states).order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            rows = held_rows().select_related("project", "search_job__created_by")
            run = rows.filter(pk=run_id, state__in=states).first()
            if run is None or not _is_over(run):
                continue
            if run.state == HarvestState.SEARCHING:
                choose(run=run, by=run.search_job.created_by if run.search_job else run.created_by, at=at)
            else:
                _end(run, at=at)
            moved += 1
    return moved


def is_waiting() -> bool:
    """True where a harvest could be taken a step further."""
    under_way = HarvestRun.objects.filter(state__in=[HarvestState.SEARCHING, HarvestState.CHECKING])
    return any(_is_over(run) for run in under_way.select_related("search_job", "check_job"))


def choose(*, run: HarvestRun, by: User | None, at: datetime) -> None:
    """Starts the checks of what was found, as far as the budget of candidates goes; ends the harvest where there is
    nothing to check. The harvest's row is locked by the caller.

    The best of each query come first, of all sections alike: first all firsts, then all seconds. What a person rejected
    before costs nothing and stays out; what the budget does not reach is told.
    """
    ranked = (
        run.candidates.filter(state=CandidateState.FOUND)
        .annotate(best=Min("hits__rank"), query=Min("hits__call__query__position"))
        .order_by("best", "query", "pk")
    )
    found = _without_rejected(run, list(ranked))
    room = run.candidate_budget - run.candidates_spent
    chosen, beyond = found[:room], found[room:]
    _mark(beyond, CandidateState.LEFT_OUT, f"The budget of {run.candidate_budget:,} candidates was spent before it.")
    _mark(chosen, CandidateState.WAITING, "")
    run.candidates_spent += len(chosen)
    if chosen:
        run.check_job = jobs.create(
            workspace_id=run.project.workspace_id,
            kind=CHECK_JOB_KIND,
            title=run.project.name,
            subject_ids=interleaved((one.pk, _host(one.url)) for one in chosen),
            by=by,
            at=at,
        )
        run.state = HarvestState.CHECKING
    else:
        run.state, run.finished_at = HarvestState.DONE, at
    run.save(update_fields=["candidates_spent", "check_job", "state", "started_at", "finished_at"])


def _is_over(run: HarvestRun) -> bool:
    job: Job | None = run.search_job if run.state == HarvestState.SEARCHING else run.check_job
    return job is None or job.state != JobState.RUNNING


def _end(run: HarvestRun, *, at: datetime) -> None:
    run.state, run.finished_at = HarvestState.DONE, at
    run.save(update_fields=["state", "finished_at"])
    drop_empty_deed(run)


def drop_empty_deed(run: HarvestRun) -> None:
    """Takes the harvest's deed out of the history where nothing came of it: its worker lost the lease after it had
    begun it. The harvest's row is locked, and none of its checks is in anybody's hands. Twice is safe."""
    deed = run.deed
    if deed is not None and not deed.changes.exists() and not ChangeSet.objects.filter(undoes=deed).exists():
        run.deed = None
        run.save(update_fields=["deed"])
        deed.delete()


def _without_rejected(run: HarvestRun, found: Sequence[Candidate]) -> list[Candidate]:
    rejected = rejected_before(workspace_id=run.project.workspace_id, keys=[one.key for one in found])
    by_reason: dict[str, list[Candidate]] = defaultdict(list)
    for one in found:
        if one.key in rejected:
            by_reason[rejected[one.key]].append(one)
    for reason, rows in by_reason.items():
        _mark(rows, CandidateState.REJECTED, reason)
    return [one for one in found if one.key not in rejected]


def _mark(rows: Iterable[Candidate], state: CandidateState, reason: str) -> None:
    for part in in_parts(sorted(one.pk for one in rows)):
        Candidate.objects.filter(pk__in=part).update(state=state, reason=reason)


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].lower()
