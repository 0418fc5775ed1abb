"""Columns that several lists share."""

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString

_TICK: dict[str, dict[str, str]] = {"td": {"class": "tick"}, "th": {"class": "tick"}}


class TickColumn(tables.Column):  # type: ignore[misc]  # django-tables2 has no types
    """A checkbox a row, named `name` and holding the accessor's value; the one in the header chooses the whole page.

    `None` as a value leaves the cell empty: a row that cannot be chosen. A checkbox says the row by `str(record)`.
    """

    def __init__(self, *, name: str = "ids", **extra: Any) -> None:
        super().__init__(orderable=False, verbose_name="", attrs=_TICK, exclude_from_export=True, **extra)
        self.name = name

    @property
    def header(self) -> SafeString:
        """The checkbox that chooses all rows of the page."""
        return format_html(
            '<input type="checkbox" data-select-all="{}" aria-label="Choose all on this page">', self.name
        )

    def render(self, value: object, record: object, table: object) -> SafeString:
        """The checkbox of one row; ticked where the table's `is_all_ticked` says so."""
        box = '<input type="checkbox" name="{}" value="{}" aria-label="Choose {}">'
        if getattr(table, "is_all_ticked", False):
            box = '<input type="checkbox" name="{}" value="{}" aria-label="Choose {}" checked>'
        return format_html(box, self.name, value, record)
