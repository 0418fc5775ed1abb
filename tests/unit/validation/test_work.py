"""The worker's loop: every source exactly once, whoever dies, and nothing held back by a slow one."""

import asyncio
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import ItemState, JobState
from sources.core.findings import Cause, Verdict
from sources.core.identifiers import identify
from sources.models import Check, Project, Source
from sources.services import projects, registry
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.fakes.world import World, gone, page
from validation.core.fetching import FetchResult
from validation.models import CheckRun
from validation.services import runs, work
from validation.services.runs import AlreadyRunning, NothingToCheck, Scope

pytestmark = pytest.mark.django_db
TITLE = "Harbour survey results"


def now() -> datetime:
    return datetime.now(UTC)


def project_with(desk: Desk, number: int) -> Project:
    project = projects.create(workspace_id=desk.workspace.pk, name="Memo", by=desk.person(), at=NOW)
    found = registry.register_many(
        workspace_id=desk.workspace.pk,
        sources=[NewSource(identify(f"https://gazette.org/{place}"), TITLE) for place in range(number)],
        at=NOW,
    )
    with transaction.atomic():
        projects.enter(project=project, source_ids=[source.pk for source in found.by_key.values()], at=NOW)
    return project


def world_of(number: int) -> World:
    return World(
        pages={url: page(url, title=TITLE) for place in range(number) for url in [f"https://gazette.org/{place}"]}
    )


def start(desk: Desk, project: Project, scope: Scope = Scope.ALL) -> CheckRun:
    return runs.start(project=project, scope=scope, by=desk.person(), at=now())


def test_a_run_checks_every_source_once_and_ends(desk: Desk) -> None:
    run = start(desk, project_with(desk, 30))
    world = world_of(30)
    assert not work.work(clock=now, budget_s=30, open_world=world.open)
    run.job.refresh_from_db()
    assert run.job.state == JobState.DONE
    assert Counter(world.fetched) == Counter({f"https://gazette.org/{place}": 1 for place in range(30)})
    assert Check.objects.filter(item__job=run.job).count() == 30
    assert set(Source.objects.values_list("verdict", flat=True)) == {Verdict.VERIFIED_ACCESSIBLE}


def test_a_finding_is_written_while_a_slow_source_is_still_under_way(desk: Desk) -> None:
    start(desk, project_with(desk, 2))
    written: list[int] = []
    url, slow_url = "https://gazette.org/0", "https://gazette.org/1"

    class Uneven(World):
        async def fetch(self, url: str) -> FetchResult:
            while url == slow_url and not written:
                await asyncio.sleep(0.01)
            return await super().fetch(url)

    world = Uneven(pages={url: gone(url), slow_url: gone(slow_url)})
    work.work(clock=now, budget_s=30, open_world=world.open, on_written=lambda: written.append(Check.objects.count()))
    assert written == [1, 2]


def test_a_dead_worker_s_sources_are_checked_again_after_its_lease_and_only_once(desk: Desk) -> None:
    run = start(desk, project_with(desk, 5))
    jobs.claim(kind=runs.KIND, limit=3, at=now(), lease_s=60)  # a worker that will never write back
    assert not work.work(clock=now, budget_s=30, open_world=world_of(5).open)
    run.job.refresh_from_db()
    assert run.job.state == JobState.RUNNING
    assert Check.objects.count() == 2

    later = lambda: now() + timedelta(seconds=61)  # noqa: E731
    assert jobs.sweep(kind=runs.KIND, at=later()) == [run.job_id]
    assert not work.work(clock=later, budget_s=30, open_world=world_of(5).open)
    run.job.refresh_from_db()
    assert run.job.state == JobState.DONE
    assert Check.objects.filter(item__job=run.job).count() == 5


def test_a_source_that_kills_three_workers_is_told_as_given_up(desk: Desk) -> None:
    run = start(desk, project_with(desk, 1))
    for attempt in range(3):
        jobs.claim(kind=runs.KIND, limit=1, at=now() + timedelta(minutes=attempt), lease_s=1)
    work.work(clock=lambda: now() + timedelta(minutes=9), budget_s=30, open_world=world_of(1).open)
    check = Check.objects.get()
    assert (check.verdict, check.cause) == (Verdict.FETCH_FAILED, Cause.GIVEN_UP)
    run.job.refresh_from_db()
    assert run.job.state == JobState.DONE


def test_a_fault_of_ours_on_one_source_does_not_stop_the_others(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    start(desk, project_with(desk, 4))
    world = world_of(4)

    def fail(url: str) -> None:
        if url.endswith("/2"):
            raise RuntimeError("a fault")

    world.on_fetch = fail
    work.work(clock=now, budget_s=30, open_world=world.open)
    assert Check.objects.count() == 3
    assert "a fault" in caplog.text
    assert JobItem.objects.filter(state=ItemState.LEASED).count() == 1


def test_a_cancelled_run_keeps_what_is_done_and_writes_nothing_more(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "IN_HAND", 8)
    run = start(desk, project_with(desk, 40))
    world = world_of(40)
    world.pause_s = 0.01

    def stop_after_first_write() -> None:
        run.job.refresh_from_db()
        if run.job.state == JobState.RUNNING:
            runs.cancel(run=run, by=desk.person(), at=now())

    work.work(clock=now, budget_s=30, open_world=world.open, on_written=stop_after_first_write)
    run.job.refresh_from_db()
    assert run.job.state == JobState.CANCELLED
    done = Check.objects.filter(item__job=run.job).count()
    assert 0 < done < 40
    assert JobItem.objects.filter(job=run.job, state=ItemState.DONE).count() == done
    assert JobItem.objects.filter(job=run.job, state=ItemState.SKIPPED).count() == 40 - done


def test_work_over_its_budget_is_left_for_the_next_call(desk: Desk) -> None:
    start(desk, project_with(desk, 3))
    assert work.work(clock=now, budget_s=0, open_world=world_of(3).open)
    assert not Check.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_four_workers_at_once_check_every_source_exactly_once(desk: Desk) -> None:
    run = start(desk, project_with(desk, 80))
    fetched: list[str] = []
    faults: list[BaseException] = []

    def drain() -> None:
        world = world_of(80)
        try:
            work.work(clock=now, budget_s=30, open_world=world.open)
        except BaseException as fault:  # noqa: BLE001  # a thread's fault must fail the test, whatever it is
            faults.append(fault)
        finally:
            fetched.extend(world.fetched)
            connection.close()

    threads = [threading.Thread(target=drain) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert len(fetched) == len(set(fetched)) == 80
    assert Check.objects.filter(item__job=run.job).count() == 80
    run.job.refresh_from_db()
    assert run.job.state == JobState.DONE


def test_two_clicks_start_one_run(desk: Desk) -> None:
    project = project_with(desk, 1)
    first = start(desk, project)
    with pytest.raises(AlreadyRunning) as already:
        start(desk, project)
    assert already.value.run == first


def test_a_run_of_nothing_is_refused_with_the_way_out(desk: Desk) -> None:
    project = projects.create(workspace_id=desk.workspace.pk, name="Empty", by=desk.person(), at=NOW)
    with pytest.raises(NothingToCheck, match="Import a list first"):
        start(desk, project)


def test_scopes_choose_what_is_new_and_what_failed(desk: Desk) -> None:
    project = project_with(desk, 3)
    failed, fine, _ = Source.objects.order_by("pk")
    Source.objects.filter(pk=failed.pk).update(verdict=Verdict.FETCH_FAILED)
    Source.objects.filter(pk=fine.pk).update(verdict=Verdict.VERIFIED_ACCESSIBLE)
    assert start(desk, project, Scope.UNCHECKED).job.items.count() == 1
    CheckRun.objects.get().job.items.all().delete()
    jobs.finish_if_done(CheckRun.objects.get().job_id, at=now())
    assert start(desk, project, Scope.FAILED).job.items.get().subject_id == failed.pk


def test_a_source_that_vanished_meanwhile_is_passed_over(desk: Desk) -> None:
    project = project_with(desk, 2)
    run = start(desk, project)
    gone_source = Source.objects.order_by("pk").first()
    assert gone_source is not None
    gone_source.entries.all().delete()
    gone_source.delete()
    work.work(clock=now, budget_s=30, open_world=world_of(2).open)
    run.job.refresh_from_db()
    assert run.job.state == JobState.DONE
    assert Check.objects.count() == 1
