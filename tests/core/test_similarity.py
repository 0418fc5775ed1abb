"""Titles that look the same and are not, and the other way round."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sources.core.similarity import compare_titles, content_words, fold, title_similarity, token_diff

PAPER = "A gene for alopecia with mental retardation syndrome, APMR3, maps to chromosome 18q11.2-q12.2"


@pytest.mark.parametrize(
    ("claimed", "found"),
    [
        ("Harbour survey results 2024", "Harbour survey results 2024 | The Example Daily News"),
        (PAPER, "Mapping of a gene for alopecia with mental retardation syndrome (APMR3) on chromosome 18q11.2-q12.2"),
        ("Über die Wirkung", "Uber die Wirkung"),
        ("Harbour survey results 2024", "Quay Times – Harbour survey results 2024"),
        ("Attention is all you need", "[1706.03762] Attention Is All You Need"),
        ("COVID-19 and the northern ports", "Covid19 and the Northern Ports"),
        ("A loss of 10,000 jobs at the docks", "A loss of 10000 jobs at the docks"),
        ("Straße und Hafen in Groß-Umstadt", "STRASSE UND HAFEN IN GROSS UMSTADT"),
        ("Smørrebrød på Ærø og i Łódź", "Smorrebrod pa Aero og i Lodz"),
        ("TNF-α in harbour seals", "TNF-alpha in harbour seals"),
        ("Ёлка и праздник у моря", "Елка и праздник у моря — Новости порта"),
        ("東京港の歴史と地図", "東京港の歴史と地図 - 港新聞"),
        ("The port\u2019s \ufb01nest hour", "The port's finest hour"),
    ],
)
def test_the_same_work_is_accepted_under_another_spelling(claimed: str, found: str) -> None:
    assert title_similarity(claimed, found) >= 0.8


@pytest.mark.parametrize(
    ("claimed", "found"),
    [
        ("Harbour survey results 2024", "Harbour survey results 2023"),
        ("GPT-4 Technical Report", "GPT-3 Technical Report"),
        (PAPER, "A gene for alopecia with mental retardation syndrome, APMR2, maps to chromosome 3q26.2-q26.31"),
        (
            "Won't Somebody Think of the Children?",
            "“Won't Somebody Think of the Children?” Examining COPPA Compliance at Scale",
        ),
        ("Harbour survey results", "Harbour survey results 2023"),
        ("東京港の歴史と地図", "大阪湾の魚と料理"),
        ("Part one - The beginning", "Part one - The ending"),
        ("CSS: A search engine in CSS", "How we built the real demo for our fake CSS API client"),
    ],
)
def test_another_work_stays_below_what_is_accepted(claimed: str, found: str) -> None:
    assert title_similarity(claimed, found) < 0.6


def test_the_name_of_the_site_is_cut_off_at_either_end() -> None:
    assert (
        title_similarity("Quay walls of granite", "Harbour & Sea: Quay walls of granite", site="Harbour & Sea") == 1.0
    )
    assert title_similarity("Quay walls of granite", "Harbour & Sea: Quay walls of granite", site="") < 0.8


def test_numbers_that_contradict_are_told_from_numbers_that_are_missing() -> None:
    assert compare_titles("Ports in 2024", "Ports in 2023").numbers_conflict
    assert not compare_titles("Ports in 2024", "Ports").numbers_conflict


@pytest.mark.parametrize(
    ("title", "count"), [("The ports of the north", 2), ("東京港の歴史", 3), ("", 0), ("a of the", 0)]
)
def test_only_words_that_say_something_are_counted(title: str, count: int) -> None:
    assert content_words(title) == count


def test_a_diff_shows_what_was_taken_out_and_what_came_in() -> None:
    assert token_diff("Harbour Survey results 2024", "Harbour survey results 2023, revised") == [
        ("same", "Harbour Survey results"),
        ("del", "2024"),
        ("ins", "2023, revised"),
    ]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
@example("\ufc68")  # a ligature of two Arabic letters, one of which is special
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_similarity_is_symmetrical_and_between_nothing_and_all(one: str, other: str) -> None:
    similarity = title_similarity(one, other)
    assert 0.0 <= similarity <= 1.0
    assert similarity == title_similarity(other, one)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=60))
def test_a_title_is_like_itself(title: str) -> None:
    assert title_similarity(title, title) == (1.0 if fold(title) else 0.0)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_diff_keeps_every_word(claimed: str, found: str) -> None:
    parts = token_diff(claimed, found)
    assert " ".join(text for kind, text in parts if kind != "ins").split() == claimed.split()
