"""What no database keeps is found wherever it stands, and named by its place."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ninja import Schema

from provenance_site.kit.storable import NO_NUMBER, NO_TEXT, Fault, fault_in, is_storable
from tests.clock import NOW
from tests.growth import assert_linear


class Part(Schema):
    """A part of a body."""

    title: str
    lines: list[str] = []


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"q": "a\x00"}, Fault(("q",), NO_TEXT)),
        ({"given": Part(title="a", lines=["b", "\x00"])}, Fault(("given", "lines", 1), NO_TEXT)),
        ({"a": {"b": [{"c\ud800": 1}]}}, Fault(("a", "b", 0), NO_TEXT)),
        ({"first": [1, 2**63], "second": "\x00"}, Fault(("first", 1), NO_NUMBER)),
        ({"a": -(2**63) - 1}, Fault(("a",), NO_NUMBER)),
        ({"a": float("nan")}, Fault(("a",), NO_NUMBER)),
        ({"a": (1.5, float("-inf"))}, Fault(("a", 1), NO_NUMBER)),
        ({"a": [True, None, -(2**63), 2**63 - 1, 1e308, "😀 \x01", NOW, b"\x00"]}, None),
    ],
    ids=repr,
)
def test_the_first_fault_is_named_by_its_place(value: Any, fault: Fault | None) -> None:
    assert fault_in(value) == fault


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters() | st.sampled_from("\x00\ud800\udfff"), max_size=20))
def test_a_text_is_storable_where_no_sign_of_it_is_one_of_both(text: str) -> None:
    assert is_storable(text) is not any(sign == "\x00" or "\ud800" <= sign <= "\udfff" for sign in text)


def test_no_depth_is_too_deep_and_no_length_costs_more_than_its_share() -> None:
    deep: Any = "\x00"
    for _ in range(3_000):
        deep = [deep]
    assert fault_in(deep) == Fault((0,) * 3_000, NO_TEXT)
    assert_linear(lambda text: fault_in({"a": list(text), "b": text}), "aé", 40_000)
