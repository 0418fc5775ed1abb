"""The table template and the shared columns: sorting is told, filters stay, and nothing from outside becomes markup."""

from typing import Any

import django_tables2 as tables
from django.test import RequestFactory
from django_tables2 import RequestConfig

from provenance_site.kit.tables import TickColumn

HOSTILE = '<b title="x">bold</b>'


class Boats(tables.Table):  # type: ignore[misc]
    """A table as pages have them."""

    caption = "Boats"
    noun = "boat"
    tick = TickColumn(accessor="number")
    name = tables.Column(verbose_name='Name "in full"')
    number = tables.Column(orderable=False)


def drawn(rows: list[dict[str, Any]], path: str = "/", **options: Any) -> str:
    request = RequestFactory().get(path)
    table = Boats(rows, **options)
    RequestConfig(request, paginate={"per_page": 2}).configure(table)
    return str(table.as_html(request))


ROWS = [{"name": f"Boat {number}", "number": number} for number in range(1, 6)]


def test_the_sorted_column_says_its_direction() -> None:
    assert 'aria-sort="ascending"' in drawn(ROWS, "/?sort=name")
    assert 'aria-sort="descending"' in drawn(ROWS, "/?sort=-name")
    assert "aria-sort" not in drawn(ROWS)


def test_a_heading_sorts_with_and_without_scripts_and_keeps_the_filter() -> None:
    html = drawn(ROWS, "/?q=harbour&page=2&sort=name")
    assert 'href="?q=harbour&amp;sort=-name" hx-get="?q=harbour&amp;sort=-name" hx-target="#results"' in html


def test_a_column_that_cannot_be_sorted_has_no_link() -> None:
    assert "results-by-number" not in drawn(ROWS)


def test_pages_are_counted_in_the_words_of_the_table() -> None:
    assert "1–2 of 5 boats" in drawn(ROWS)


def test_a_page_past_the_end_is_the_last() -> None:
    assert "5–5 of 5 boats" in drawn(ROWS, "/?page=1000000000000")


def test_a_cell_carries_its_heading_for_narrow_screens() -> None:
    assert 'data-label="Name &quot;in full&quot;"' in drawn(ROWS)


def test_a_cell_is_escaped() -> None:
    assert HOSTILE not in drawn([{"name": HOSTILE, "number": 1}])


def test_an_empty_table_says_so_in_its_own_words() -> None:
    assert "No boat matches." in drawn([], empty_text="No boat matches.")


def test_every_row_and_the_whole_page_can_be_chosen() -> None:
    html = drawn(ROWS)
    assert 'data-select-all="ids"' in html
    assert html.count('<input type="checkbox" name="ids" value="') == 2
