"""Many workers at once, each with a connection of its own, on the database the suite runs on."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.db import connection, transaction

from provenance_site.jobs import services
from provenance_site.jobs.models import Job, JobItem
from provenance_site.jobs.states import ItemState, JobState
from tests.clock import NOW
from tests.factories import UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db(transaction=True)

KIND = "validation.run"
WORKERS = 8
ITEMS = 300


def start_job(items: int = ITEMS) -> Job:
    return services.create(
        workspace_id=WorkspaceFactory().pk, kind=KIND, title="Check", subject_ids=range(items), by=UserFactory(), at=NOW
    )


def at_once(*deeds: Callable[[], None]) -> None:
    """Runs the deeds in threads that start together; a failure of one fails the test."""
    start = threading.Barrier(len(deeds))

    def run(deed: Callable[[], None]) -> None:
        start.wait(timeout=2)
        try:
            deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        for ended in [pool.submit(run, deed) for deed in deeds]:
            ended.result(timeout=30)


def test_eight_workers_complete_each_of_300_items_exactly_once_and_one_of_them_finishes_the_job() -> None:
    job = start_job()
    written: list[int] = []
    finished: list[bool] = []

    def work() -> None:
        while True:
            at = datetime.now(UTC)
            claimed = services.claim(kind=KIND, limit=7, at=at, lease_s=60)
            if not claimed.items:
                return
            with transaction.atomic():
                done = services.complete(
                    lease=claimed.lease, outcomes={item.id: "good" for item in claimed.items}, at=at
                )
                written.extend(item.subject_id for item in claimed.items if item.id in done)
                finished.append(services.finish_if_done(job.pk, at=at))

    at_once(*[work] * WORKERS)
    assert Counter(written) == Counter(range(ITEMS))
    assert finished.count(True) == 1
    job.refresh_from_db()
    assert job.state == JobState.DONE


def test_workers_that_take_over_from_each_other_write_each_item_once() -> None:
    """Leases of no length: every claim may take what another one still works on."""
    start_job(40)
    written: list[int] = []

    def work() -> None:
        for _ in range(20):
            at = datetime.now(UTC)
            claimed = services.claim(kind=KIND, limit=5, at=at, lease_s=0)
            with transaction.atomic():
                done = services.complete(
                    lease=claimed.lease, outcomes={item.id: "good" for item in claimed.items}, at=at
                )
            written.extend(item.subject_id for item in claimed.items if item.id in done)

    at_once(*[work] * 4)
    assert max(Counter(written).values()) == 1
    open_or_lost = JobItem.objects.exclude(state=ItemState.DONE).count()
    assert len(written) + open_or_lost == 40


def test_a_cancel_among_busy_workers_leaves_nothing_open_and_nothing_is_written_after_it() -> None:
    job = start_job()
    person = UserFactory()
    written: list[int] = []
    under_way = threading.Event()

    def work() -> None:
        for _ in range(100):
            at = datetime.now(UTC)
            claims = [services.claim(kind=KIND, limit=3, at=at, lease_s=60) for _ in range(2)]
            outcomes = {found.lease: {item.id: "good" for item in found.items} for found in claims}
            with transaction.atomic():
                written.extend(services.complete_many(outcomes=outcomes, at=at))
            under_way.set()
            if not any(found.items for found in claims):
                return

    def stop() -> None:
        under_way.wait(timeout=2)
        services.cancel(job=Job.objects.get(pk=job.pk), by=person, at=datetime.now(UTC))

    at_once(*[work] * 4, stop)
    job.refresh_from_db()
    counts = Counter(JobItem.objects.values_list("state", flat=True))
    assert job.state in {JobState.CANCELLED, JobState.RUNNING}
    assert counts[ItemState.DONE] == len(written)
    assert set(counts) <= {ItemState.DONE, ItemState.SKIPPED}
    assert sum(counts.values()) == ITEMS


def test_the_workers_with_the_last_two_items_do_not_both_leave_the_job_open() -> None:
    for _ in range(5):
        job = start_job(2)
        first, second = (services.claim(kind=KIND, limit=1, at=NOW, lease_s=60, job_id=job.pk) for _ in range(2))
        finished: list[bool] = []

        def finish(claimed: services.Claim, job: Job, finished: list[bool]) -> None:
            with transaction.atomic():
                services.complete(lease=claimed.lease, outcomes={claimed.items[0].id: "good"}, at=NOW)
                finished.append(services.finish_if_done(job.pk, at=NOW + timedelta(seconds=1)))

        at_once(partial(finish, first, job, finished), partial(finish, second, job, finished))
        assert sorted(finished) == [False, True]
