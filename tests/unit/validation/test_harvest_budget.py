"""What a harvest may spend holds for two workers at once, and for every search that the validator could ask."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from provenance_site.changes.models import Channel
from sources.core.outline import Part
from sources.models import Source
from sources.services import outlines, projects
from tests.clock import NOW
from tests.desk import Desk
from tests.fakes.world import World, page, wall
from validation.core.harvest_states import CallState, CandidateState, HarvestState
from validation.core.harvest_tools import Tool
from validation.core.ports import ANYWHERE, Domains, Hit, Search, SearchAnswer
from validation.core.providers import Account
from validation.models import HarvestRun
from validation.services import harvest_plans, harvest_runs, harvest_searching, harvest_work
from validation.services.harvest_plans import Budget

WALL = "https://www.wsj.com/articles/harbour-robots"
OPEN = "https://gazette.org/harbour-robots"
TITLE = "Harbour robots find their market in the north"


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Searches:
    """The searches of a harvest, each of which gives the same hits; `asked` keeps the questions."""

    hits: tuple[Hit, ...] = ()
    pause_s: float = 0.0
    asked: list[str] = field(default_factory=list)
    name: str = "tavily"

    def searches(self, accounts: tuple[Account, ...]) -> dict[Tool, Search]:
        """This one, for all."""
        return dict.fromkeys(Tool, self)

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """The hits."""
        self.asked.append(query)
        await asyncio.sleep(self.pause_s)
        return self.hits

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Any]:
        """As a harvest opens it."""
        yield self


@pytest.fixture(autouse=True)
def _configured(settings: Any) -> None:
    settings.TAVILY_KEY, settings.SEARXNG_URL, settings.SCHOLARLY = "a-key-of-tavily", "", False


def started(desk: Desk, questions: int, **budget: int) -> HarvestRun:
    project = projects.create(workspace_id=desk.workspace.pk, name="Harbour Robotics", by=desk.person(), at=NOW)
    part = Part("Market", tuple(f"What is fact {place}?" for place in range(questions)), (), slug="")
    outlines.save(project=project, parts=[part], by=desk.person(), channel=Channel.PAGE, at=NOW)
    run = harvest_plans.from_outline(project=project, by=desk.person(), at=now(), budget=Budget(**budget))
    return harvest_runs.start(run=run, by=desk.person(), at=now())


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_make_no_more_calls_than_the_budget(desk: Desk) -> None:
    """Forty calls wait, seven may be made: the hits lie in the last of them, and nothing is checked twice."""
    run = started(desk, 40, calls=7, candidates=1)
    hits = tuple(Hit(f"https://gazette.org/{place}", TITLE, "tavily") for place in range(5))
    searches = Searches(hits, pause_s=0.02)
    world = World(pages={hit.url: page(hit.url, title=TITLE) for hit in hits})

    def work() -> None:
        try:
            while harvest_work.work(clock=now, budget_s=20, open_searches=searches.open, open_world=world.open):
                pass
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(work), threads.submit(work)]:
            done.result()
    harvest_work.work(clock=now, budget_s=20, open_searches=searches.open, open_world=world.open)
    run.refresh_from_db()
    assert run.state == HarvestState.DONE
    assert run.calls_spent == len(searches.asked) == 7
    assert run.calls.filter(state=CallState.ANSWERED).count() == 7
    assert run.calls.filter(state=CallState.UNASKED).count() == 33
    assert run.candidates_spent == len(set(world.fetched) & {hit.url for hit in hits}) == 1
    assert run.candidates.filter(state=CandidateState.LEFT_OUT).count() == 4


@pytest.mark.django_db
def test_a_page_behind_a_wall_is_vouched_for_by_the_search_that_found_it_at_no_further_call(desk: Desk) -> None:
    """A known publisher's page that a search lists under its title is verified, gated; a dead one is looked for
    nowhere."""
    run = started(desk, 1, calls=5, candidates=5)
    dead = "https://gazette.org/gone"
    searches = Searches(tuple(Hit(url, TITLE, "tavily") for url in (WALL, OPEN, dead)))
    world = World(
        pages={WALL: wall(WALL), OPEN: page(OPEN, title=TITLE), dead: page(dead, title="Not found", status=404)},
        hits=(Hit(OPEN, TITLE, "fake"),),
    )
    harvest_work.work(clock=now, budget_s=20, open_searches=searches.open, open_world=world.open)
    verdicts = dict(run.candidates.values_list("url", "verdict"))
    assert verdicts == {WALL: "verified-gated", OPEN: "verified-accessible", dead: "hard-404"}
    assert (len(searches.asked), world.queries) == (1, [])


@pytest.mark.django_db
def test_a_fault_of_ours_in_one_search_stops_no_other(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Searches):
        async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
            if "fact 1" in query:
                raise RuntimeError("no such field")
            return await super().search(query, limit=limit, domains=domains)

    run = started(desk, 3, calls=5, candidates=5)
    searches = Broken((Hit(OPEN, TITLE, "tavily"),))
    world = World(pages={OPEN: page(OPEN, title=TITLE)})
    harvest_work.work(clock=now, budget_s=20, open_searches=searches.open, open_world=world.open)
    assert sorted(run.calls.values_list("state", flat=True)) == ["answered", "answered", "failed"]
    assert "a fault of this desk" in run.calls.get(state=CallState.FAILED).reason.lower()
    assert "no such field" in caplog.text
    assert run.candidates.get().state == CandidateState.KEPT


@pytest.mark.django_db
def test_a_title_that_the_search_has_cut_off_is_no_other_work_s(desk: Desk) -> None:
    run = started(desk, 1, calls=5, candidates=5)
    searches = Searches((Hit(OPEN, "Harbour robots find …", "tavily"),))
    world = World(pages={OPEN: page(OPEN, title=TITLE)})
    harvest_work.work(clock=now, budget_s=20, open_searches=searches.open, open_world=world.open)
    assert run.candidates.get().state == CandidateState.KEPT
    assert Source.objects.get().title == TITLE


@pytest.mark.django_db
def test_an_answer_that_comes_after_the_stop_is_kept_for_when_the_harvest_is_taken_up(desk: Desk) -> None:
    run = started(desk, 1, calls=5, candidates=5)
    stopped: list[bool] = []

    def at_the_end() -> datetime:
        """The clock is read once more between the answer and its write: then somebody presses “Stop”."""
        if searches.asked and not stopped:
            stopped.append(harvest_runs.cancel(run=run, by=desk.person(), at=now()))
        return now()

    searches = Searches((Hit(OPEN, TITLE, "tavily"),))
    harvest_searching.step(clock=at_the_end, open_searches=searches.open)
    run.refresh_from_db()
    assert stopped == [True]
    assert run.state == HarvestState.STOPPED
    assert not run.candidates.exists()
    harvest_runs.resume(run=run, by=desk.person(), at=now())
    world = World(pages={OPEN: page(OPEN, title=TITLE)})
    harvest_work.work(clock=now, budget_s=20, open_searches=searches.open, open_world=world.open)
    run.refresh_from_db()
    assert (run.state, run.calls_spent, len(searches.asked)) == (HarvestState.DONE, 1, 1)
    assert run.candidates.get().state == CandidateState.KEPT
