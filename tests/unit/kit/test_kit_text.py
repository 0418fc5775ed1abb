"""Texts in pieces, and moments and numbers in words."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit import text

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)

titles = st.text(alphabet="ab ,é\n", max_size=40)


def test_a_difference_is_told_word_by_word() -> None:
    assert text.word_diff("Harbour dredging survey", "Harbour traffic survey") == [
        ("same", "Harbour "),
        ("del", "dredging"),
        ("ins", "traffic"),
        ("same", " survey"),
    ]


def test_two_changed_words_in_a_row_are_one_change() -> None:
    assert text.word_diff("eelgrass beds, 2023", "container berths, 2023") == [
        ("del", "eelgrass beds"),
        ("ins", "container berths"),
        ("same", ", 2023"),
    ]


def test_equal_texts_have_no_difference() -> None:
    assert text.word_diff("Tide tables", "Tide tables") == [("same", "Tide tables")]


def test_long_texts_are_told_whole() -> None:
    before, after = "a " * 400, "a " * 399 + "b "
    assert text.word_diff(before, after) == [("del", before), ("ins", after)]
    assert text.word_diff(before, before) == [("same", before)]


@settings(max_examples=60, deadline=None)
@given(before=titles, after=titles)
def test_the_pieces_of_a_difference_join_to_both_texts(before: str, after: str) -> None:
    pieces = text.word_diff(before, after)
    assert "".join(piece for kind, piece in pieces if kind != "ins") == before
    assert "".join(piece for kind, piece in pieces if kind != "del") == after
    assert all(piece for _, piece in pieces)


def test_phrases_are_marked_whatever_their_case_and_the_longest_first() -> None:
    assert text.marked("Page NOT found here", ["not", "not found"]) == [
        ("same", "Page "),
        ("mark", "NOT found"),
        ("same", " here"),
    ]


@pytest.mark.parametrize("phrases", [[], [""], [" "]])
def test_nothing_is_marked_where_there_is_nothing_to_look_for(phrases: list[str]) -> None:
    assert text.marked("some words", phrases) == [("same", "some words")]


@settings(max_examples=60, deadline=None)
@given(words=titles, phrases=st.lists(st.text(alphabet="ab .(*", max_size=3), max_size=3))
def test_marking_loses_no_character(words: str, phrases: list[str]) -> None:
    assert "".join(piece for _, piece in text.marked(words, phrases)) == words


@pytest.mark.parametrize("length", [10, 11, 80])
def test_a_long_address_keeps_both_ends(length: int) -> None:
    url = "https://harbour-gazette.example/" + "x" * 200 + "/survey"
    cut = text.middle_cut(url, length)
    assert len(cut) == length
    assert url.startswith(cut.partition("…")[0])
    assert url.endswith(cut.partition("…")[2])


def test_a_short_address_stays() -> None:
    assert text.middle_cut("https://a.example/", 80) == "https://a.example/"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (timedelta(0), "just now"),
        (timedelta(seconds=-30), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 Mar 2026"),
        (timedelta(days=-30), "1 Apr 2026, 09:30 UTC"),
    ],
)
def test_a_moment_is_told_by_its_distance_and_then_by_its_date(before: timedelta, words: str) -> None:
    assert text.ago_or_date(NOW - before, now=NOW) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 sources"), (1, "1 source"), (2, "2 sources"), (12_345, "12,345 sources")]
)
def test_a_number_stands_with_its_noun(number: int, words: str) -> None:
    assert text.counted(number, "source") == words


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert text.counted(2, "entry", "entries") == "2 entries"
