"""Authors as people type them and as records keep them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.authors import as_lines, as_list, as_text, kept_authors, read_authors
from sources.core.entries import Author
from tests.growth import assert_linear

_NAME = st.text(st.characters(categories=["L"]), min_size=1, max_size=12)
_AUTHOR = st.builds(
    Author, family=_NAME, given=st.one_of(st.just(""), _NAME), orcid=st.sampled_from(["", "0000-0002-1825-009X"])
)


@given(st.lists(_AUTHOR, max_size=6))
@settings(max_examples=60, deadline=None)
def test_what_is_shown_is_read_again(authors: list[Author]) -> None:
    assert list(read_authors(as_lines(authors))) == authors
    assert list(kept_authors(as_list(authors), "")) == authors


def test_an_orcid_is_read_in_any_dress() -> None:
    for dress in ("(0000-0002-1825-0097)", "[0000-0002-1825-0097]", "https://orcid.org/0000-0002-1825-0097"):
        (author,) = read_authors(f"Quayle, Ada {dress}")
        assert author == Author(family="Quayle", given="Ada", orcid="0000-0002-1825-0097")


def test_an_organisation_stands_whole_and_empty_lines_are_none() -> None:
    assert read_authors("\n  \nHarbour Office\n,\n") == (Author(family="Harbour Office"),)


def test_a_text_without_a_list_still_has_its_authors() -> None:
    assert as_text(kept_authors([], "Quayle, A.; Moss, B.")) == "Quayle, A.; Moss, B."
    assert kept_authors([{"family": "", "given": ""}, "odd", {"literal": "x"}], "") == ()


def test_hostile_lines_cost_what_they_are_long() -> None:
    for piece in ("0000-", "0000-0000-0000-0000 ", "a, (", ",", " "):
        assert_linear(read_authors, piece, 200_000)
