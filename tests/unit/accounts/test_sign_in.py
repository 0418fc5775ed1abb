"""Guessing is slow: failures are counted per account and per network, in the database, before the password is seen."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from provenance_site.accounts import sign_in
from provenance_site.accounts.models import LoginFailure
from tests.clock import NOW

pytestmark = pytest.mark.django_db


def attempt(account: str = "ana", network: str = "192.0.2.1", seconds: float = 0) -> sign_in.Attempt | sign_in.Locked:
    return sign_in.begin(account=account, network=network, at=NOW + timedelta(seconds=seconds))


def test_after_five_failures_the_account_waits_whatever_network_they_come_from() -> None:
    for number in range(sign_in.FAILURES):
        assert isinstance(attempt(network=f"192.0.2.{number}"), sign_in.Attempt)
    assert isinstance(attempt(network="192.0.2.99"), sign_in.Locked)
    assert isinstance(attempt(account="ben", network="192.0.2.99"), sign_in.Attempt)


def test_after_five_failures_the_network_waits_whatever_account_they_name() -> None:
    for number in range(sign_in.FAILURES):
        assert isinstance(attempt(account=f"person-{number}"), sign_in.Attempt)
    assert isinstance(attempt(account="ben"), sign_in.Locked)
    assert isinstance(attempt(account="ben", network="198.51.100.7"), sign_in.Attempt)


def test_a_pause_ends_when_it_said_it_would_even_if_one_keeps_trying() -> None:
    for second in range(sign_in.FAILURES):
        attempt(seconds=second)
    locked = attempt(seconds=10)
    assert isinstance(locked, sign_in.Locked)
    assert locked.until == NOW + sign_in.WINDOW
    for second in range(20, 299, 10):
        assert isinstance(attempt(seconds=second), sign_in.Locked)
    assert isinstance(attempt(seconds=sign_in.WINDOW.total_seconds()), sign_in.Attempt)


def test_a_success_in_between_clears_nothing() -> None:
    for second in range(sign_in.FAILURES - 1):
        attempt(seconds=second)
    good = attempt(account="mallory", seconds=5)
    assert isinstance(good, sign_in.Attempt)
    sign_in.withdraw(attempt=good)
    assert isinstance(attempt(seconds=6), sign_in.Attempt)
    assert isinstance(attempt(seconds=7), sign_in.Locked)


def test_successes_never_lock() -> None:
    for second in range(3 * sign_in.FAILURES):
        good = attempt(seconds=second)
        assert isinstance(good, sign_in.Attempt)
        sign_in.withdraw(attempt=good)
        sign_in.withdraw(attempt=good)
    assert not LoginFailure.objects.exists()


@pytest.mark.parametrize("spelling", ["ANA", " ana ", "ａｎａ"])
def test_another_spelling_of_the_name_is_the_same_account(spelling: str) -> None:
    for number in range(sign_in.FAILURES):
        attempt(network=f"192.0.2.{number}")
    assert isinstance(attempt(account=spelling, network="192.0.2.99"), sign_in.Locked)


def test_what_was_typed_is_not_kept() -> None:
    attempt(account="my secret password", network="192.0.2.55")
    kept = " ".join(LoginFailure.objects.values_list("key", flat=True))
    assert "secret" not in kept
    assert "192.0.2.55" not in kept


def test_a_name_of_megabytes_costs_no_more_than_a_short_one() -> None:
    assert isinstance(attempt(account="a" * 5_000_000 + "ﬁ"), sign_in.Attempt)
    assert LoginFailure.objects.count() == 2


def test_old_failures_are_forgotten() -> None:
    attempt(account="ana")
    attempt(account="ben", network="198.51.100.7", seconds=sign_in.WINDOW.total_seconds())
    assert LoginFailure.objects.count() == 2


def test_the_sixth_bad_token_of_a_network_makes_it_wait_and_good_ones_cost_nothing() -> None:
    answers = [sign_in.bad_token(network="192.0.2.1", at=NOW) for _ in range(sign_in.FAILURES + 1)]
    assert answers[:-1] == [None] * sign_in.FAILURES
    assert answers[-1] == sign_in.Locked(until=NOW + sign_in.WINDOW)
    assert isinstance(attempt(), sign_in.Attempt)


@pytest.mark.django_db(transaction=True)
def test_of_many_attempts_at_the_same_moment_no_more_than_five_see_a_password() -> None:
    start = threading.Barrier(12)
    passed: list[object] = []

    def try_once(number: int) -> None:
        start.wait(timeout=2)
        try:
            answer = attempt(network=f"192.0.2.{number}")
            if isinstance(answer, sign_in.Attempt):
                passed.append(answer)
        finally:
            connection.close()

    threads = [threading.Thread(target=try_once, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert len(passed) <= sign_in.FAILURES
