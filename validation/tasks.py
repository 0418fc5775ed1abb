"""Celery's door: two lines a task, one call. Names are explicit, so that moving a module renames no message."""

from datetime import UTC, datetime
from typing import Any

from celery import shared_task

from provenance_site.jobs import services as jobs
from validation.services import (
    harvest_work,
    request_search,
    retraction_checks,
    retraction_import,
    retraction_requests,
    retries,
    ship_work,
)
from validation.services.runs import KIND
from validation.services.work import work as work_through

# A call ends soon, so that a worker told to stop does; what is left is taken up by the next message.
BUDGET_S = 15.0
# A sweep's call to a helping worker is for one that is free now. Each such call goes on by itself for as long as there
# is work, so calls that waited in the queue would be more at every sweep, and all other work stood behind them.
_HELP_WITHIN_S = 5


@shared_task(name="validation.work")
def work(**_future: Any) -> None:
    """Checks what is pending, then wakes the next worker where something is left."""
    if work_through(clock=_now, budget_s=BUDGET_S):
        work.delay()


@shared_task(name="validation.sweep")
def sweep(**_future: Any) -> None:
    """Wakes a worker for runs that have work but nobody who holds it: lost messages cost seconds, not verdicts."""
    if jobs.sweep(kind=KIND, at=_now()):
        work.delay()


@shared_task(name="validation.retry_due")
def retry_due(**_future: Any) -> None:
    """Starts the checks that are due by themselves, and wakes a worker for them."""
    if retries.start_due(at=_now()):
        work.delay()


@shared_task(name="validation.check_retractions")
def check_retractions(**_future: Any) -> None:
    """Has new sources follow what is known already, then asks about those whose check is due."""
    retraction_checks.match(at=_now())
    retraction_checks.check_due(at=_now())


@shared_task(name="validation.read_retraction_updates")
def read_retraction_updates(**_future: Any) -> None:
    """Reads once a day what changed: Retraction Watch's export where its address is known, Crossref's increments."""
    retraction_import.import_when_due(at=_now())
    retraction_checks.read_updates(at=_now())


@shared_task(name="validation.work_on_retraction_requests")
def work_on_retraction_requests(**_future: Any) -> None:
    """Works on checks that people asked for, then wakes the next worker where something is left."""
    if retraction_requests.work(clock=_now, budget_s=BUDGET_S):
        work_on_retraction_requests.delay()


@shared_task(name="validation.retraction_request_sweep")
def retraction_request_sweep(**_future: Any) -> None:
    """Wakes a worker for requests that nobody holds."""
    if retraction_requests.is_waiting(at=_now()):
        work_on_retraction_requests.delay()


@shared_task(name="validation.work_on_ship_checks")
def work_on_ship_checks(**_future: Any) -> None:
    """Fetches links of ship checks, then wakes the next worker where some are left."""
    if ship_work.work(clock=_now, budget_s=BUDGET_S):
        work_on_ship_checks.delay()


@shared_task(name="validation.ship_sweep")
def ship_sweep(**_future: Any) -> None:
    """Wakes a worker for ship checks that nobody works on, and settles those whose worker died at their end."""
    if ship_work.is_waiting(at=_now()):
        work_on_ship_checks.delay()


@shared_task(name="validation.work_on_harvest_requests")
def work_on_harvest_requests(**_future: Any) -> None:
    """Searches for claims that want a source, then wakes the next worker where some are left."""
    if request_search.work(clock=_now, budget_s=BUDGET_S):
        work_on_harvest_requests.delay()


@shared_task(name="validation.harvest_request_sweep")
def harvest_request_sweep(**_future: Any) -> None:
    """Wakes a worker for requests while nobody works on any: who does goes on by itself."""
    if request_search.is_left_alone(at=_now()):
        work_on_harvest_requests.apply_async(expires=_HELP_WITHIN_S)


@shared_task(name="validation.work_on_harvests")
def work_on_harvests(**_future: Any) -> None:
    """Asks searches and checks what they found, then wakes the next worker where something is left."""
    if harvest_work.work(clock=_now, budget_s=BUDGET_S):
        work_on_harvests.delay()


@shared_task(name="validation.harvest_sweep")
def harvest_sweep(**_future: Any) -> None:
    """Wakes a worker for what of harvests nobody holds, where one is free."""
    if harvest_work.is_waiting(at=_now()):
        work_on_harvests.apply_async(expires=_HELP_WITHIN_S)


def _now() -> datetime:
    return datetime.now(UTC)
