"""Outlines as YAML: read in both shapes, written so that they come back, refused with the line of a fault."""

import contextlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.lines import one_line
from sources.core.outline import MAX_TEXT, OutlineRefused, Part, checked, read, write
from tests.growth import assert_linear

LISTED = """\
sections:
  - title: Market context
    guiding_questions:
      - How large is the market?
      - "Who buys: and why?"
    preferred_sources: [harbour.example, Harbour Press]
  - title: Team
"""
NAMED = """\
Market context:
  guiding_questions: |
    How large is the market?
    Who buys: and why?
  preferred_sources:
    domains: [harbour.example]
    publishers: [Harbour Press]
Team:
"""
OUTLINE = [
    Part("Market context", ("How large is the market?", "Who buys: and why?"), ("harbour.example", "Harbour Press")),
    Part("Team"),
]


@pytest.mark.parametrize("text", [LISTED, NAMED], ids=["a list", "by name"])
def test_both_shapes_say_the_same(text: str) -> None:
    assert read(text) == OUTLINE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "There is no section here"),
        ("sections: []\n", "Line 1: There is no section"),
        ("sections:\n  - title: A\n  - guiding_questions: [x]\n", "Line 3: this section has no `title:`"),
        (
            "sections:\n  - title: A\n    guiding_questions:\n      - [x]\n",
            "Line 4: `guiding_questions` is a list of texts",
        ),
        ("sections:\n\t- title: A\n", "Indent with spaces, not with a tab."),
        (
            "A:\n  note: [x]\n  guiding_question: [x]\n",
            "Line 3: “guiding_question” is not read. Write `guiding_questions:`",
        ),
        ("a: &x [1]\nb: *x\n", "Line 2: aliases"),
        ("A:\n  questions: [x]\nA:\n  questions: [y]\n", "Line 3: “A” stands here twice"),
        ("sections:\n  - title: A\n  - title: a\n", "Section 2: there is a section “a” above"),
        ("- - - - - - - - - - x\n", "Line 1: it nests too deeply"),
        ("just words\n", "Line 1: sections are a list"),
        ("x" * (MAX_TEXT + 1), "at most 200,000 characters"),
        (f"- title: {'long ' * 80}\n", "Section 1: a title has 1 to 300 characters"),
    ],
)
def test_a_fault_names_its_line_and_the_way_out(text: str, told: str) -> None:
    with pytest.raises(OutlineRefused) as refused:
        read(text)
    assert told in str(refused.value)


_TEXTS = st.text(min_size=1, max_size=40).map(one_line).filter(bool)
_PARTS = st.lists(
    st.builds(Part, _TEXTS, st.lists(_TEXTS, max_size=3).map(tuple), st.lists(_TEXTS, max_size=3).map(tuple)),
    min_size=1,
    max_size=4,
    unique_by=lambda part: part.title.casefold(),
)


@settings(max_examples=60, deadline=None)
@given(_PARTS)
def test_what_is_written_is_read_back_as_it_was(parts: list[Part]) -> None:
    kept = checked(parts)
    assert read(write(kept)) == [replace(part, slug="") for part in kept]


@pytest.mark.parametrize("piece", ["[", "- a\n", "a: ", "# \n"])
def test_a_hostile_outline_takes_linear_time(piece: str) -> None:
    def work(text: str) -> None:
        with contextlib.suppress(OutlineRefused):
            read(text)

    assert_linear(work, piece, 16_000)
