"""Providers are asked once a week about one thing, whichever worker asks; nothing of a workspace is kept with it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from provenance_site.jobs import services as jobs
from sources.core.identifiers import identify
from sources.models import Source
from sources.services import projects, registry
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.fakes.providers import FakeArchive, FakeRegistry
from tests.fakes.world import World, gone, wall
from validation.adapters.registry import Outside
from validation.core.classify import Claimed
from validation.core.lookups import TTL
from validation.core.ports import Hit, Work
from validation.models import LookupCache
from validation.services import lookups, runs, work
from validation.services.runs import Scope
from validation.services.validate import Target, examine

pytestmark = pytest.mark.django_db
TITLE = "Boats of the harbour in spring"
URL = "https://gazette.org/2024/harbour"
DOI = "10.1016/j.harbour.2024.01.001"
WALLED = "https://www.wsj.com/articles/harbour-in-spring"


def world() -> World:
    link = f"https://doi.org/{DOI}"
    return World(
        pages={URL: gone(URL), WALLED: wall(WALLED), link: wall(link)},
        registered={DOI: "https://press.org/x"},
        hits=(Hit("https://gazette.org/other", "Ferry timetable for the winter months", "fake"),),
        registries=(FakeRegistry([Work(DOI, TITLE, "fake")]),),
        archive=FakeArchive(),
    )


TARGETS = [
    Target(identify(address), Claimed(title=TITLE, author="Ada Quay", publisher="Journal of Harbours"))
    for address in (URL, WALLED, DOI)
]


def examine_all(world: World, at: datetime = NOW, *, fill: bool = True) -> Outside:
    """Checks all targets as a worker does: with what is kept, and what is new written back."""
    opened: list[Outside] = []

    async def open_it() -> Any:
        manager = world.open()
        opened.append(await manager.__aenter__())
        return manager

    async def run() -> None:
        for target in TARGETS:
            await examine(target, opened[0], clock=lambda: at)

    asyncio.run(open_it())
    if fill:
        lookups.load(targets=TARGETS, outside=opened[0], at=at)
    asyncio.run(run())
    lookups.save(outside=opened[0], at=at)
    return opened[0]


def asked(world: World) -> int:
    assert isinstance(world.archive, FakeArchive)
    (found,) = world.registries
    assert isinstance(found, FakeRegistry)
    return len(world.queries) + len(found.asked) + len(world.archive.asked)


def test_everything_that_a_check_asks_is_foreseen_and_asked_once() -> None:
    first, second = world(), world()
    examine_all(first)
    assert asked(first) > 5
    examine_all(second)
    assert asked(second) == 0
    assert len(second.fetched) == len(first.fetched)


def test_after_a_week_it_is_asked_again_and_the_old_answers_are_gone() -> None:
    examine_all(world())
    kept = LookupCache.objects.count()
    later = world()
    examine_all(later, NOW + TTL)
    assert asked(later) > 5
    assert LookupCache.objects.count() == kept
    assert not LookupCache.objects.filter(stored_at__lt=NOW + TTL).exists()


def test_what_could_not_be_asked_is_not_kept() -> None:
    down = World(
        pages={URL: gone(URL)},
        registries=(FakeRegistry(down="out of order"),),
        archive=FakeArchive(down="out of order"),
    )
    examine_all(down)
    assert not LookupCache.objects.exists()


def test_an_answer_of_another_release_is_asked_for_again() -> None:
    examine_all(world())
    LookupCache.objects.update(answer='{"something": "else"}')
    again = world()
    examine_all(again)
    assert asked(again) > 5


def test_loading_costs_one_query_for_hundreds_of_questions() -> None:
    outside = examine_all(world())
    targets = [Target(identify(f"{URL}/{number}"), TARGETS[0].claimed) for number in range(60)]
    with CaptureQueriesContext(connection) as queries:
        lookups.load(targets=targets, outside=outside, at=NOW)
    assert len(queries) == 1


def test_two_runs_of_a_worker_ask_providers_once(desk: Desk) -> None:
    project = projects.create(workspace_id=desk.workspace.pk, name="Memo", by=desk.person(), at=NOW)
    found = registry.register_many(workspace_id=desk.workspace.pk, sources=[NewSource(identify(URL), TITLE)], at=NOW)
    projects.enter(project=project, source_ids=[source.pk for source in found.by_key.values()], at=NOW)
    counts = []
    for _ in range(2):
        mine = world()
        run = runs.start(project=project, scope=Scope.EVERYTHING, by=desk.person(), at=datetime.now(UTC))
        work.work(clock=lambda: datetime.now(UTC), budget_s=30, open_world=mine.open)
        jobs.finish_if_done(run.job_id, at=datetime.now(UTC) + timedelta(seconds=1))
        counts.append(asked(mine))
    assert counts[0] > 0
    assert counts[1] == 0
    assert Source.objects.get().verdict == "hard-404"
