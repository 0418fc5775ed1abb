"""Texts cut into passages: by headings and paragraphs, up to a size, with their lines."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.passages import SIZE, passages_of
from tests.growth import assert_linear

LONG = "tide " * (SIZE // 11)
TEXTS = st.text(st.sampled_from("ab #`~\n\r\t.é "), max_size=400)


def lines(text: str, name: str = "notes.md") -> list[tuple[int, int]]:
    return [(passage.start_line, passage.end_line) for passage in passages_of(text, name=name)]


def test_a_heading_of_markdown_begins_a_passage() -> None:
    found = passages_of("Before.\n\n# Tides\n\nThey rise.\n\n## Ebb\nThey fall.\n", name="tides.md")
    assert [passage.content for passage in found] == ["Before.", "# Tides\n\nThey rise.", "## Ebb\nThey fall."]
    assert lines("Before.\n\n# Tides\n\nThey rise.\n") == [(1, 1), (3, 5)]


def test_a_heading_inside_a_fence_begins_nothing() -> None:
    assert lines("```\n# no heading\n```\n\n# Yes\n") == [(1, 3), (5, 5)]
    assert lines("~~~\n```\n# no heading\n~~~\n") == [(1, 4)]


def test_a_hash_in_plain_text_is_no_heading() -> None:
    assert lines("One.\n# Two.\n", "notes.txt") == [(1, 2)]


def test_short_paragraphs_are_joined_and_long_ones_parted() -> None:
    assert lines("One.\n\nTwo.\n", "notes.txt") == [(1, 3)]
    assert lines(f"{LONG}\n\n{LONG}\n\n{LONG}\n", "notes.txt") == [(1, 3), (5, 5)]


def test_code_is_parted_at_the_margin() -> None:
    code = f"def a():\n    x = '{LONG}'\n\n    return x\n\n\ndef b():\n    y = '{LONG}'\n    return '{LONG}'\n"
    assert lines(code, "harbour.py") == [(1, 4), (7, 9)]


def test_a_paragraph_that_is_too_long_is_cut_at_line_ends_then_at_blanks() -> None:
    assert lines("\n".join(["x" * 700] * 5), "notes.txt") == [(1, 2), (3, 4), (5, 5)]
    found = passages_of("word " * 1_000, name="notes.txt")
    assert {(passage.start_line, passage.end_line) for passage in found} == {(1, 1)}
    assert all(len(passage.content) <= SIZE for passage in found)
    assert "".join(passage.content for passage in found) == "word " * 1_000


@pytest.mark.parametrize("text", ["", " \n\t\n", "\r\r\n"])
def test_a_text_of_blanks_has_no_passage(text: str) -> None:
    assert passages_of(text, name="notes.md") == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_count_the_same(end: str) -> None:
    assert passages_of(f"# A{end}b{end}{end}# C{end}", name="x.md") == passages_of("# A\nb\n\n# C\n", name="x.md")


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.sampled_from(["a.md", "a.py", "a.txt", "https://harbour.example/a.md?x=1", "README"]))
def test_nothing_but_blanks_is_lost_and_lines_are_true(text: str, name: str) -> None:
    found = passages_of(text, name=name)
    assert re.sub(r"\s", "", "".join(passage.content for passage in found)) == re.sub(r"\s", "", text)
    stands = re.split(r"\r\n|\r|\n", text)
    for passage in found:
        assert passage.content == "\n".join(stands[passage.start_line - 1 : passage.end_line])
        assert passage.content.strip()
    assert found == passages_of(text, name=name)


@pytest.mark.parametrize("piece", ["# \n", "```\n", "x", " x", "\n \n", "a\n\n", "````\n~~~~\n"])
def test_hostile_texts_cost_no_more_than_their_length(piece: str) -> None:
    assert_linear(lambda text: passages_of(text, name="a.md"), piece, 80_000)
