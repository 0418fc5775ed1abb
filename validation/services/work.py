"""The worker's loop: claim by lease, ask the world with no transaction open, write back in short transactions.

A killed worker loses nothing: its leases run out and its items are claimed again. It also doubles nothing: a write-back
must still hold the lease, and the item's one Check row is unique.
"""

import gc
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID

from django.db import transaction

from provenance_site.jobs import services as jobs
from provenance_site.jobs.services import ClaimedItem
from provenance_site.kit.memory import SELDOM, give_large_blocks_back
from provenance_site.kit.writing import one_writer
from sources.core.findings import Cause, Evidence, Finding, SourceFinding, Verdict
from sources.services import registry
from sources.services.ready import Ready, made_ready
from sources.services.weighing import weigh
from validation.adapters.registry import Outside, outside
from validation.core.classify import RULES_VERSION
from validation.services import lookups
from validation.services.flight import Flight, Landed, OpenWorld, keep_leases
from validation.services.reading import readers_stand_aside
from validation.services.runs import KIND
from validation.services.targets import targets_of
from validation.services.validate import Clock

LEASE_S = 12
_HEARTBEAT_S = 3
# What lands within a tick is written in one transaction: its dozen statements cost the same for 1 or for 200 findings.
_TICK_S = 0.15
_MOST_WRITTEN = 200
# So many sources are in a worker's hands, most of them waiting for their turn at a host.
IN_HAND = 256
# New ones are claimed when so much room is free, not one by one.
_CLAIMED_AT_LEAST = IN_HAND // 4
VANISHED = "vanished"

log = logging.getLogger(__name__)

Told = Callable[[], None]


def _tell_nobody() -> None:
    """The default listener."""


def _among_workers() -> AbstractAsyncContextManager[Outside]:
    return outside(among_workers=True)


def work(
    *,
    clock: Clock,
    budget_s: float,
    job_id: int | None = None,
    open_world: OpenWorld = _among_workers,
    on_written: Told = _tell_nobody,
) -> bool:
    """Checks claimed sources until none is left or `budget_s` is over; True where work was left for the next call.

    Safe to run in any number of processes and threads at once. `job_id` keeps to one job; `on_written` is called after
    each commit, for who watches from the same process.
    """
    _keep_memory_in_order()
    until = clock() + timedelta(seconds=budget_s)
    next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
    with Flight(open_world, clock=clock) as flight:
        down: list[Landed] = []
        while True:
            over_budget = clock() >= until
            if clock() >= next_heartbeat:
                keep_leases(flight, down, until=clock() + timedelta(seconds=LEASE_S))
                next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
            if _exchange(down, flight, clock=clock, job_id=job_id, takes_more=not over_budget):
                on_written()
            if not flight.aboard:
                return over_budget
            down = flight.landed(gather_s=_TICK_S, most=_MOST_WRITTEN)


@cache
def _keep_memory_in_order() -> None:
    """Once a process: large bodies go back to the system, and garbage collection leaves out what was loaded by now and
    comes less often.

    Each full collection walks every object of Django and of the parsers; with thousands of rows made a second that took
    a tenth of all time (measured). Costs some 5 MB, since rings of garbage live a little longer.
    """
    give_large_blocks_back()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)


@contextmanager
def _turn_to_write() -> Iterator[None]:
    """Where only one can write, the worker's turn to do so, with nothing beside it, so that it is short."""
    with one_writer() as alone, readers_stand_aside() if alone else nullcontext():
        yield


def _exchange(down: Iterable[Landed], flight: Flight, *, clock: Clock, job_id: int | None, takes_more: bool) -> bool:
    """Writes what came down and claims as many as there is room for, in one turn; True where something was written.

    Everything that needs no lock is done before and after: the other workers wait meanwhile.
    """
    at = clock()
    found = _findings(down)
    # The item's word is the verdict as it will be written: earlier checks can make a failure a domain that is gone.
    ready = made_ready(weigh(_told(found)), at=at) if found else []
    room = IN_HAND - len(flight.aboard) if takes_more else 0
    room = room if room >= min(_CLAIMED_AT_LEAST, IN_HAND) else 0
    claimed: list[ClaimedItem] = []
    ending: set[int] = set()
    if found or room:
        with _turn_to_write():
            if found:
                ending |= _write(found, ready, flight, at=at)
            if room:
                claimed, lost_of = _claim(limit=room, flight=flight, at=clock(), job_id=job_id)
                ending |= lost_of
    _take_off(claimed, flight, clock=clock)
    still_aboard = {item.job_id for item in flight.aboard}
    _finish(ending - still_aboard, at=at)
    return bool(found)


def _claim(*, limit: int, flight: Flight, at: datetime, job_id: int | None) -> tuple[list[ClaimedItem], set[int]]:
    """Claims items; those that killed three workers are told as failed in the same transaction. Gives their jobs too.

    With them comes what asks for the same address, as they do or as what is aboard already: one fetch for all.
    """
    beside = {item.lease for item in flight.aboard}
    with transaction.atomic():
        claim = jobs.claim(kind=KIND, limit=limit, at=at, lease_s=LEASE_S, job_id=job_id, beside=beside)
        if claim.lost:
            given_up = Finding(
                verdict=Verdict.FETCH_FAILED,
                cause=Cause.GIVEN_UP,
                at=at,
                rules_version=RULES_VERSION,
                evidence=Evidence(),
            )
            registry.apply_findings(findings=_told([(item, given_up) for item in claim.lost]), at=at)
    return list(claim.items), {item.job_id for item in claim.lost}


def _take_off(items: list[ClaimedItem], flight: Flight, *, clock: Clock) -> None:
    """Starts the checks of claimed items."""
    if not items:
        return
    targets = targets_of(item.subject_id for item in items)
    _skip_vanished([item for item in items if item.subject_id not in targets], clock=clock)
    lookups.load(targets=targets.values(), outside=flight.world, at=clock())
    flight.take_off((item, targets[item.subject_id]) for item in items if item.subject_id in targets)


def _skip_vanished(items: list[ClaimedItem], *, clock: Clock) -> None:
    """Sources that were removed after the run began: their items are done, with nothing found."""
    if not items:
        return
    at = clock()
    with transaction.atomic():
        for item in items:  # all of one claim, so of one lease
            jobs.complete(lease=item.lease, outcomes={item.id: VANISHED}, at=at)
    _finish({item.job_id for item in items}, at=at)


def _findings(down: Iterable[Landed]) -> list[tuple[ClaimedItem, Finding]]:
    """What was found of the items that came down, in the order of their keys."""
    found = []
    for item, finding, fault in down:
        if finding is None:
            # A fault of ours. The item is not written; its lease runs out, and after three such ends it is given up.
            log.error("check of source %s failed", item.subject_id, exc_info=fault)
            continue
        found.append((item, finding))
    return sorted(found, key=lambda one: one[0].id)


def _write(found: list[tuple[ClaimedItem, Finding]], ready: list[Ready], flight: Flight, *, at: datetime) -> set[int]:
    """Writes what is still held by its lease; gives the jobs of which something was."""
    words = {one.weighed.told.item_id: one.weighed.told.finding.verdict.value for one in ready}
    outcomes: dict[UUID, dict[int, str]] = defaultdict(dict)
    for item, _ in found:
        outcomes[item.lease][item.id] = words.get(item.id, VANISHED)
    with transaction.atomic():
        held = jobs.complete_many(outcomes=outcomes, at=at)
        registry.apply_ready(ready=[one for one in ready if one.weighed.told.item_id in held], at=at)
        lookups.save(outside=flight.world, at=at)
    return {item.job_id for item, _ in found if item.id in held}


def _told(found: Sequence[tuple[ClaimedItem, Finding]]) -> list[SourceFinding]:
    return [
        SourceFinding(source_id=item.subject_id, finding=finding, item_id=item.id, run_id=f"{KIND}/{item.job_id}")
        for item, finding in found
    ]


def _finish(job_ids: set[int], *, at: datetime) -> None:
    for job_id in sorted(job_ids):
        jobs.finish_if_done(job_id, at=at)
