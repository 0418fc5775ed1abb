"""The phrase lists keep their schema, and each phrase does what its list says."""

from collections.abc import Iterator
from typing import Any

import pytest

from sources.core.findings import Cause
from sources.core.similarity import fold
from tests.pages import html, judge
from validation.core.datafiles import read_data
from validation.core.phrases import GROUPS, phrase_book

DATA: dict[str, Any] = read_data("phrases.yaml")
CAUSES = {
    "not_found": Cause.SAYS_GONE,
    "bot_challenge": Cause.BOT_WALL,
    "blocked": Cause.BLOCK_WALL,
    "login": Cause.LOGIN_WALL,
    "consent": Cause.CONSENT_WALL,
    "server_error": Cause.SERVER_ERROR,
    "parked": Cause.PARKED,
}


def whole_phrases() -> Iterator[tuple[str, str, str]]:
    """(group, language, phrase) of each phrase that is a heading by itself."""
    for group in CAUSES:
        for language, lists in DATA[group].items():
            for phrase in lists.get("whole", ()):
                yield group, language, phrase


def test_the_file_keeps_its_schema() -> None:
    assert set(DATA) == {"rules_version", "error_words", "fillers", "not_found", "paywall", "marks", *GROUPS}
    for name, group in DATA.items():
        if not isinstance(group, dict):
            continue
        for language, lists in group.items():
            for phrase in lists if isinstance(lists, list) else [item for part in lists.values() for item in part]:
                assert isinstance(phrase, str), f"{name}/{language}: {phrase!r} is no text; put it into quotation marks"
                assert phrase.strip(), f"{name}/{language} has an empty phrase"


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "ru", "ja", "zh"])
def test_not_found_is_known_in_the_languages_of_our_users(language: str) -> None:
    lists = DATA["not_found"][language]
    assert all(lists[key] for key in ("subjects", "predicates", "whole", "says"))


@pytest.mark.parametrize("group", CAUSES)
def test_each_whole_phrase_as_the_title_of_an_empty_page_gives_its_cause(group: str) -> None:
    wrong = {
        (language, phrase): str(found)
        for name, language, phrase in whole_phrases()
        if name == group and (found := judge(html(phrase, "", heading=""), title="").cause) is not CAUSES[group]
    }
    assert wrong == {}


def test_no_phrase_stands_in_two_groups() -> None:
    seen: dict[str, str] = {}
    for group, _, phrase in whole_phrases():
        assert seen.setdefault(fold(phrase), group) == group, phrase


@pytest.mark.parametrize(
    ("heading", "bare", "code"),
    [
        ("Oops, error 404: page not found", "not found", 404),
        ("404", "", 404),
        ("Fehler 403", "", 403),
        ("Room 404 of the hotel", "room 404 of the hotel", None),
        ("Page not found", "page not found", None),
    ],
)
def test_a_heading_is_stripped_of_codes_and_exclamations(heading: str, bare: str, code: int | None) -> None:
    assert phrase_book().bare(fold(heading)) == (bare, code)
