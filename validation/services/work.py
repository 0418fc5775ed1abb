"""The worker's loop: claim by lease, ask the world with no transaction open, write back in short transactions.

A killed worker loses nothing: its leases run out and its items are claimed again. It also doubles nothing: a write-back
must still hold the lease, and the item's one Check row is unique.
"""

import gc
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID

from django.db import transaction

from provenance_site.jobs import services as jobs
from provenance_site.jobs.services import ClaimedItem
from provenance_site.kit.writing import one_writer
from sources.core.findings import Cause, Evidence, Finding, SourceFinding, Verdict
from sources.services import registry
from sources.services.ready import made_ready
from sources.services.weighing import weigh
from validation.adapters.registry import Outside, outside
from validation.core.classify import RULES_VERSION
from validation.services import lookups
from validation.services.flight import Flight, Landed, OpenWorld
from validation.services.reading import readers_stand_aside
from validation.services.runs import KIND
from validation.services.targets import targets_of
from validation.services.validate import Clock

LEASE_S = 12
_HEARTBEAT_S = 3
# What lands within a tick is written in one transaction: its dozen statements cost the same for 1 or for 100 findings.
_TICK_S = 0.1
_MOST_WRITTEN = 100
# So many sources are in a worker's hands, most of them waiting for their turn at a host.
IN_HAND = 192
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
    _calm_collector()
    until = clock() + timedelta(seconds=budget_s)
    next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
    with Flight(open_world, clock=clock) as flight:
        down: list[Landed] = []
        while True:
            over_budget = clock() >= until
            if not over_budget:  # before writing, so that the network has something to do meanwhile
                _fill(flight, clock=clock, job_id=job_id)
            if clock() >= next_heartbeat:
                _heartbeat(flight, down, clock=clock)
                next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
            if _write(down, flight, clock=clock):
                on_written()
            if not flight.aboard:
                return over_budget
            down = flight.landed(gather_s=_TICK_S, most=_MOST_WRITTEN)


@cache
def _calm_collector() -> None:
    """Once a process: what was loaded by now is left out of garbage collection, and that comes less often.

    Each full collection walks every object of Django and of the parsers; with thousands of rows made a second that took
    a tenth of all time (measured). Costs some 5 MB, since rings of garbage live a little longer.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@contextmanager
def _transaction() -> Iterator[None]:
    """A worker's transaction; where only one can write, in its turn and with nothing beside it, so that it is short."""
    with one_writer() as alone, readers_stand_aside() if alone else nullcontext(), transaction.atomic():
        yield


def _fill(flight: Flight, *, clock: Clock, job_id: int | None) -> None:
    """Claims as many as there is room for, once that is worth a claim."""
    room = IN_HAND - len(flight.aboard)
    if room < min(_CLAIMED_AT_LEAST, IN_HAND):
        return
    beside = {item.lease for item in flight.aboard}
    items = _claim(limit=room, clock=clock, job_id=job_id, beside=beside)
    targets = targets_of(item.subject_id for item in items) if items else {}
    _skip_vanished([item for item in items if item.subject_id not in targets], clock=clock)
    lookups.load(targets=targets.values(), outside=flight.world, at=clock())
    flight.take_off((item, targets[item.subject_id]) for item in items if item.subject_id in targets)


def _claim(*, limit: int, clock: Clock, job_id: int | None, beside: Collection[UUID]) -> list[ClaimedItem]:
    """Claims items; those that killed three workers are told as failed in the same transaction.

    With them comes what asks for the same address, as they do or as what the leases `beside` hold: one fetch for all.
    """
    at = clock()
    with _transaction():
        claim = jobs.claim(kind=KIND, limit=limit, at=at, lease_s=LEASE_S, job_id=job_id, beside=beside)
        if claim.lost:
            given_up = Finding(
                verdict=Verdict.FETCH_FAILED,
                cause=Cause.GIVEN_UP,
                at=at,
                rules_version=RULES_VERSION,
                evidence=Evidence(),
            )
            registry.apply_findings(findings=_told((item, given_up) for item in claim.lost), at=at)
    _finish({item.job_id for item in claim.lost}, at=at)
    return list(claim.items)


def _skip_vanished(items: list[ClaimedItem], *, clock: Clock) -> None:
    """Sources that were removed after the run began: their items are done, with nothing found."""
    if not items:
        return
    at = clock()
    with transaction.atomic():
        for item in items:  # all of one claim, so of one lease
            jobs.complete(lease=item.lease, outcomes={item.id: VANISHED}, at=at)
    _finish({item.job_id for item in items}, at=at)


def _write(down: Iterable[Landed], flight: Flight, *, clock: Clock) -> bool:
    """Writes what is still held by its lease, and ends jobs of which this worker holds nothing more."""
    at = clock()
    outcomes: dict[UUID, dict[int, str]] = defaultdict(dict)
    found: dict[int, tuple[ClaimedItem, Finding]] = {}
    for item, finding, fault in down:
        if finding is None:
            # A fault of ours. The item is not written; its lease runs out, and after three such ends it is given up.
            log.error("check of source %s failed", item.subject_id, exc_info=fault)
            continue
        found[item.id] = (item, finding)
    if not found:
        return False
    # The item's word is the verdict as it will be written: earlier checks can make a failure a domain that is gone.
    weighed = dict(zip(found, weigh(_told(found.values())), strict=True))
    for item_id, (item, _) in found.items():
        outcomes[item.lease][item_id] = weighed[item_id].told.finding.verdict
    ready = made_ready(list(weighed.values()), at=at)
    with _transaction():
        held = jobs.complete_many(outcomes=outcomes, at=at)
        registry.apply_ready(ready=[one for one in ready if one.weighed.told.item_id in held], at=at)
        lookups.save(outside=flight.world, at=at)
    still_aboard = {item.job_id for item in flight.aboard}
    _finish({found[item_id][0].job_id for item_id in held} - still_aboard, at=at)
    return True


def _told(found: Iterable[tuple[ClaimedItem, Finding]]) -> list[SourceFinding]:
    return [
        SourceFinding(source_id=item.subject_id, finding=finding, item_id=item.id, run_id=f"{KIND}/{item.job_id}")
        for item, finding in found
    ]


def _finish(job_ids: set[int], *, at: datetime) -> None:
    for job_id in sorted(job_ids):
        jobs.finish_if_done(job_id, at=at)


def _heartbeat(flight: Flight, down: list[Landed], *, clock: Clock) -> None:
    """Renews the leases, also of what is about to be written; what another worker has taken over is given up."""
    until = clock() + timedelta(seconds=LEASE_S)
    held = {item.lease for item in flight.aboard} | {one.item.lease for one in down}
    flight.drop({lease for lease in held if not jobs.extend(lease=lease, until=until)})
