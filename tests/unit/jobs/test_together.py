"""Items of several jobs that go together: claimed by one worker, and left alone while one of them is in other hands."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from provenance_site.jobs import services
from provenance_site.jobs.models import Job, JobItem
from provenance_site.jobs.states import ItemState
from tests.clock import NOW
from tests.factories import UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db
KIND = "validation.run"
LATER = NOW + timedelta(minutes=5)


def start(numbers: Mapping[int, int | None]) -> Job:
    """A job over these subjects in this order, with the numbers that say what they are alike to."""
    return services.create(
        workspace_id=WorkspaceFactory().pk,
        kind=KIND,
        title="Check",
        subject_ids=list(numbers),
        by=UserFactory(),
        at=NOW,
        alike={subject: number for subject, number in numbers.items() if number is not None},
    )


def claim(limit: int = 10, at: datetime = NOW, **more: object) -> services.Claim:
    return services.claim(kind=KIND, limit=limit, at=at, lease_s=60, **more)  # type: ignore[arg-type]


def subjects(claimed: services.Claim) -> list[int]:
    return sorted(item.subject_id for item in claimed.items)


def complete(claimed: services.Claim) -> None:
    with transaction.atomic():
        services.complete(lease=claimed.lease, outcomes={item.id: "good" for item in claimed.items}, at=NOW)


def test_a_claim_takes_along_what_goes_with_it_wherever_it_stands() -> None:
    start({1: 7, 2: 8, 3: 9})
    start({11: 9, 12: 8, 13: 7})
    assert subjects(claim(limit=1)) == [1, 13]
    assert subjects(claim(limit=2)) == [2, 3, 11, 12]


def test_no_more_is_taken_along_than_was_asked_for() -> None:
    for first in range(10, 60, 10):
        start({first: 7})
    assert len(claim(limit=2).items) == 4
    assert claim().items == ()


def test_what_goes_with_an_item_in_other_hands_waits_for_it() -> None:
    start({1: 7})
    held = claim()
    start({11: 7, 12: 8})
    assert subjects(claim()) == [12]
    complete(held)
    assert subjects(claim()) == [11]


def test_who_holds_an_item_takes_along_what_comes_later() -> None:
    start({1: 7, 2: 8})
    held = claim()
    start({11: 8, 12: 9, 13: 7})
    assert subjects(claim(limit=2, beside=[held.lease])) == [11, 12, 13]


def test_dead_hands_hold_nothing_back() -> None:
    start({1: 7})
    claim()
    start({11: 7})
    assert subjects(claim(at=LATER)) == [1, 11]


def test_items_that_go_with_nothing_are_claimed_as_ever() -> None:
    start({1: None, 2: None})
    held = claim(limit=1)
    start({11: None})
    assert subjects(held) == [1]
    assert subjects(claim()) == [2, 11]


def test_a_claim_of_one_job_takes_only_its_items_and_waits_for_nobody() -> None:
    start({1: 7})
    claim()
    other = start({11: 7})
    start({21: 7})
    assert subjects(claim(job_id=other.pk)) == [11]


def test_jobs_of_another_kind_or_that_ended_hold_nothing_back() -> None:
    start({1: 7})
    job = start({11: 7})
    start({21: 8})
    services.cancel(job=job, by=UserFactory(), at=NOW)
    Job.objects.filter(items__subject_id=21).update(kind="other")
    assert subjects(claim()) == [1]


@pytest.mark.django_db(transaction=True)
def test_eight_workers_never_have_two_that_go_together_in_different_hands() -> None:
    for place, step in ((1, 1), (2, 7), (3, 50)):
        start({place * 1000 + subject: (subject * step) % 101 for subject in range(101)})
    guard = threading.Lock()
    holders: set[int] = set()
    broken: list[int] = []
    done: list[int] = []
    numbers = dict(JobItem.objects.values_list("pk", "alike"))

    def work() -> None:
        while True:
            claimed = services.claim(kind=KIND, limit=5, at=datetime.now(UTC), lease_s=60)
            mine = {numbers[item.id] for item in claimed.items}
            with guard:
                broken.extend(number for number in mine if number in holders)
                holders.update(mine)
            if not claimed.items:
                if not JobItem.objects.filter(state=ItemState.PENDING).exists():
                    return
                continue
            with transaction.atomic():
                outcomes = {item.id: "good" for item in claimed.items}
                # Before the commit: from then on others may take what was held back.
                with guard:
                    holders.difference_update(mine)
                held = services.complete(lease=claimed.lease, outcomes=outcomes, at=datetime.now(UTC))
            done.extend(held)

    at_once(*[work] * 8)
    assert broken == []
    assert len(done) == len(set(done)) == 303


def at_once(*deeds: Callable[[], None]) -> None:
    """Runs the deeds in threads that start together; a failure of one fails the test."""
    together = threading.Barrier(len(deeds))

    def run(deed: Callable[[], None]) -> None:
        together.wait(timeout=2)
        try:
            deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        for ended in [pool.submit(run, deed) for deed in deeds]:
            ended.result(timeout=30)
