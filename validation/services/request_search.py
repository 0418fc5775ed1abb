"""Candidates for a claim: searched by its words, fetched and judged by the validator, with their best passages.

The row is the truth: a worker takes a request for a while, asks with no transaction open, and writes all that came in
one transaction, so that a dead worker's request is asked again and nothing of it is there twice.
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from validation.adapters.harvest_world import harvest_world
from validation.adapters.registry import Outside, outside
from validation.core.source_requests import RequestState
from validation.models import HarvestRequest, RequestCandidate
from validation.queries.own_entries import rules_of
from validation.queries.provider_keys import accounts_by_workspace
from validation.services import lookups, request_asking, request_checking
from validation.services.flight import OpenWorld
from validation.services.search_calls import OpenSearches
from validation.services.targets import claimed_of_known
from validation.services.validate import Clock

_MOST_ATTEMPTS = 3
_GIVEN_UP = "Three workers failed at this search; the log of this desk has more. Search again when it is mended."
# A search holds up the worker's other work, so it is over in two minutes, whatever anybody out there does: see the
# patience in `request_asking` and `request_checking`. A dead worker's request is free again soon after.
_HELD = timedelta(minutes=3)
_FREE_AFTER_A_FAULT = timedelta(seconds=10)


def _among_workers() -> AbstractAsyncContextManager[Outside]:
    return outside(among_workers=True)


def work(
    *,
    clock: Clock,
    budget_s: float,
    open_searches: OpenSearches = harvest_world,
    open_world: OpenWorld = _among_workers,
) -> bool:
    """Searches for open requests, oldest first, for about `budget_s` seconds; True where this worker should go on.

    A request ends whatever the world does: each wait is bounded, a dead worker's request is free again after three
    minutes, one at which we fail ourselves after ten seconds, and after three such starts it is given up and says so.
    """
    until = clock() + timedelta(seconds=budget_s)
    while clock() < until:
        request = _claimed(at=clock())
        if request is None:
            return False
        if request.attempts > _MOST_ATTEMPTS:
            _give_up(request, at=clock())
            continue
        try:
            search(request, clock=clock, open_searches=open_searches, open_world=open_world)
        finally:
            _let_go(request, at=clock())
    return is_waiting(at=clock())


def is_waiting(*, at: datetime) -> bool:
    """True where a request is open that nobody holds."""
    return _free(at).exists()


def is_left_alone(*, at: datetime) -> bool:
    """True where a request is open and no worker holds any: one died, or a message was lost."""
    held = HarvestRequest.objects.filter(state=RequestState.OPEN, held_until__gt=at)
    return is_waiting(at=at) and not held.exists()


def search(request: HarvestRequest, *, clock: Clock, open_searches: OpenSearches, open_world: OpenWorld) -> None:
    """Searches, checks and writes what came of one open request, within its budget.

    It is asked as a harvest asks: queries by the preferences of its section, the same searches, the same kept answers.
    One that fails stops no other; why it failed is told with the request.
    """
    workspace = request.draft.project.workspace
    accounts = accounts_by_workspace([workspace.pk]).get(workspace.pk, ())
    searched = request_asking.searched(request, accounts, clock=clock, open_searches=open_searches)
    request_asking.choose(request, searched)
    rules = rules_of(workspace)
    claimed = claimed_of_known(workspace_id=workspace.pk, keys=[one.identity.key for one in searched.found])
    checked = request_checking.checked(searched, rules, claimed, clock=clock, open_world=open_world)
    judged, faults, new = asyncio.run(checked)
    at = clock()
    rows = [request_checking.row_of(request, one) for one in judged]
    told = [*searched.told, *faults]
    with transaction.atomic():
        still_open = HarvestRequest.objects.filter(pk=request.pk, state=RequestState.OPEN)
        asked = [asdict(one) for one in searched.calls]
        if still_open.update(state=RequestState.SEARCHED, told=told, asked=asked, searched_at=at, held_until=None):
            RequestCandidate.objects.filter(request=request).delete()
            RequestCandidate.objects.bulk_create(rows)
    lookups.keep(new, at=at)


def _give_up(request: HarvestRequest, *, at: datetime) -> None:
    still_open = HarvestRequest.objects.filter(pk=request.pk, state=RequestState.OPEN)
    still_open.update(state=RequestState.SEARCHED, told=[_GIVEN_UP], searched_at=at, held_until=None)


def _let_go(request: HarvestRequest, *, at: datetime) -> None:
    """Frees a request that is open after its search: by a fault of ours, or since a person asked anew meanwhile."""
    mine = HarvestRequest.objects.filter(pk=request.pk, state=RequestState.OPEN, held_until=request.held_until)
    mine.update(held_until=at + _FREE_AFTER_A_FAULT)


def _free(at: datetime) -> QuerySet[HarvestRequest]:
    free = Q(held_until__isnull=True) | Q(held_until__lte=at)
    return HarvestRequest.objects.filter(free, state=RequestState.OPEN)


def _claimed(*, at: datetime) -> HarvestRequest | None:
    for pk in _free(at).order_by("pk").values_list("pk", flat=True)[:5]:
        if _free(at).filter(pk=pk).update(held_until=at + _HELD, attempts=F("attempts") + 1):
            return HarvestRequest.objects.select_related("draft__project__workspace", "version").get(pk=pk)
    return None
