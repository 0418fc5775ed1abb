"""The worker's loop over links of ship checks: claim by lease, fetch anew, write back in short transactions.

As `services.work`, with other subjects: a link need not be a source of the registry. Where it is one, what was found
enters the registry by its one door in the same transaction, so that the desk learns what the gate has seen.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
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
from validation.models import ShipCheck, ShipLink
from validation.services import ship_gate
from validation.services.flight import Flight, Landed, OpenWorld, keep_leases
from validation.services.ship_gate import KIND
from validation.services.ship_targets import targets_of
from validation.services.validate import Clock

LEASE_S = 12
_HEARTBEAT_S = 3
_TICK_S = 0.1
_MOST_WRITTEN = 100
IN_HAND = 48
VANISHED = "vanished"

log = logging.getLogger(__name__)


def _among_workers() -> AbstractAsyncContextManager[Outside]:
    return outside(among_workers=True)


def work(*, clock: Clock, budget_s: float, job_id: int | None = None, open_world: OpenWorld = _among_workers) -> bool:
    """Fetches claimed links until none is left or `budget_s` is over; True where work was left for the next call.

    Safe to run in any number of processes at once. `job_id` keeps to one check. What providers answered in earlier
    checks is not looked up, and no earlier verdict is a witness: a ship check rests on nothing that was kept.
    """
    until = clock() + timedelta(seconds=budget_s)
    next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
    with Flight(open_world, clock=clock) as flight:
        down: list[Landed] = []
        while True:
            over_budget = clock() >= until
            if clock() >= next_heartbeat:
                keep_leases(flight, down, until=clock() + timedelta(seconds=LEASE_S))
                next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
            ending = _write(down, at=clock())
            room = IN_HAND - len(flight.aboard)
            if room and not over_budget:
                ending |= _take_more(flight, room=room, job_id=job_id, at=clock())
            still_aboard = {item.job_id for item in flight.aboard}
            for ended in sorted(ending - still_aboard):
                ship_gate.finish(job_id=ended, at=clock())
            if not flight.aboard:
                return over_budget
            down = flight.landed(gather_s=_TICK_S, most=_MOST_WRITTEN)


def _take_more(flight: Flight, *, room: int, job_id: int | None, at: datetime) -> set[int]:
    """Claims links and starts them; gives the jobs of links that killed three workers, which are told as failed."""
    with one_writer(), transaction.atomic():
        claim = jobs.claim(kind=KIND, limit=room, at=at, lease_s=LEASE_S, job_id=job_id)
        given_up = Finding(
            verdict=Verdict.FETCH_FAILED,
            cause=Cause.GIVEN_UP,
            at=at,
            rules_version=RULES_VERSION,
            evidence=Evidence(),
        )
        _keep([(item, given_up) for item in claim.lost], at=at)
    targets = targets_of(item.subject_id for item in claim.items)
    flight.take_off((item, targets[item.subject_id]) for item in claim.items if item.subject_id in targets)
    # The project was deleted meanwhile, and its checks with it; their jobs are still there.
    vanished = [item for item in claim.items if item.subject_id not in targets]
    if vanished:
        with transaction.atomic():
            jobs.complete(lease=claim.lease, outcomes={item.id: VANISHED for item in vanished}, at=at)
    return {item.job_id for item in (*claim.lost, *vanished)}


def _write(down: Iterable[Landed], *, at: datetime) -> set[int]:
    """Writes what is still held by its lease; gives the jobs of which something was."""
    found: list[tuple[ClaimedItem, Finding]] = []
    for item, finding, fault in down:
        if finding is None:
            # A fault of ours. Its lease runs out, and after three such ends it is given up.
            log.error("fetch of link %s failed", item.subject_id, exc_info=fault)
            continue
        found.append((item, finding))
    if not found:
        return set()
    found.sort(key=lambda one: one[0].id)
    told = _told(found)
    ready = made_ready(weigh(list(told.values())), at=at)
    outcomes: dict[UUID, dict[int, str]] = defaultdict(dict)
    for item, finding in found:
        outcomes[item.lease][item.id] = finding.verdict.value
    with one_writer(), transaction.atomic():
        held = jobs.complete_many(outcomes=outcomes, at=at)
        _keep([(item, finding) for item, finding in found if item.id in held], at=at)
        registry.apply_ready(ready=[one for one in ready if one.weighed.told.item_id in held], at=at)
    return {item.job_id for item, _ in found if item.id in held}


def _keep(found: Sequence[tuple[ClaimedItem, Finding]], *, at: datetime) -> None:
    for item, finding in found:
        ShipLink.objects.filter(pk=item.subject_id).update(
            verdict=finding.verdict.value, cause=finding.cause.value, reason=finding.reason, found_at=at
        )


def _told(found: Sequence[tuple[ClaimedItem, Finding]]) -> dict[int, SourceFinding]:
    """What of this the registry is told, by item: links that are its sources, and were answered.

    A failed fetch says nothing of a source, the less so as no earlier check was heard as a witness.
    """
    sources = dict(
        ShipLink.objects.filter(pk__in=[item.subject_id for item, _ in found], source__isnull=False).values_list(
            "pk", "source_id"
        )
    )
    return {
        item.id: SourceFinding(
            source_id=sources[item.subject_id], finding=finding, item_id=item.id, run_id=f"{KIND}/{item.job_id}"
        )
        for item, finding in found
        if item.subject_id in sources and finding.verdict is not Verdict.FETCH_FAILED
    }


def is_waiting(*, at: datetime) -> bool:
    """True where a check has links that nobody holds; ends, on the way, checks whose worker died before it could."""
    idle = jobs.sweep(kind=KIND, at=at)
    for check in ShipCheck.objects.filter(job__state="done", decision="").order_by("pk"):
        ship_gate.finish(job_id=check.pk, at=at)
    return bool(idle)
