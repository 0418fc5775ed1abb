"""Sealed texts: opened in their place under any of the secrets, and nowhere else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.sealing import opened, sealed

PLACE, NEW, OLD = "key/1/tavily", "the secret of now", "the secret before"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
@settings(max_examples=30, deadline=None)
def test_what_was_sealed_is_opened_again(text: str) -> None:
    token = sealed(text, place=PLACE, secrets=[NEW])
    assert opened(token, place=PLACE, secrets=[NEW]) == text
    assert token.isascii()
    assert len(text) < 4 or text not in token


def test_a_secret_that_was_replaced_still_opens_and_no_longer_seals() -> None:
    token = sealed("key", place=PLACE, secrets=[OLD])
    assert opened(token, place=PLACE, secrets=[NEW, OLD]) == "key"
    assert opened(sealed("key", place=PLACE, secrets=[NEW, OLD]), place=PLACE, secrets=[OLD]) is None


@pytest.mark.parametrize("place", ["key/2/tavily", "key/1/firecrawl", ""])
def test_moved_to_another_place_it_stays_closed(place: str) -> None:
    assert opened(sealed("key", place=PLACE, secrets=[NEW]), place=place, secrets=[NEW]) is None


@pytest.mark.parametrize("token", ["", "no token", "gAAAA", "ключ", "\x00"])
def test_what_is_no_token_stays_closed(token: str) -> None:
    assert opened(token, place=PLACE, secrets=[NEW]) is None


def test_an_altered_token_stays_closed() -> None:
    token = sealed("key", place=PLACE, secrets=[NEW])
    middle = len(token) // 2
    altered = token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :]
    assert opened(altered, place=PLACE, secrets=[NEW]) is None


def test_the_same_text_is_sealed_differently_each_time() -> None:
    assert len({sealed("key", place=PLACE, secrets=[NEW]) for _ in range(5)}) == 5
