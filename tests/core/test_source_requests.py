"""The question that a claim becomes, and a finished text that is read in linear time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.citations import DEFAULT_POLICY, CorpusItem
from tests.growth import assert_linear
from validation.core.shipped_text import read_document
from validation.core.source_requests import MAX_QUERY, query_of


@pytest.mark.parametrize(
    ("claim", "query"),
    [
        ("The ferry carried 48,200 passengers.", "The ferry carried 48,200 passengers"),
        ("**Boats** came [^2], says `the` gazette. [src-001]", "Boats came, says the gazette"),
        ('Boats came. <needs-source claim="Boats came.">', "Boats came"),
        ("See https://gazette.org/1 for boats", "See for boats"),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_claim_is_asked_in_its_own_words_without_markup(claim: str, query: str) -> None:
    assert query_of(claim) == query


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=1_000))
def test_a_question_is_one_short_line_that_begins_with_a_word(claim: str) -> None:
    query = query_of(claim)
    assert len(query) <= MAX_QUERY
    assert query == " ".join(query.split())
    assert not query.startswith((".", ",", "(", "[", "“"))


def test_a_long_claim_is_cut_at_a_word() -> None:
    assert query_of("harbour " * 100).endswith("harbour")


@pytest.mark.parametrize(
    "piece",
    [
        "Boats came. [src-001] [two](https://else.org/2)\n\n",
        '<needs-source claim="',
        "[src-001][src-002]",
        "https://else.org/(((",
        "[^1]: x\n",
    ],
)
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    corpus = [CorpusItem("src-001", "https://gazette.org/1", "https://gazette.org/1", "Survey")]
    assert_linear(
        lambda text: read_document(text, corpus=corpus, policy=DEFAULT_POLICY, acknowledged={}), piece, 40_000
    )
