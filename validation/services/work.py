"""The worker's loop: claim by lease, ask the world with no transaction open, write back in short transactions.

A killed worker loses nothing: its leases run out and its items are claimed again. It also doubles nothing: a write-back
must still hold the lease, and the item's one Check row is unique.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from provenance_site.jobs import services as jobs
from provenance_site.jobs.services import ClaimedItem
from sources.core.findings import Cause, Evidence, Finding, SourceFinding, Verdict
from sources.services import registry
from validation.adapters.registry import Outside, outside
from validation.core.classify import RULES_VERSION
from validation.services.runs import KIND
from validation.services.targets import targets_of
from validation.services.validate import IN_FLIGHT, Clock, Target, examine

LEASE_S = 12
_HEARTBEAT_S = 3
_TICK_S = 0.25
VANISHED = "vanished"

log = logging.getLogger(__name__)

OpenWorld = Callable[[], AbstractAsyncContextManager[Outside]]
Told = Callable[[], None]


def _tell_nobody() -> None:
    """The default listener."""


@dataclass(slots=True)
class Flight:
    """What one worker holds: a task per item, and the time of the next heartbeat."""

    tasks: dict[asyncio.Task[Finding], ClaimedItem] = field(default_factory=dict)
    next_heartbeat: datetime | None = None


def work(
    *,
    clock: Clock,
    budget_s: float,
    job_id: int | None = None,
    open_world: OpenWorld = outside,
    on_written: Told = _tell_nobody,
) -> bool:
    """Checks claimed sources until none is left or `budget_s` is over; True where work was left for the next call.

    Safe to run in any number of processes and threads at once. `job_id` keeps to one job; `on_written` is called after
    each commit, for who watches from the same process.
    """
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        world = runner.run(stack.enter_async_context(open_world()))
        try:
            until = clock() + timedelta(seconds=budget_s)
            return _loop(runner, world, clock=clock, until=until, job_id=job_id, on_written=on_written)
        finally:
            runner.run(stack.aclose())


def _loop(
    runner: asyncio.Runner,
    world: Outside,
    *,
    clock: Clock,
    until: datetime,
    job_id: int | None,
    on_written: Told,
) -> bool:
    flight = Flight()
    while True:
        over_budget = clock() >= until
        room = 0 if over_budget else IN_FLIGHT - len(flight.tasks)
        if room:
            items = _claim(limit=room, clock=clock, job_id=job_id)
            targets = targets_of(item.subject_id for item in items)
            _skip_vanished([item for item in items if item.subject_id not in targets], clock=clock)
            runner.run(_take_off(flight, [item for item in items if item.subject_id in targets], targets, world, clock))
        if not flight.tasks:
            return over_budget
        done = runner.run(_landed(flight))
        _heartbeat(flight, clock=clock)
        if done:
            _write(done, clock=clock)
            on_written()


def _claim(*, limit: int, clock: Clock, job_id: int | None) -> list[ClaimedItem]:
    """Claims items; those that killed three workers are told as failed in the same transaction."""
    at = clock()
    with transaction.atomic():
        claim = jobs.claim(kind=KIND, limit=limit, at=at, lease_s=LEASE_S, job_id=job_id)
        if claim.lost:
            given_up = Finding(
                verdict=Verdict.FETCH_FAILED,
                cause=Cause.GIVEN_UP,
                at=at,
                rules_version=RULES_VERSION,
                evidence=Evidence(),
            )
            _record([(item, given_up) for item in claim.lost], at=at)
    _finish({item.job_id for item in claim.lost}, at=at)
    return list(claim.items)


async def _take_off(
    flight: Flight, items: list[ClaimedItem], targets: Mapping[int, Target], world: Outside, clock: Clock
) -> None:
    for item in items:
        task = asyncio.create_task(examine(targets[item.subject_id], world, clock=clock))
        flight.tasks[task] = item


def _skip_vanished(items: list[ClaimedItem], *, clock: Clock) -> None:
    """Sources that were removed after the run began: their items are done, with nothing found."""
    at = clock()
    with transaction.atomic():
        for item in items:  # all of one claim, so of one lease
            jobs.complete(lease=item.lease, outcomes={item.id: VANISHED}, at=at)
    _finish({item.job_id for item in items}, at=at)


async def _landed(flight: Flight) -> list[tuple[ClaimedItem, Finding]]:
    """The findings that are there after a tick, so that one slow host never holds back the others' verdicts."""
    done, _ = await asyncio.wait(flight.tasks, timeout=_TICK_S)
    landed: list[tuple[ClaimedItem, Finding]] = []
    for task in done:
        item = flight.tasks.pop(task)
        if task.exception() is None:
            landed.append((item, task.result()))
        else:
            # A fault of ours. The item is not written; its lease runs out, and after three such ends it is given up.
            log.error("check of source %s failed", item.subject_id, exc_info=task.exception())
    return landed


def _write(done: Iterable[tuple[ClaimedItem, Finding]], *, clock: Clock) -> None:
    at = clock()
    outcomes: dict[UUID, dict[int, str]] = defaultdict(dict)
    found = {item.id: (item, finding) for item, finding in done}
    for item, finding in found.values():
        outcomes[item.lease][item.id] = finding.verdict
    with transaction.atomic():
        held = jobs.complete_many(outcomes=outcomes, at=at)
        _record([found[item_id] for item_id in sorted(held)], at=at)
    _finish({found[item_id][0].job_id for item_id in held}, at=at)


def _record(found: list[tuple[ClaimedItem, Finding]], *, at: datetime) -> None:
    registry.apply_findings(
        findings=[
            SourceFinding(source_id=item.subject_id, finding=finding, item_id=item.id, run_id=f"{KIND}/{item.job_id}")
            for item, finding in found
        ],
        at=at,
    )


def _finish(job_ids: set[int], *, at: datetime) -> None:
    for job_id in sorted(job_ids):
        jobs.finish_if_done(job_id, at=at)


def _heartbeat(flight: Flight, *, clock: Clock) -> None:
    at = clock()
    if flight.next_heartbeat is None:
        flight.next_heartbeat = at + timedelta(seconds=_HEARTBEAT_S)
    if at < flight.next_heartbeat:
        return
    flight.next_heartbeat = at + timedelta(seconds=_HEARTBEAT_S)
    held = {item.lease for item in flight.tasks.values()}
    alive: set[UUID] = {lease for lease in held if jobs.extend(lease=lease, until=at + timedelta(seconds=LEASE_S))}
    for task, item in list(flight.tasks.items()):
        if item.lease not in alive:
            task.cancel()
            del flight.tasks[task]
