"""Asks for candidates for a claim as a harvest asks for its sections, under the request's own budget of calls."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.records import Identity
from validation.core.harvest_states import CallState
from validation.core.harvest_tools import Tool
from validation.core.ports import Hit, Unavailable
from validation.core.providers import Account
from validation.core.query_plan import PlannedQuery
from validation.models import HarvestRequest
from validation.queries.rejected import rejected_before
from validation.services import search_calls
from validation.services.request_plans import plans_of
from validation.services.search_calls import OpenSearches, Question
from validation.services.validate import Clock

FROM_THE_DRAFT = "draft"
_PATIENCE_S = 30  # for all searches together; there are two rounds at most
_NO_SEARCH = "No search is configured. An admin can enter one on the page “Search providers”."
_GIVES_UP_AFTER = 3
_REMEMBERED = 50  # claims
_GIVEN_UP = f"It failed {_GIVES_UP_AFTER} times for other claims and never answered. Search again once it is back."
_SPENT = "The budget of calls was spent before it."


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a request, as its row keeps it. `domains` are those that the answer was kept to."""

    tool: Tool
    text: str
    domains: tuple[str, ...]
    why: str
    state: CallState
    reason: str = ""
    found: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """One address to look at, and who named it at which place, asked what."""

    hit: Hit
    rank: int
    identity: Identity
    query: str = ""


@dataclass(slots=True)
class Searched:
    """What one search has come to: its calls, what is worth a look, and what a person has to know."""

    calls: list[Call]
    found: list[Found]
    told: list[str]
    given_up: frozenset[Tool] = frozenset()

    @property
    def failed(self) -> set[Tool]:
        """Who did not answer."""
        return {one.tool for one in self.calls if one.state is CallState.FAILED}


def searched(
    request: HarvestRequest, accounts: tuple[Account, ...], *, clock: Clock, open_searches: OpenSearches
) -> Searched:
    """What comes of asking where the section would rather look, then elsewhere as far as that found less than may be
    checked. Twice is safe: what was answered costs nothing, and the budget holds over both."""
    draft_link = [(Hit(request.url, "", FROM_THE_DRAFT), 1, "")] if request.url else []
    result = Searched([], _distinct(draft_link), [], given_up=_given_up(request))
    plans = plans_of(request)
    if request.query and not any(plan.queries for plan in plans):
        result.told.append(_NO_SEARCH)
    for plan in plans:
        if len(result.found) < request.candidate_budget:
            _ask(request, plan.queries, accounts, result, clock=clock, open_searches=open_searches)
    for tool in Tool:
        reasons = dict.fromkeys(one.reason for one in result.calls if one.tool is tool and one.reason)
        result.told.extend(f"{tool.label}: {reason}" for reason in reasons)
    return result


def _ask(
    request: HarvestRequest,
    queries: Sequence[PlannedQuery],
    accounts: tuple[Account, ...],
    searched: Searched,
    *,
    clock: Clock,
    open_searches: OpenSearches,
) -> None:
    """Makes the calls of these queries that the budget reaches, and puts what they found behind what there is."""
    down = searched.failed | searched.given_up
    planned = [(one, Question(tool, one.text, one.domains, accounts)) for one in queries for tool in one.tools]
    kept = search_calls.kept([question.key for _, question in planned], at=clock())
    wanted = {question.key: question for _, question in planned if question.key not in kept}
    to_pay = [key for key, question in wanted.items() if question.tool not in down]
    paid = to_pay[: _pay(request, len(to_pay))]
    answers = search_calls.asked([wanted[key] for key in paid], open_searches, patience_s=_PATIENCE_S)
    # At once, so that a worker that dies over the pages leaves answers that the next one need not pay for.
    search_calls.keep(answers, at=clock())
    hits: list[tuple[int, int, Hit, str]] = []
    for order, (query, question) in enumerate(planned):
        got: tuple[Hit, ...] = ()
        state, reason = CallState.UNASKED, _SPENT
        answer = answers.get(question.key)
        if question.key in kept:
            state, reason, got = CallState.KEPT, "", kept[question.key]
        elif question.tool in searched.given_up:
            reason = _GIVEN_UP
        elif question.tool in down:
            reason = "It failed a moment ago."
        elif isinstance(answer, Unavailable):
            state, reason = CallState.FAILED, search_calls.told(answer)
        elif answer is not None:
            state, reason, got = CallState.ANSWERED, "", answer
        where = query.domains.include
        searched.calls.append(Call(question.tool, query.text, where, query.why, state, reason, len(got)))
        hits.extend((rank, order, hit, query.text) for rank, hit in enumerate(got, start=1))
    ranked = sorted(hits, key=lambda one: one[:2])
    have = {one.identity.key for one in searched.found}
    more = _distinct((hit, rank, text) for rank, _, hit, text in ranked)
    searched.found.extend(one for one in more if one.identity.key not in have)


def _given_up(request: HarvestRequest) -> frozenset[Tool]:
    """Who only failed at the claims of this workspace that were searched since this one was asked for: many are asked
    for at once, and a search that is down would be paid for by each. Who asks again asks everybody."""
    others = HarvestRequest.objects.filter(
        draft__project__workspace=request.draft.project.workspace_id, searched_at__gte=request.asked_at
    ).exclude(pk=request.pk)
    ends: Counter[tuple[str, str]] = Counter()
    for asked in others.order_by("-searched_at").values_list("asked", flat=True)[:_REMEMBERED]:
        ends.update((one["tool"], one["state"]) for one in asked)
    failed, answered = CallState.FAILED.value, CallState.ANSWERED.value
    return frozenset(
        tool for tool in Tool if ends[tool.value, failed] >= _GIVES_UP_AFTER and not ends[tool.value, answered]
    )


def _pay(request: HarvestRequest, calls: int) -> int:
    """Takes so many calls from the request's budget, or as many as are left; gives how many."""
    with transaction.atomic():
        held = HarvestRequest.objects.select_for_update(of=("self",), no_key=True).get(pk=request.pk)
        paid = max(0, min(calls, held.call_budget - held.calls_spent))
        HarvestRequest.objects.filter(pk=request.pk).update(calls_spent=F("calls_spent") + paid)
    return paid


def choose(request: HarvestRequest, searched: Searched) -> None:
    """Leaves what a person rejected before and what is beyond the budget; both are told."""
    keys = [one.identity.key for one in searched.found]
    rejected = rejected_before(workspace_id=request.draft.project.workspace_id, keys=keys)
    there = [one for one in searched.found if one.identity.key not in rejected]
    searched.found = there[: request.candidate_budget]
    if rejected:
        searched.told.append(f"Stays out, since a person rejected it before: {len(rejected)} of what was found.")
    if beyond := len(there) - len(searched.found):
        searched.told.append(
            f"Not looked at, since the budget of {request.candidate_budget} candidates was spent: {beyond} more."
        )


def _distinct(asked: Iterable[tuple[Hit, int, str]]) -> list[Found]:
    found: dict[str, Found] = {}
    for hit, rank, query in asked:
        try:
            identity = identify(hit.url)
        except (BadIdentifier, UnusableUrl):
            continue
        if identity.request_url:
            found.setdefault(identity.key, Found(hit, rank, identity, query))
    return list(found.values())
