"""Laws of reading that hold for any text, however broken."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.credentials import without_credentials
from sources.core.extract import extract
from sources.core.extraction.blocks import heading_of
from tests.growth import assert_linear

PASSWORD = "Zq9hunter"
FRAGMENTS = st.sampled_from(
    [
        "\n", "\n", "\n\n", "\r\n", "\r", " ", " ", "\t", "\x00", "\x0b", "\u2028", "\ufeff", "\u200b", "\ue200",
        "https://a.example/x", "http://www.b.example/Y_(z)/?q=1&utm_source=c", "https://", "http://127.1/",
        f"https://user:{PASSWORD}@c.example/", f"http://u:{PASSWORD}/x@d.example", "HTTPS://É.example/é",
        f"?to=https%3A%2F%2Fu%3A{PASSWORD}%40e.example", "10.1000/182.", "arXiv:1706.03762v5", "PMID: 12",
        "doi:10.1002/(SICI)1097(1998)49:8<693::AID>3.0.CO;2-O", "ISBN 0-306-40615-2", "hdl:10037/1", "12345",
        "javascript:alert(1)", "file:///x", "www.f.example", "me@g.example", "host.example/page", "港", "。",
        "[", "]", "(", ")", "<", ">", "![", "](", "[^1]", "[^1]: ", "[1]: ", "[1] ", "[a][1]", "`", "``", "```\n",
        "<!--", "-->", '<a href="https://h.example/">', "</a>", "# ", "## Part\n", "- ", "1. ", "> ", "| ", "|-|-|\n",
        "---\n", "\\", "*", "_", '"', "'", "Title", "The harbour grew by three per cent in one year", ". ", ", ",
        "accessed 3 May 2025, ", "&amp;",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(FRAGMENTS, max_size=40).map("".join),
    st.lists(st.one_of(FRAGMENTS, st.text(max_size=6)), max_size=30).map("".join),
)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_every_reference_stands_in_its_line(text: str) -> None:
    lines = re.split(r"\r\n?|\n", text)
    for reference in extract(text).references:
        assert 1 <= reference.line <= len(lines)
        line = re.sub(
            "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]",
            " ",
            without_credentials(lines[reference.line - 1]),
        )
        assert reference.spelling in line
        assert reference.spelling


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_every_field_is_short_clean_and_without_a_password(text: str) -> None:
    found = extract(text)
    assert PASSWORD not in repr(found)
    assert "\x00" not in repr(found)
    for reference in found.references:
        assert len(reference.title) <= 300
        assert len(reference.section) <= 300
        assert len(reference.context) <= 300
        assert "\n" not in reference.title + reference.section + reference.context
        assert re.fullmatch("[0-9a-f]{64}", reference.identity.key)
        assert reference.identity.request_url.isascii()
    for error in found.errors:
        assert error.message.endswith(".")
        assert len(error.spelling) <= 200


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_reading_twice_gives_the_same_and_in_the_order_of_the_lines(text: str) -> None:
    found = extract(text)
    assert extract(text) == found
    assert [reference.line for reference in found.references] == sorted(
        reference.line for reference in found.references
    )
    assert [error.line for error in found.errors] == sorted(error.line for error in found.errors)


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_text_with_words_yields_a_reference_or_an_error(text: str) -> None:
    found = extract(text)
    words = re.sub(r"[\s\x00-\x1f\x7f-\x9f\ufeff\W_]", "", text)
    if words and "#" not in text:
        assert found.references or found.errors


@given(st.lists(st.integers(min_value=0, max_value=99), min_size=1, max_size=20), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=60, deadline=None)
def test_a_list_loses_no_line(numbers: list[int], line_end: str) -> None:
    lines = [f"https://a.example/{number}" if number % 3 else f"entry {number}" for number in numbers]
    found = extract(line_end.join(lines))
    assert len(found.references) + len(found.errors) == len(lines)
    assert [lines[reference.line - 1] for reference in found.references] == [
        line for line in lines if line.startswith("h")
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "[", "]", "![", "[a](", "[a](b '", "[[a](https://b.example)", "[a][b]", "`a``b", "<a ", "<!--", "> ", "- ",
        "((https://", "https://", "https://a.example/(", "://a:b", "10.1000/", "\\[", "x [1] ", "[^1]: ",
        "www.a.example ", "* [a]: b\n", "https://a.example/x,", "10.1000/x;10.1000/y|",
    ],
)  # fmt: skip
def test_a_text_made_to_be_slow_is_read_in_linear_time(piece: str) -> None:
    assert_linear(extract, piece, 100_000, before="The harbour grew [here](https://ok.example/).\n\n")


@pytest.mark.parametrize("piece", [" ", "\t", " #", "# ", "#"])
def test_a_heading_made_to_be_slow_is_read_in_linear_time(piece: str) -> None:
    assert_linear(extract, piece, 40_000, before="# Harbours", after="x\n\n[here](https://ok.example/)\n")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("# Tides", "Tides"),
        ("# Tides ##  ", "Tides"),
        ("# Tides#", "Tides#"),
        ("# A # b ##", "A # b"),
        ("# ##a", "##a"),
        ("##", ""),
        ("## ", ""),
        ("### ###", ""),
        ("#Tides", None),
        ("    # Tides", None),
    ],
)
def test_a_heading_is_what_commonmark_takes_for_one(line: str, text: str | None) -> None:
    """CommonMark 0.31, section 4.2."""
    assert heading_of(line) == text
