"""The worker's call for harvests: searches first, then checks; what is left is for the next call."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta

from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import ItemState, JobState
from validation.adapters.harvest_world import harvest_world
from validation.adapters.registry import Outside, outside
from validation.services import harvest_checking, harvest_choosing, harvest_searching
from validation.services.flight import OpenWorld
from validation.services.harvest_choosing import CHECK_JOB_KIND
from validation.services.harvest_runs import SEARCH_JOB_KIND
from validation.services.search_calls import OpenSearches
from validation.services.validate import Clock


def _among_workers() -> AbstractAsyncContextManager[Outside]:
    return outside(among_workers=True)


def work(
    *,
    clock: Clock,
    budget_s: float,
    run_id: int | None = None,
    open_searches: OpenSearches = harvest_world,
    open_world: OpenWorld = _among_workers,
) -> bool:
    """Carries harvests on until there is nothing to do or `budget_s` is over; True where work was left.

    Safe to run in any number of processes at once. `run_id` keeps to one harvest.
    """
    until = clock() + timedelta(seconds=budget_s)
    harvest_choosing.advance(at=clock())
    while clock() < until:
        if harvest_searching.step(clock=clock, open_searches=open_searches, run_id=run_id):
            harvest_choosing.advance(at=clock())
            continue
        left = harvest_checking.work(clock=clock, until=until, open_world=open_world, run_id=run_id)
        moved = harvest_choosing.advance(at=clock())
        if not left and not moved:
            return False
    return True


def is_waiting(*, at: datetime) -> bool:
    """True where a harvest has work that nobody holds: a worker died, a message was lost, or the checks that have just
    been chosen are more than one worker has room for."""
    idle = [job for kind in (SEARCH_JOB_KIND, CHECK_JOB_KIND) for job in jobs.sweep(kind=kind, at=at)]
    untaken = JobItem.objects.filter(
        job__kind__in=[SEARCH_JOB_KIND, CHECK_JOB_KIND], job__state=JobState.RUNNING, state=ItemState.PENDING
    )
    return bool(idle) or untaken.exists() or harvest_choosing.is_waiting()
