"""Expressions in linear time: what the engine takes, what it refuses and how it says so."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from validation.core.expressions import LONGEST, UnknownExpression, compiled


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"/article/\d+$", "https://gazette.org/article/17", "/article/17"),
        (r"/article/\d+$", "https://gazette.org/article/17-harbour", None),
        (r"(?i)GAZETTE", "https://gazette.org/", "gazette"),
        (r"caf.", "https://a.org/café?", "café"),
        (r"^$", "", ""),
        (r"a$", "a\n", None),
    ],
)
def test_a_search_gives_the_part_that_matched(pattern: str, text: str, found: str | None) -> None:
    assert compiled(pattern).search(text) == found


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(?=x)", "(?="),
        (r"(a)\1", r"\1"),
        ("(?<=x)y", "(?<="),
        ("(", "missing )"),
        ("[z-a]", "z-a"),
        ("a{1001}", "1001"),
        (r"\Z", r"\Z"),
        (r"(?:\pL{0,50}){20}!", "slow on long addresses"),
        ("x" * (LONGEST + 1), "at most 500"),
        ("\ud800", "half a character"),
    ],
)
def test_a_pattern_that_the_engine_does_not_know_is_refused_with_its_message(pattern: str, told: str) -> None:
    with pytest.raises(UnknownExpression) as refused:
        compiled(pattern)
    assert told in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(?:a|a)*b", r"(?:a?){400}b", r"^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_pattern_that_would_hang_another_engine_ends_at_once(pattern: str) -> None:
    expression = compiled(pattern)
    assert_linear(expression.search, "a", 8_000, after="!")


@given(pattern=st.text(max_size=40), text=st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_an_expression_or_refused(pattern: str, text: str) -> None:
    try:
        expression = compiled(pattern)
    except UnknownExpression:
        return
    found = expression.search(text)
    assert found is None or isinstance(found, str)
