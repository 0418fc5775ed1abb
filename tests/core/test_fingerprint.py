"""Fingerprints propose records of one work to each other, and nothing joins by them."""

import pytest

from sources.core.fingerprint import fingerprint

TITLE = "The tides of the lower harbour"


@pytest.mark.parametrize("other", ["THE TIDES OF THE LOWER HARBOUR", "The tides of the lower harbour.", f" {TITLE} "])
def test_spelling_does_not_matter(other: str) -> None:
    mine = fingerprint(title=TITLE, published_date="2024-05-02", first_author="Núñez, Ana")
    assert mine == fingerprint(title=other, published_date="2024", first_author="nunez")


@pytest.mark.parametrize(
    "other",
    [
        {"title": TITLE, "published_date": "2023", "first_author": "Núñez, Ana"},
        {"title": TITLE, "published_date": "2024", "first_author": "Olsen, Ana"},
        {"title": "The tides of the upper harbour", "published_date": "2024", "first_author": "Núñez, Ana"},
    ],
)
def test_title_year_and_first_author_all_count(other: dict[str, str]) -> None:
    assert fingerprint(title=TITLE, published_date="2024", first_author="Núñez, Ana") != fingerprint(**other)


@pytest.mark.parametrize(
    ("title", "year", "author", "proposes"),
    [
        ("", "2024", "Núñez", False),
        ("Editorial", "2024", "", False),
        ("Editorial", "", "Núñez", False),
        ("Editorial", "2024", "Núñez", True),
        (TITLE, "", "", True),
    ],
)
def test_a_short_title_needs_year_and_author(title: str, year: str, author: str, proposes: bool) -> None:
    assert bool(fingerprint(title=title, published_date=year, first_author=author)) is proposes
