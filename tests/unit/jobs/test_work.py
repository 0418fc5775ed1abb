"""Durable work: each item is done exactly once, whoever dies on the way."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.db.transaction import TransactionManagementError
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from provenance_site.jobs import services
from provenance_site.jobs.models import Job, JobItem
from provenance_site.jobs.states import ItemState, JobState
from tests.clock import NOW
from tests.factories import JobFactory, JobItemFactory, UserFactory, WorkspaceFactory

pytestmark = pytest.mark.django_db

KIND = "validation.run"
LEASE_S = 20


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def job_of(*subjects: int, kind: str = KIND) -> Job:
    return services.create(
        workspace_id=WorkspaceFactory().pk, kind=kind, title="Check", subject_ids=subjects, by=UserFactory(), at=NOW
    )


def claim(limit: int = 10, at: datetime = NOW, job: Job | None = None, kind: str = KIND) -> services.Claim:
    return services.claim(kind=kind, limit=limit, at=at, lease_s=LEASE_S, job_id=job.pk if job else None)


def complete(claimed: services.Claim, outcome: str = "good", at: datetime = NOW) -> set[int]:
    with transaction.atomic():
        return services.complete(lease=claimed.lease, outcomes={item.id: outcome for item in claimed.items}, at=at)


def subjects(items: Iterable[services.ClaimedItem]) -> list[int]:
    return [item.subject_id for item in items]


def states(job: Job) -> list[str]:
    return list(JobItem.objects.filter(job=job).order_by("position").values_list("state", flat=True))


# -- create ------------------------------------------------------------------------------------------------------------


def test_a_job_has_one_item_per_subject_in_the_given_order() -> None:
    job = job_of(30, 10, 30, 20)
    assert list(job.items.order_by("position").values_list("subject_id", flat=True)) == [30, 10, 20]
    assert (job.state, job.finished_at) == (JobState.RUNNING, None)


def test_a_job_without_subjects_is_done_at_once() -> None:
    job = job_of()
    assert (job.state, job.finished_at) == (JobState.DONE, NOW)


def test_what_is_known_beforehand_is_done_and_nobody_s_work() -> None:
    job = services.create(
        workspace_id=WorkspaceFactory().pk,
        kind=KIND,
        title="Check",
        subject_ids=[1, 2, 3],
        by=None,
        at=NOW,
        done={2: "good", 9: "of another list"},
    )
    assert states(job) == [ItemState.PENDING, ItemState.DONE, ItemState.PENDING]
    item = job.items.get(subject_id=2)
    assert (item.outcome, item.finished_at, item.attempts) == ("good", None, 0)
    assert subjects(claim(job=job).items) == [1, 3]


def test_a_job_of_which_all_is_known_is_done_at_once() -> None:
    job = services.create(
        workspace_id=WorkspaceFactory().pk, kind=KIND, title="Check", subject_ids=[1], by=None, at=NOW, done={1: "good"}
    )
    assert (job.state, job.finished_at) == (JobState.DONE, NOW)


def test_two_thousand_items_are_written_in_few_statements(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    workspace, person = WorkspaceFactory(), UserFactory()
    with django_assert_max_num_queries(25):
        services.create(workspace_id=workspace.pk, kind=KIND, title="Big", subject_ids=range(2000), by=person, at=NOW)


# -- claim -------------------------------------------------------------------------------------------------------------


def test_a_claim_takes_the_first_items_and_leaves_the_rest() -> None:
    job = job_of(1, 2, 3)
    first, second, third = claim(2), claim(2), claim(2)
    assert [subjects(found.items) for found in (first, second, third)] == [[1, 2], [3], []]
    assert {item.lease for item in first.items} == {first.lease}
    assert {item.attempts for item in first.items} == {1}
    assert {item.job_id for item in first.items} == {job.pk}
    assert first.lease != second.lease
    assert set(JobItem.objects.values_list("lease_until", flat=True)) == {later(LEASE_S)}


def test_a_claim_is_one_statement_after_a_look_at_the_jobs(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    job = job_of(1, 2, 3)
    with django_assert_num_queries(2):
        claim(1)
    with django_assert_num_queries(1):
        claim(1, job=job)


def test_a_short_new_job_does_not_wait_behind_a_long_old_one() -> None:
    long_job = job_of(*range(100, 140))
    claim(10)
    short = job_of(1, 2, 3)
    assert subjects(claim(3).items) == [1, 2, 3]
    assert {item.job_id for item in claim(4).items} == {long_job.pk}
    assert not claim(5, job=short).items


def test_two_jobs_of_one_age_are_served_side_by_side() -> None:
    job_of(1, 2, 3)
    job_of(11, 12, 13)
    assert subjects(claim(4).items) == [1, 11, 2, 12]


def test_a_claim_keeps_to_its_kind_its_job_and_to_running_jobs() -> None:
    other_kind, mine = job_of(1, kind="harvest"), job_of(2)
    finished = JobFactory(kind=KIND, state=JobState.DONE, finished_at=NOW)
    JobItemFactory(job=finished, subject_id=3)
    job_of(4)
    assert subjects(claim(job=mine).items) == [2]
    assert subjects(claim().items) == [4]
    assert subjects(claim(kind="harvest", job=other_kind).items) == [1]


def test_a_live_lease_is_not_taken_over() -> None:
    job_of(1)
    claim()
    assert not claim(at=later(LEASE_S - 1)).items


def test_a_lease_that_ran_out_is_taken_over_and_its_old_holder_is_refused() -> None:
    job = job_of(1)
    slow = claim()
    quick = claim(at=later(LEASE_S))
    assert subjects(quick.items) == [1]
    assert quick.items[0].attempts == 2
    assert complete(slow, "late") == set()
    assert complete(quick, "in time") == {quick.items[0].id}
    assert complete(slow, "very late") == set()
    assert JobItem.objects.get(job=job).outcome == "in time"


def test_a_lease_that_ran_out_but_was_not_taken_over_still_counts() -> None:
    job_of(1)
    slow = claim()
    assert complete(slow, at=later(LEASE_S + 100))


def test_after_three_lost_leases_an_item_is_given_up_and_told_once() -> None:
    job = job_of(1, 2)
    for number in range(services.ATTEMPTS):
        assert [item.attempts for item in claim(at=later(number * LEASE_S)).items] == [number + 1] * 2
    last = claim(at=later(services.ATTEMPTS * LEASE_S))
    assert not last.items
    assert subjects(last.lost) == [1, 2]
    assert {item.attempts for item in last.lost} == {services.ATTEMPTS}
    assert states(job) == [ItemState.GIVEN_UP] * 2
    assert set(job.items.values_list("outcome", "finished_at")) == {
        (services.GIVEN_UP_OUTCOME, later(services.ATTEMPTS * LEASE_S))
    }
    nothing = claim(at=later(1000))
    assert (nothing.items, nothing.lost) == ((), ())
    assert services.finish_if_done(job.pk, at=later(1000))


def test_a_claim_that_is_rolled_back_loses_no_lost_item() -> None:
    job_of(1)
    for number in range(services.ATTEMPTS):
        claim(at=later(number * LEASE_S))
    with transaction.atomic():
        assert subjects(claim(at=later(1000)).lost) == [1]
        transaction.set_rollback(True)
    assert subjects(claim(at=later(1001)).lost) == [1]


# -- complete, release, extend -----------------------------------------------------------------------------------------


def test_completing_outside_of_a_transaction_is_our_mistake(transactional_db: None) -> None:
    job_of(1)
    claimed = claim()
    with pytest.raises(TransactionManagementError):
        services.complete(lease=claimed.lease, outcomes={claimed.items[0].id: "good"}, at=NOW)


def test_each_item_keeps_its_own_outcome_and_only_held_ones_are_completed() -> None:
    job = job_of(1, 2, 3)
    mine, others = claim(2), claim(1)
    wanted = {mine.items[0].id: "good", mine.items[1].id: "bad", others.items[0].id: "stolen", 10**9: "invented"}
    assert services.complete(lease=mine.lease, outcomes=wanted, at=later(3)) == {item.id for item in mine.items}
    assert list(job.items.order_by("position").values_list("state", "outcome", "finished_at")) == [
        ("done", "good", later(3)),
        ("done", "bad", later(3)),
        ("leased", "", None),
    ]


def test_completing_nothing_or_twice_completes_nothing(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    job_of(1)
    claimed = claim()
    with django_assert_num_queries(0):
        assert services.complete(lease=claimed.lease, outcomes={}, at=NOW) == set()
    assert len(complete(claimed)) == 1
    assert complete(claimed) == set()


def test_items_of_several_leases_are_completed_in_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    job = job_of(1, 2, 3)
    claims = [claim(1) for _ in range(3)]
    swapped = {claims[0].lease: {claims[1].items[0].id: "wrong lease"}}
    right = {found.lease: {found.items[0].id: "good"} for found in claims}
    with django_assert_num_queries(1):
        assert len(services.complete_many(outcomes=right, at=NOW)) == 3
    assert services.complete_many(outcomes=swapped, at=NOW) == set()
    assert states(job) == ["done"] * 3


def test_what_is_released_waits_again_and_costs_no_attempt() -> None:
    job = job_of(1, 2, 3)
    claimed = claim(3)
    services.complete(lease=claimed.lease, outcomes={claimed.items[0].id: "good"}, at=NOW)
    assert services.release(lease=claimed.lease) == 2
    assert services.release(lease=claimed.lease) == 0
    assert states(job) == ["done", "pending", "pending"]
    assert complete(claimed) == set()
    assert [item.attempts for item in claim().items] == [1, 1]


def test_an_extended_lease_lives_longer_and_a_lost_one_cannot_be_extended() -> None:
    job_of(1, 2)
    claimed = claim()
    assert services.extend(lease=claimed.lease, until=later(100)) == 2
    assert not claim(at=later(99)).items
    assert len(claim(at=later(100)).items) == 2
    assert services.extend(lease=claimed.lease, until=later(500)) == 0


# -- cancel, finish, sweep ---------------------------------------------------------------------------------------------


def test_a_cancel_in_the_middle_keeps_what_is_done_and_refuses_the_rest() -> None:
    job = job_of(1, 2, 3, 4)
    done, under_way = claim(1), claim(2)
    complete(done)
    person = UserFactory()
    assert services.cancel(job=job, by=person, at=later(5))
    assert complete(under_way) == set()
    assert not claim(at=later(1000)).items
    assert states(job) == ["done", "skipped", "skipped", "skipped"]
    assert (job.state, job.cancelled_by, job.finished_at) == (JobState.CANCELLED, person, later(5))


def test_a_job_is_cancelled_once_and_a_finished_one_never() -> None:
    job = job_of(1)
    assert services.cancel(job=job, by=UserFactory(), at=NOW)
    assert not services.cancel(job=job, by=UserFactory(), at=later(5))
    assert job.finished_at == NOW
    finished = job_of()
    assert not services.cancel(job=finished, by=UserFactory(), at=NOW)
    assert finished.state == JobState.DONE


def test_a_cancel_touches_no_other_job() -> None:
    other = job_of(1)
    services.cancel(job=job_of(2), by=UserFactory(), at=NOW)
    assert subjects(claim().items) == [1]
    other.refresh_from_db()
    assert other.state == JobState.RUNNING


def test_a_job_is_finished_once_all_its_items_are() -> None:
    job = job_of(1, 2)
    claimed = claim(1)
    complete(claimed)
    assert not services.finish_if_done(job.pk, at=NOW)
    last = claim(1)
    assert not services.finish_if_done(job.pk, at=NOW)
    complete(last)
    assert services.finish_if_done(job.pk, at=later(9))
    assert not services.finish_if_done(job.pk, at=later(10))
    job.refresh_from_db()
    assert (job.state, job.finished_at) == (JobState.DONE, later(9))


def test_a_cancelled_job_is_not_finished() -> None:
    job = job_of(1)
    services.cancel(job=job, by=UserFactory(), at=NOW)
    assert not services.finish_if_done(job.pk, at=NOW)


def test_a_sweep_finds_jobs_that_nobody_works_on() -> None:
    waiting, dead, alive = job_of(1), job_of(2), job_of(3)
    claim(job=dead, at=NOW)
    claim(job=alive, at=later(15))
    job_of(4, kind="harvest")
    job_of()
    assert services.sweep(kind=KIND, at=later(LEASE_S)) == [waiting.pk, dead.pk]
    assert services.sweep(kind=KIND, at=later(LEASE_S)) == [waiting.pk, dead.pk]


def test_a_sweep_ends_a_job_whose_worker_died_before_it_said_so() -> None:
    job = job_of(1)
    complete(claim())
    assert services.sweep(kind=KIND, at=later(1)) == []
    job.refresh_from_db()
    assert (job.state, job.finished_at) == (JobState.DONE, later(1))


# -- any order of events -----------------------------------------------------------------------------------------------

EVENTS = st.lists(
    st.sampled_from(["claim", "complete", "complete an old one", "die", "release", "wait", "extend"]), max_size=40
)


@given(events=EVENTS, size=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_whatever_happens_each_item_is_completed_once_or_given_up(events: list[str], size: int) -> None:
    """Workers that die, come back late, release and extend: results written and items told as lost add up to all."""
    written: list[int] = []
    lost: list[int] = []
    held: list[services.Claim] = []
    old: list[services.Claim] = []
    at = NOW

    def write(claimed: services.Claim) -> None:
        ids = {item.id: item.subject_id for item in claimed.items}
        written.extend(ids[done] for done in complete(claimed, at=at))

    with transaction.atomic():
        job = job_of(*range(size))
        for event in events:
            match event:
                case "claim":
                    held.append(claim(2, at=at))
                    lost.extend(subjects(held[-1].lost))
                case "complete" if held:
                    write(held.pop())
                case "complete an old one" if old:
                    write(old[0])
                case "die" if held:
                    old.append(held.pop())
                case "release" if held:
                    old.append(held.pop())
                    services.release(lease=old[-1].lease)
                case "extend" if held:
                    services.extend(lease=held[-1].lease, until=at + timedelta(seconds=LEASE_S))
                case "wait":
                    at += timedelta(seconds=LEASE_S)
        for _ in range(services.ATTEMPTS * size + 1):
            at += timedelta(seconds=LEASE_S)
            final = claim(10, at=at)
            lost.extend(subjects(final.lost))
            write(final)
        assert sorted([*written, *lost]) == list(range(size))
        assert services.finish_if_done(job.pk, at=at)
        transaction.set_rollback(True)
