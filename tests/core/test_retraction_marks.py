"""The mark of a retraction: written, found again, told from other words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.retraction import RetractionStatus, mark, read_keywords, read_mark
from tests.growth import assert_linear

TOLD = [status for status in RetractionStatus if status.label]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TOLD), st.text(st.characters(exclude_characters="[]")), st.text())
def test_a_mark_is_taken_off_again(status: RetractionStatus, note: str, rest: str) -> None:
    found, told, left = read_mark(f"{mark(status, note)} {rest}")
    assert (found, told) == (status, " ".join(note.split()))
    assert left == rest.lstrip()


def test_brackets_in_a_note_become_round_so_that_the_mark_ends_where_it_ends() -> None:
    assert mark(RetractionStatus.RETRACTED, "by [the\nauthors]") == "[RETRACTED: by (the authors)]"
    assert mark(RetractionStatus.CONCERN) == "[EXPRESSION OF CONCERN]"


@pytest.mark.parametrize("status", [RetractionStatus.UNKNOWN, RetractionStatus.NONE_FOUND])
def test_where_nothing_is_to_tell_nothing_is_written(status: RetractionStatus) -> None:
    assert (mark(status, "note"), status.keywords, status.label) == ("", (), "")


@pytest.mark.parametrize("text", ["", "[RETRACT] x", "Retracted: x", "see [RETRACTED: x]", "[RETRACTED: open", "[1] x"])
def test_other_words_are_no_mark(text: str) -> None:
    assert read_mark(text) == (RetractionStatus.UNKNOWN, "", text)


@pytest.mark.parametrize("status", TOLD, ids=str)
def test_keywords_tell_the_status_and_leave_the_tags(status: RetractionStatus) -> None:
    assert read_keywords((*status.keywords, "tides")) == (status, ("tides",))


def test_only_what_no_longer_holds_has_the_keyword_retracted() -> None:
    with_it = {status for status in RetractionStatus if "retracted" in status.keywords}
    assert with_it == {status for status in RetractionStatus if status.is_retracted}


def test_finding_a_mark_takes_linear_time() -> None:
    assert_linear(read_mark, "[RETRACTED: ", 200_000)
    assert_linear(read_mark, " ", 200_000, after="[")
