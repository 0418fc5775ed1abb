"""Progress of a job: counts that add up, a rate that is no guess, one query."""

from datetime import datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from provenance_site.jobs import queries
from provenance_site.jobs.models import Job
from provenance_site.jobs.states import ItemState
from tests.clock import NOW
from tests.factories import JobFactory, JobItemFactory

pytestmark = pytest.mark.django_db


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def add(job: Job, count: int, state: ItemState, outcome: str = "", finished_s: float | None = None) -> None:
    for _ in range(count):
        JobItemFactory(
            job=job, state=state, outcome=outcome, finished_at=None if finished_s is None else later(finished_s)
        )


def test_counts_add_up(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    job = JobFactory()
    add(job, 4, ItemState.PENDING)
    add(job, 3, ItemState.DONE, "good", 1)
    add(job, 2, ItemState.DONE, "bad", 1)
    add(job, 1, ItemState.GIVEN_UP, "given-up", 1)
    add(job, 2, ItemState.SKIPPED, finished_s=2)
    add(JobFactory(), 5, ItemState.PENDING)
    with django_assert_num_queries(1):
        told = queries.progress(job, at=later(3))
    assert (told.total, told.done, told.open) == (12, 6, 4)
    assert told.by_outcome == {"good": 3, "bad": 2, "given-up": 1}
    assert told.by_state == {
        ItemState.PENDING: 4,
        ItemState.LEASED: 0,
        ItemState.DONE: 5,
        ItemState.GIVEN_UP: 1,
        ItemState.SKIPPED: 2,
    }
    assert told.percent == 66


def test_what_was_known_beforehand_is_counted_apart_and_is_no_speed() -> None:
    job = JobFactory()
    add(job, 500, ItemState.DONE, "good")
    add(job, 12, ItemState.DONE, "good", 6)
    add(job, 12, ItemState.PENDING)
    told = queries.progress(job, at=later(12))
    assert (told.done, told.known) == (512, 500)
    assert told.rate_per_s == 1.0
    assert told.eta_s == 12


def test_a_job_without_items_is_complete() -> None:
    told = queries.progress(JobFactory(), at=NOW)
    assert (told.total, told.percent, told.rate_per_s, told.eta_s) == (0, 100, None, None)


def test_a_hundred_percent_means_that_nothing_is_open() -> None:
    job = JobFactory()
    add(job, 199, ItemState.DONE, "good", 1)
    add(job, 1, ItemState.PENDING)
    assert queries.progress(job, at=later(2)).percent == 99


def test_rate_and_time_left_come_from_the_last_minute() -> None:
    job = JobFactory()
    add(job, 50, ItemState.DONE, "good", 10)
    add(job, 12, ItemState.DONE, "good", 100)
    add(job, 30, ItemState.PENDING)
    told = queries.progress(job, at=later(120))
    assert told.rate_per_s == pytest.approx(12 / 60)
    assert told.eta_s == 150


def test_the_rate_of_a_young_job_is_that_of_its_life() -> None:
    job = JobFactory()
    add(job, 20, ItemState.DONE, "good", 5)
    add(job, 10, ItemState.PENDING)
    told = queries.progress(job, at=later(10))
    assert told.rate_per_s == pytest.approx(2)
    assert told.eta_s == 5


@pytest.mark.parametrize(
    ("done", "finished_s", "asked_s"),
    [
        pytest.param(9, 5, 10, id="fewer than ten items"),
        pytest.param(20, 2, 4, id="younger than five seconds"),
        pytest.param(20, 5, 500, id="nothing done in the last minute"),
    ],
)
def test_a_rate_that_would_be_a_guess_is_not_told(done: int, finished_s: float, asked_s: float) -> None:
    job = JobFactory()
    add(job, done, ItemState.DONE, "good", finished_s)
    add(job, 10, ItemState.PENDING)
    told = queries.progress(job, at=later(asked_s))
    assert (told.rate_per_s, told.eta_s) == (None, None)


def test_a_finished_job_has_no_time_left() -> None:
    job = JobFactory()
    add(job, 20, ItemState.DONE, "good", 5)
    told = queries.progress(job, at=later(10))
    assert (told.rate_per_s, told.eta_s, told.percent) == (None, None, 100)
