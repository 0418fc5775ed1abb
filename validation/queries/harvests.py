"""A harvest as its page, its interface and its command show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Prefetch, QuerySet, Sum

from sources.models import Project
from validation.core.harvest_states import CallState, CandidateState, HarvestState
from validation.core.harvest_tools import Tool, price_of
from validation.models import Candidate, HarvestCall, HarvestHit, HarvestQuery, HarvestRun
from validation.queries.readable_work import readable_work, readable_work_at

_FRESH_S, _LONG_S = 30, 300


@dataclass(frozen=True, slots=True)
class Spending:
    """What one search was asked: `made` calls were made and paid for, `kept` were answered from before."""

    tool: Tool
    made: int
    answered: int
    kept: int
    failed: int
    unasked: int
    waiting: int
    hits: int

    @property
    def cost(self) -> str:
        """What the calls cost by the provider's prices, in its own unit."""
        return price_of(self.tool).of(self.made)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a harvest is. `poll_s`: how soon to ask again, None where nothing will change."""

    state: HarvestState
    spending: Sequence[Spending]
    candidates: Mapping[CandidateState, int]
    poll_s: int | None

    @property
    def calls(self) -> int:
        """All calls of the plan."""
        return sum(one.answered + one.kept + one.failed + one.unasked + one.waiting for one in self.spending)

    @property
    def calls_settled(self) -> int:
        """Calls that need no more work."""
        return self.calls - sum(one.waiting for one in self.spending)

    @property
    def to_check(self) -> int:
        """Candidates that were chosen for a check."""
        return self.checked + self.candidates[CandidateState.WAITING]

    @property
    def checked(self) -> int:
        """Candidates whose check is over."""
        return self.candidates[CandidateState.KEPT] + self.candidates[CandidateState.DROPPED]

    @property
    def total(self) -> int:
        """All candidates, each once."""
        return sum(self.candidates.values())

    @property
    def line(self) -> str:
        """`12 of 20 calls · 31 found · 18 of 31 checked · 15 in the corpus`."""
        parts = [f"{self.calls_settled:,} of {self.calls:,} calls"] if self.calls else []
        parts.append(f"{self.total:,} found")
        if self.to_check:
            parts.append(f"{self.checked:,} of {self.to_check:,} checked")
        parts.append(f"{self.candidates[CandidateState.KEPT]:,} in the corpus")
        return " · ".join(parts)

    @property
    def can_be_taken_up(self) -> bool:
        """True where a person can have it go on: it was stopped, or something was left out or failed."""
        left = any(one.failed or one.unasked or one.waiting for one in self.spending)
        waits = self.candidates[CandidateState.LEFT_OUT] or self.candidates[CandidateState.WAITING]
        is_over = self.state in {HarvestState.STOPPED, HarvestState.DONE}
        return is_over and bool(left or waits or self.state is HarvestState.STOPPED)


def harvests_of(project: Project, limit: int = 20) -> list[HarvestRun]:
    """The project's newest harvests, with how many sources each put into the corpus. One query."""
    rows = readable_work(HarvestRun.objects.all()).filter(project=project).select_related("created_by").order_by("-pk")
    return list(rows.annotate(found=Count("candidates", filter=readable_work_at(Candidate, "candidates__")))[:limit])


def standing_of(run: HarvestRun, *, at: datetime) -> Standing:
    """Where the harvest stands. Two queries, whatever its size."""
    by_state = dict(readable_work(run.candidates.all()).order_by().values_list("state").annotate(number=Count("pk")))
    return Standing(
        state=run.as_state,
        spending=_spending(run),
        candidates={state: by_state.get(state.value, 0) for state in CandidateState},
        poll_s=_poll_s(run, at=at),
    )


def queries_of(run: HarvestRun) -> list[HarvestQuery]:
    """The plan, with sections and calls. Two queries."""
    calls = HarvestCall.objects.order_by("pk")
    return list(
        run.queries.select_related("section").prefetch_related(Prefetch("calls", queryset=calls)).order_by("position")
    )


def calls_in_trouble(run: HarvestRun) -> list[HarvestCall]:
    """Calls that failed or were not made, with their queries; at most 200. One query."""
    rows = run.calls.filter(state__in=[CallState.FAILED, CallState.UNASKED]).select_related("query__section")
    return list(rows.order_by("query__position", "pk")[:200])


def candidates_of(run: HarvestRun, state: CandidateState | None = None) -> QuerySet[Candidate]:
    """What was found, best first, with the places where it was found. Two queries a page."""
    hits = HarvestHit.objects.select_related("section", "call__query").order_by("rank", "pk")
    rows = readable_work(run.candidates.all()).prefetch_related(Prefetch("hits", queryset=hits))
    # As they are chosen for the checks (`services.harvest_choosing`).
    rows = rows.annotate(best=Min("hits__rank"), asked=Min("hits__call__query__position")).order_by(
        "best", "asked", "pk"
    )
    return rows.filter(state=state) if state else rows


def _spending(run: HarvestRun) -> list[Spending]:
    rows = (
        run.calls.order_by()
        .values_list("tool", "state")
        .annotate(number=Count("pk"), made=Sum("calls"), named=Sum("found"))
    )
    counts: dict[Tool, dict[str, int]] = {}
    for tool, state, number, made, hits in rows:
        told = counts.setdefault(Tool(tool), {})
        told[state] = number
        told["made"] = told.get("made", 0) + made
        told["hits"] = told.get("hits", 0) + hits
    return [
        Spending(
            tool=tool,
            made=told.get("made", 0),
            answered=told.get(CallState.ANSWERED, 0),
            kept=told.get(CallState.KEPT, 0),
            failed=told.get(CallState.FAILED, 0),
            unasked=told.get(CallState.UNASKED, 0),
            waiting=told.get(CallState.WAITING, 0) + told.get(CallState.ASKING, 0),
            hits=told.get("hits", 0),
        )
        for tool, told in sorted(counts.items(), key=lambda pair: list(Tool).index(pair[0]))
    ]


def _poll_s(run: HarvestRun, *, at: datetime) -> int | None:
    """1 s while a harvest is young, then less and less often: a forgotten tab must not keep the server busy."""
    if not run.as_state.is_under_way or run.started_at is None:
        return None
    age = (at - run.started_at).total_seconds()
    return 1 if age < _FRESH_S else 3 if age < _LONG_S else 10
