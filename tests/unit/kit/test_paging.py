"""No address breaks a list."""

import pytest
from django.test import RequestFactory
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.paging import page_of

ROWS = list(range(101))


def number_at(query: str, rows: list[int] = ROWS) -> int:
    return page_of(RequestFactory().get(f"/?{query}"), rows, per_page=10).number


@pytest.mark.parametrize("query", ["", "page=", "page=0", "page=-3", "page=one", "page=1.5", "page=1_0", "page=%00"])
def test_no_usable_number_gives_the_first_page(query: str) -> None:
    assert number_at(query) == 1


@pytest.mark.parametrize("query", ["page=11", "page=12", f"page={10**12}", "page=" + "9" * 5_000])
def test_a_number_past_the_end_gives_the_last_page(query: str) -> None:
    assert number_at(query) == 11


def test_leading_zeros_do_not_make_a_number_longer() -> None:
    assert number_at("page=0000000000000000002") == 2


def test_an_empty_list_has_one_empty_page() -> None:
    nothing: list[int] = []
    page = page_of(RequestFactory().get("/?page=4"), nothing)
    assert (page.number, list(page)) == (1, [])


def test_a_second_list_on_a_page_has_a_parameter_of_its_own() -> None:
    page = page_of(RequestFactory().get("/?page=2&rows=3"), ROWS, per_page=10, parameter="rows")
    assert list(page) == list(range(20, 30))


@settings(max_examples=60, deadline=None)
@given(raw=st.text(max_size=30), length=st.integers(0, 40))
def test_any_text_gives_a_page_that_exists(raw: str, length: int) -> None:
    request = RequestFactory().get("/", {"page": raw})
    page = page_of(request, list(range(length)), per_page=7)
    assert 1 <= page.number <= page.paginator.num_pages
