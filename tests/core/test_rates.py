"""The pace that headers allow, and the guest's where they say nothing that can be used."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.core.pacing import Manners
from validation.core.rates import slowest, told_manners

GUEST = Manners(at_once=1, interval_s=0.35)


def told(limit: str = "", interval: str = "", at_once: str = "", *, workers: int = 1, took_s: float = 0.0) -> Manners:
    named = {"x-rate-limit-limit": limit, "x-rate-limit-interval": interval, "x-concurrency-limit": at_once}
    headers = {name: value for name, value in named.items() if value}
    return told_manners(headers, guest=GUEST, workers=workers, answered_in_s=took_s)


@pytest.mark.parametrize(
    ("limit", "interval", "per_second"),
    [("10", "1s", 10), ("3", "1s", 3), ("50", "1", 50), ("30", "1m", 0.5), ("5", "500ms", 10), ("60", "1 m", 1)],
)
def test_so_many_in_so_long_is_a_pace_a_little_under_it(limit: str, interval: str, per_second: float) -> None:
    assert told(limit, interval).interval_s == pytest.approx(max(0.02, 1.1 / per_second))


def test_the_workers_share_what_is_allowed() -> None:
    assert told("10", "1s", "4", workers=2) == Manners(at_once=2, interval_s=pytest.approx(0.22))


@pytest.mark.parametrize("limit", ["", "0", "-3", "many", "1e9", "3.5", "9999999999", "٣"])
@pytest.mark.parametrize("interval", ["", "0s", "soon", "1d", "-1s"])
def test_without_both_numbers_one_stays_a_guest(limit: str, interval: str) -> None:
    for manners in (told(limit, "1s"), told("3", interval), told(limit, interval)):
        assert manners == GUEST


def test_without_a_number_of_places_one_asks_one_by_one() -> None:
    assert told("10", "1s").at_once == 1
    assert told("10", "1s", "none").at_once == 1
    assert told(at_once="5") == Manners(at_once=5, interval_s=0.35)


def test_with_fewer_places_than_workers_each_asks_as_seldom_as_answers_are_slow() -> None:
    assert told("50", "1s", "1", workers=4, took_s=0.5) == Manners(at_once=1, interval_s=2.0)
    assert told("50", "1s", "8", workers=4, took_s=0.5).interval_s == pytest.approx(0.088)


def test_a_header_that_came_twice_counts_at_its_strictest() -> None:
    assert told("10, 5", "1s, 2s", "3,1").interval_s == pytest.approx(0.44)
    assert told("10, x", "1s") == GUEST


def test_the_slower_of_two_kinds_holds_for_both() -> None:
    assert slowest([Manners(5, 0.1), Manners(1, 0.3), Manners(3, 0.2)]) == Manners(1, 0.3)


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12), st.integers(-2, 50), st.floats(0, 1e6))
@settings(max_examples=60, deadline=None)
def test_no_header_makes_us_stop_or_storm(limit: str, interval: str, at_once: str, workers: int, took_s: float) -> None:
    manners = told(limit, interval, at_once, workers=workers, took_s=took_s)
    assert 1 <= manners.at_once <= 10
    assert 0.02 <= manners.interval_s / max(1, workers) <= 60.0 + 1e-6
