"""Asks the searches: nothing that was answered before, nothing beyond the budget, and no call twice.

Before a call its row says `asking` and the budget has paid for it, in one short transaction; no transaction is open
while the world is asked. A worker that dies meanwhile leaves such a row: whoever claims it next does not ask again, as
the call may have been charged. A person can have it asked again by taking the harvest up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, F, Q

from provenance_site.jobs import services as jobs
from provenance_site.jobs.services import ClaimedItem
from validation.adapters.harvest_world import harvest_world
from validation.core.harvest_states import CallState
from validation.core.harvest_tools import Tool
from validation.core.ports import Hit, SearchAnswer, Unavailable
from validation.models import HarvestCall, HarvestRun
from validation.queries.provider_keys import accounts_by_workspace
from validation.services import harvest_finds, search_calls
from validation.services.harvest_finds import Find
from validation.services.harvest_runs import SEARCH_JOB_KIND
from validation.services.search_calls import OpenSearches, Question
from validation.services.validate import Clock

# All of one claim are asked at once. A call ends by the client's own deadline (20 s, and once more for a second try);
# waiting for its turn at a host is bounded here, well within the lease.
_AT_ONCE = 6
_PATIENCE_S = 80
LEASE_S = 120
_GIVES_UP_AFTER = 3
_BROKEN_OFF = "A worker stopped while it asked. It is not asked again by itself: the call may have been charged."


@dataclass(frozen=True, slots=True)
class _Question:
    """A call in this worker's hands, and what it asks."""

    item: ClaimedItem
    call: HarvestCall
    asks: Question

    @property
    def key(self) -> str:
        """Under which its answer is kept."""
        return self.asks.key

    @property
    def tool(self) -> Tool:
        """Whom it is asked of."""
        return self.call.as_tool


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What becomes of a call: its state, why, and its hits."""

    state: CallState
    reason: str = ""
    hits: tuple[Hit, ...] = ()


def step(*, clock: Clock, open_searches: OpenSearches = harvest_world, run_id: int | None = None) -> bool:
    """Claims some calls and carries them through; False where there was none to claim.

    Safe to run in any number of processes at once. `run_id` keeps to one harvest.
    """
    job_id = HarvestRun.objects.filter(pk=run_id).values_list("search_job", flat=True).first() if run_id else None
    if run_id and job_id is None:
        return False
    with transaction.atomic():
        claim = jobs.claim(kind=SEARCH_JOB_KIND, limit=_AT_ONCE, at=clock(), lease_s=LEASE_S, job_id=job_id)
        lost = [item.subject_id for item in claim.lost]
        HarvestCall.objects.filter(pk__in=lost).update(state=CallState.FAILED, reason=_BROKEN_OFF)
    if claim.items:
        questions = _questions(claim.items)
        outcomes = _reserve(questions, at=clock())
        wanted = [one for one in questions if one.call.pk not in outcomes]
        answers = search_calls.asked([one.asks for one in wanted], open_searches, patience_s=_PATIENCE_S)
        _write(questions, outcomes, answers, at=clock())
        gone = {item.id: "vanished" for item in claim.items} if not questions else {}
        if gone:
            with transaction.atomic():
                jobs.complete(lease=claim.lease, outcomes=gone, at=clock())
    for job in sorted({item.job_id for item in (*claim.items, *claim.lost)}):
        jobs.finish_if_done(job, at=clock())
    return bool(claim.items or claim.lost)


def _questions(items: Iterable[ClaimedItem]) -> list[_Question]:
    by_subject = {item.subject_id: item for item in items}
    rows = HarvestCall.objects.filter(pk__in=by_subject).select_related("query", "run__project").order_by("run", "pk")
    calls = list(rows)
    accounts = accounts_by_workspace({call.run.project.workspace_id for call in calls})
    found = []
    for call in calls:
        own = accounts.get(call.run.project.workspace_id, ())
        asks = Question(call.as_tool, call.query.text, call.query.domains, own)
        found.append(_Question(by_subject[call.pk], call, asks))
    return found


def _reserve(questions: Sequence[_Question], *, at: datetime) -> dict[int, _Outcome]:
    """What becomes of calls that are not made, by call; the budget has paid for all others, and their rows say so."""
    outcomes: dict[int, _Outcome] = {}
    with transaction.atomic():
        kept = search_calls.kept([one.key for one in questions], at=at)
        paid: set[tuple[int, str]] = set()
        for one in questions:
            hits = kept.get(one.key)
            if hits is not None:
                outcomes[one.call.pk] = _Outcome(CallState.KEPT, hits=hits)
            elif one.call.state == CallState.ASKING:
                outcomes[one.call.pk] = _Outcome(CallState.FAILED, _BROKEN_OFF)
            elif _has_given_up(one.call):
                reason = f"{one.tool.label} failed {_GIVES_UP_AFTER} times in this harvest and never answered."
                outcomes[one.call.pk] = _Outcome(CallState.UNASKED, reason)
            elif (one.call.run_id, one.key) in paid:
                _begin(one.call, calls=0, at=at)  # asked beside its twin, by one call
            elif not _begin(one.call, calls=1, at=at):
                outcomes[one.call.pk] = _Outcome(CallState.FAILED, _BROKEN_OFF)
            elif not _pay(one.call):
                HarvestCall.objects.filter(pk=one.call.pk).update(calls=F("calls") - 1)
                outcomes[one.call.pk] = _Outcome(CallState.UNASKED, "The budget of calls was spent before it.")
            else:
                paid.add((one.call.run_id, one.key))
    return outcomes


def _has_given_up(call: HarvestCall) -> bool:
    told = HarvestCall.objects.filter(run=call.run_id, tool=call.tool).aggregate(
        failed=Count("pk", filter=Q(state=CallState.FAILED)), answered=Count("pk", filter=Q(state=CallState.ANSWERED))
    )
    return told["failed"] >= _GIVES_UP_AFTER and not told["answered"]


def _begin(call: HarvestCall, *, calls: int, at: datetime) -> bool:
    """Marks a call as being made; False where somebody else has, whose call it is then."""
    rows = HarvestCall.objects.filter(pk=call.pk, state=CallState.WAITING)
    return bool(rows.update(state=CallState.ASKING, calls=F("calls") + calls, asked_at=at))


def _pay(call: HarvestCall) -> bool:
    rows = HarvestRun.objects.filter(pk=call.run_id, calls_spent__lt=F("call_budget"))
    return bool(rows.update(calls_spent=F("calls_spent") + 1))


def _write(
    questions: Sequence[_Question],
    outcomes: Mapping[int, _Outcome],
    answers: Mapping[str, SearchAnswer],
    *,
    at: datetime,
) -> None:
    told = {one.call.pk: outcomes.get(one.call.pk) or _outcome(answers[one.key]) for one in questions}
    words = {one.item.id: told[one.call.pk].state.value for one in questions}
    with transaction.atomic():
        if not questions:
            return
        held = jobs.complete(lease=questions[0].item.lease, outcomes=words, at=at)
        search_calls.keep(answers, at=at)
        finds: dict[HarvestRun, list[Find]] = {}
        for one in questions:
            outcome = told[one.call.pk]
            if one.item.id not in held:
                # Stopped or taken over meanwhile. The answer is kept: taking the harvest up finds it at no cost.
                HarvestCall.objects.filter(pk=one.call.pk, state=CallState.ASKING).update(state=CallState.WAITING)
                continue
            HarvestCall.objects.filter(pk=one.call.pk).update(
                state=outcome.state, reason=outcome.reason[:300], found=len(outcome.hits)
            )
            finds.setdefault(one.call.run, []).extend(_finds(one.call, outcome.hits))
        # All of a harvest together and in order, so that two workers cannot wait for each other.
        for run in sorted(finds, key=lambda one: one.pk):
            harvest_finds.record(run=run, finds=finds[run])


def _outcome(answer: SearchAnswer) -> _Outcome:
    if isinstance(answer, Unavailable):
        return _Outcome(CallState.FAILED, search_calls.told(answer))
    return _Outcome(CallState.ANSWERED, hits=answer)


def _finds(call: HarvestCall, hits: Sequence[Hit]) -> list[Find]:
    return [
        Find(
            section_id=call.query.section_id,
            url=hit.url,
            title=hit.title,
            rank=rank,
            call_id=call.pk,
            snippet=hit.snippet.replace("\x00", " "),
            score=hit.score,
            published=hit.published,
            publisher=hit.publisher,
        )
        for rank, hit in enumerate(hits, 1)
    ]
