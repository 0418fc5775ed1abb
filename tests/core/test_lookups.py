"""Answers as text: what is written is read back, and what cannot be read is no answer."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.core import lookups
from validation.core.ports import Capture, Hit, NoCapture, NoWork, Work

_TEXT = st.text(max_size=30)
_HITS = st.lists(st.builds(Hit, _TEXT, _TEXT, _TEXT), max_size=4).map(tuple)
_WORK = st.builds(
    Work,
    _TEXT,
    _TEXT,
    _TEXT,
    st.lists(_TEXT, max_size=3).map(tuple),
    st.none() | st.integers(1500, 2100),
    _TEXT,
)
_WORKS = st.lists(_WORK, max_size=4).map(tuple)
_MOMENT = st.datetimes(min_value=datetime(1996, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # as hypothesis asks
_CAPTURE = st.builds(Capture, _TEXT, _TEXT, st.integers(200, 299), _MOMENT, _TEXT)


@given(st.one_of(_HITS, _WORKS, _WORK, _CAPTURE, st.builds(NoWork, _TEXT), st.builds(NoCapture, _TEXT)))
@settings(max_examples=60, deadline=None)
def test_an_answer_is_read_back_as_it_was_written(answer: lookups.Kept) -> None:
    assert lookups.read(lookups.written(answer)) == answer


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "7", '{"work": 7}', '{"list": [7]}', '{"capture": {"at": "x"}}', '{"x": 1}']
)
def test_what_cannot_be_read_is_no_answer(text: str) -> None:
    assert lookups.read(text) is None


def test_keys_tell_providers_and_questions_apart() -> None:
    keys = {
        lookups.search_key("a", "x", 5),
        lookups.search_key("b", "x", 5),
        lookups.search_key("a", "x", 6),
        lookups.search_key("a", "y", 5),
        lookups.title_key("a", "x", "", 5),
        lookups.title_key("a", "x", "y", 5),
        lookups.doi_key("a", "x"),
        lookups.capture_key("a", "x"),
    }
    assert len(keys) == 8
    assert all(len(key) == 64 for key in keys)
