"""Checks of retractions that people ask for: of a source, a selection, a project, a pasted list.

The row is the truth: a worker takes it for a while, asks in parts, and writes how far it is, so that a dead worker's
request is taken up where it was.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from provenance_site.accounts.models import User
from sources import permissions
from sources.core import extract
from sources.models import CatalogEntry, Source
from sources.queries.readable import readable
from validation.adapters.retraction_world import absent_providers, retraction_world
from validation.core.retraction_ids import WorkId
from validation.models import RetractionRequest
from validation.queries.retractions import MAIN_PROVIDER, works_of
from validation.services import retraction_checks
from validation.services.retraction_checks import Checked, OpensWorld
from validation.services.retraction_words import work_named

MOST_WORKS = 20_000
_STEP = 200
_HELD = timedelta(minutes=10)
_KEPT = timedelta(days=30)


class NothingToAsk(ValueError):
    """There is no work that a provider could be asked about; the message says what is needed."""


def of_sources(*, workspace_id: int, source_ids: Iterable[int], by: User, at: datetime) -> RetractionRequest:
    """Asks for a check of these sources of the workspace; others are left out. Raises NothingToAsk."""
    permissions.check_can_curate(by, workspace_id)
    wanted = sorted(set(source_ids))
    mine: list[int] = []
    for start in range(0, len(wanted), 500):
        here = readable(Source.objects.all()).filter(workspace_id=workspace_id, pk__in=wanted[start : start + 500])
        mine.extend(here.values_list("pk", flat=True))
    found = works_of(mine)
    return _request(workspace_id, (work for pk in sorted(found) for work in sorted(found[pk])), by=by, at=at)


def of_project(*, project_id: int, workspace_id: int, by: User, at: datetime) -> RetractionRequest:
    """Asks for a check of all sources of a project. Raises NothingToAsk."""
    entries = readable(CatalogEntry.objects.all()).filter(project_id=project_id, project__workspace_id=workspace_id)
    ids = list(entries.values_list("source_id", flat=True))
    return of_sources(workspace_id=workspace_id, source_ids=ids, by=by, at=at)


def of_text(*, workspace_id: int, text: str, by: User, at: datetime) -> RetractionRequest:
    """Asks for a check of all DOIs, PubMed and arXiv ids of a pasted text, known to the registry or not; nothing is
    registered. Raises NothingToAsk."""
    permissions.check_can_curate(by, workspace_id)
    return _request(workspace_id, works_in(text), by=by, at=at)


def works_in(text: str) -> list[WorkId]:
    """The works that a text names and a provider can be asked about, in their order."""
    found = extract.extract(text)
    named = (WorkId(one.identity.type, one.identity.value) for one in found.references)
    return [work for work in dict.fromkeys(named) if work.type in MAIN_PROVIDER]


def work(*, clock: Callable[[], datetime], budget_s: float, world: OpensWorld = retraction_world) -> bool:
    """Works on open requests, oldest first, for about `budget_s` seconds; True where this worker should go on."""
    until = clock() + timedelta(seconds=budget_s)
    while clock() < until:
        request = _claimed(at=clock())
        if request is None:
            return False
        is_mine = True
        while is_mine and request.finished_at is None and clock() < until:
            is_mine = _step(request, world=world, at=clock())
        if is_mine and request.finished_at is None:
            RetractionRequest.objects.filter(pk=request.pk, done=request.done).update(held_until=None)
    return is_waiting(at=clock())


def is_waiting(*, at: datetime) -> bool:
    """True where a request is open that nobody holds."""
    free = Q(held_until__isnull=True) | Q(held_until__lte=at)
    return RetractionRequest.objects.filter(free, finished_at__isnull=True).exists()


def _request(workspace_id: int, works: Iterable[WorkId], *, by: User, at: datetime) -> RetractionRequest:
    named = [str(work) for work in dict.fromkeys(works)]
    if not named:
        raise NothingToAsk("There is no DOI, PubMed id or arXiv id here. Providers know works by these alone.")
    if len(named) > MOST_WORKS:
        raise NothingToAsk(f"These are {len(named):,} works; at most {MOST_WORKS:,} go into one check. Choose fewer.")
    RetractionRequest.objects.filter(finished_at__lt=at - _KEPT).delete()
    absent = {name.value: why for name, why in absent_providers().items()}
    return RetractionRequest.objects.create(
        workspace_id=workspace_id, by=by, works=named, asked_at=at, told={"providers": {}, "absent": absent}
    )


def _claimed(*, at: datetime) -> RetractionRequest | None:
    free = Q(held_until__isnull=True) | Q(held_until__lte=at)
    for pk in (
        RetractionRequest.objects.filter(free, finished_at__isnull=True).order_by("pk").values_list("pk", flat=True)[:5]
    ):
        taken = RetractionRequest.objects.filter(free, pk=pk, finished_at__isnull=True)
        if taken.update(held_until=at + _HELD):
            return RetractionRequest.objects.get(pk=pk)
    return None


def _step(request: RetractionRequest, *, world: OpensWorld, at: datetime) -> bool:
    """Asks about the next part; False where another worker has taken the request over meanwhile, and counts it."""
    before = request.done
    part = request.works[before : before + _STEP]
    came = retraction_checks.check(works=[work_named(one) for one in part], at=at, world=world)
    request.done += len(part)
    request.told = _added(request.told, came)
    request.held_until = at + _HELD
    if request.done >= len(request.works):
        request.finished_at, request.held_until = at, None
    mine = RetractionRequest.objects.filter(pk=request.pk, done=before, finished_at=None)
    return bool(
        mine.update(
            done=request.done, told=request.told, finished_at=request.finished_at, held_until=request.held_until
        )
    )


def _added(told: dict[str, object], came: Checked) -> dict[str, object]:
    """The tallies so far and those of a further part."""
    before = told.get("providers")
    tallies = dict(before) if isinstance(before, dict) else {}
    for name, tally in came.by_provider.items():
        old = tallies.get(name.value, {})
        tallies[name.value] = {
            "answered": old.get("answered", 0) + tally.answered,
            "unknown": old.get("unknown", 0) + tally.unknown,
            "failed": old.get("failed", 0) + tally.failed,
            "reason": tally.reason or old.get("reason", ""),
        }
    unchecked = _and_more(told.get("unchecked"), came.unchecked)
    unregistered = _and_more(told.get("unregistered"), came.unregistered)
    absent = {name.value: why for name, why in came.absent.items()}
    return {**told, "providers": tallies, "unchecked": unchecked, "unregistered": unregistered, "absent": absent}


def _and_more(before: object, more: Iterable[WorkId]) -> list[str]:
    return [*(before if isinstance(before, list) else []), *sorted(map(str, more))]
