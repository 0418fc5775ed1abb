"""Near titles meet under a key, and only records that nothing speaks against are called one work."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.near_titles import ALIKE, TitleFacts, may_be_one, title_keys
from sources.core.similarity import title_similarity
from tests.growth import assert_linear

WORDS = st.sampled_from(
    ["harbour", "survey", "northern", "coast", "tides", "sediment", "measured", "winter", "boats", "herons", "2019"]
)
TITLES = st.lists(WORDS, min_size=4, max_size=9, unique=True).map(" ".join)


def facts(title: str, year: str = "2019", family: str = "Lind", doi: str = "") -> TitleFacts:
    return TitleFacts(title=title, year=year, family=family, doi=doi)


@settings(max_examples=60, deadline=None)
@given(one=TITLES, other=TITLES)
def test_titles_that_are_alike_enough_always_meet(one: str, other: str) -> None:
    keys = title_keys(one), title_keys(other)
    if title_similarity(one, other) >= ALIKE and all(keys):
        assert keys[0] & keys[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Winter Sediment in the Northern Harbour", "Winter sediment in the northern harbour."),
        ("Sediment of the northern harbour basin", "Sediment of the Northern Harbour Basin | Coast Letters"),
        (
            "Winter tides and sediment in the northern harbour basin after dredging works",
            "Winter tides and sediments in the northern harbour basin after dredging works",
        ),
    ],
)
def test_spellings_of_one_title_meet_and_may_be_one_work(one: str, other: str) -> None:
    assert title_keys(one) & title_keys(other)
    assert may_be_one(facts(one), facts(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (facts("Coast report of herons and tides 2019"), facts("Coast report of herons and tides 2020")),
        (facts("Herons of the northern coast", "2019"), facts("Herons of the northern coast", "2021")),
        (facts("Herons of the northern coast"), facts("Herons of the northern coast", family="Berg")),
        (facts("Herons of the northern coast: part I"), facts("Herons of the northern coast: part II")),
        (
            facts("Winter herons of the northern coast harbours", doi="10.5555/a"),
            facts("Winter herons of the northern coast", doi="10.5555/b"),
        ),
    ],
)
def test_another_number_year_author_part_or_registered_title_is_another_work(
    one: TitleFacts, other: TitleFacts
) -> None:
    assert not may_be_one(one, other)


def test_what_is_not_known_speaks_against_nothing() -> None:
    title = "Herons of the northern coast"
    assert may_be_one(facts(title, year="", family=""), facts(title, doi="10.5555/a"))


@pytest.mark.parametrize("title", ["", "Editorial", "Annual report 2019", "The of and"])
def test_a_title_that_many_works_have_is_filed_nowhere(title: str) -> None:
    assert title_keys(title) == frozenset()


def test_no_title_is_filed_under_more_than_a_few_dozen_keys() -> None:
    assert len(title_keys(" ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" * 3))) <= 60


def test_a_hostile_title_costs_no_more_than_its_length() -> None:
    assert_linear(title_keys, "harbour | ", 200_000)
