"""Own publishers and patterns as people put them in; the rules themselves live in `core.own_entries`."""

from collections.abc import Sequence
from typing import Any

from django import forms

from validation.core.own_entries import PatternEntry, Problem, PublisherEntry
from validation.models import OwnPattern, OwnPublisher


class LinesField(forms.CharField):
    """A text of lines; gives a tuple of those that are not blank."""

    def __init__(self, *, rows: int = 3, **options: Any) -> None:
        area = forms.Textarea(
            attrs={"rows": rows, "spellcheck": "false", "autocapitalize": "none", "class": "font-monospace"}
        )
        super().__init__(widget=area, max_length=20_000, **options)

    def clean(self, value: Any) -> tuple[str, ...]:
        """The lines without the space around them."""
        text = super().clean(value)
        return tuple(line for line in (one.strip() for one in text.splitlines()) if line)


class OwnEntryForm(forms.Form):
    """What both forms have: the version that was edited, and the messages of the rules at their fields."""

    row_version = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput())

    def show(self, problems: Sequence[Problem]) -> None:
        """Puts each problem at its field."""
        for problem in problems:
            self.add_error(problem.field if problem.field in self.fields else None, problem.message)


class PublisherForm(OwnEntryForm):
    """A publisher behind a wall."""

    name = forms.CharField(max_length=100, label="Name", help_text="How people call it, such as The Harbour Gazette.")
    domains = LinesField(
        label="Domains", help_text="One a line, for example gazette.org. Hosts below it belong to it too."
    )
    access_note = forms.CharField(
        required=False,
        max_length=300,
        label="Access note",
        help_text="Shown beside its sources. Left empty: “<name>: requires a subscription”.",
    )
    path_hints = LinesField(
        required=False,
        label="Where its works live",
        help_text="Beginnings of paths, one a line, for example /articles/. A hint for people, no condition.",
    )
    notes = forms.CharField(
        required=False, max_length=2_000, label="Notes", help_text="For colleagues: what is particular about its walls."
    )

    @staticmethod
    def values_of(row: OwnPublisher) -> dict[str, Any]:
        """The row as initial values."""
        return {
            "row_version": row.row_version,
            "name": row.name,
            "domains": "\n".join(row.domains),
            "access_note": row.access_note,
            "path_hints": "\n".join(row.path_hints),
            "notes": row.notes,
        }

    @property
    def entry(self) -> PublisherEntry:
        """What was entered. Only after `is_valid`."""
        given = self.cleaned_data
        return PublisherEntry(
            given["name"], given["domains"], given["path_hints"], given["access_note"], given["notes"]
        )


class PatternForm(OwnEntryForm):
    """A shape of invented addresses."""

    name = forms.CharField(
        max_length=100, label="Name", help_text="What is invented, for example “Gazette article without a slug”."
    )
    pattern = forms.CharField(
        max_length=500,
        label="Pattern",
        help_text=r"A regular expression, searched in the whole address: ^https?://gazette\.org/article/\d+$. "
        "Look-around and back references are not taken.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none", "class": "font-monospace"}),
    )
    hits = LinesField(label="Must match", help_text="Invented addresses, one a line, at most 20.")
    passes = LinesField(label="Must pass", help_text="Real addresses of the same site, one a line, at most 20.")
    notes = forms.CharField(
        required=False, max_length=2_000, label="Notes", help_text="For colleagues: where such addresses were met."
    )

    @staticmethod
    def values_of(row: OwnPattern) -> dict[str, Any]:
        """The row as initial values."""
        return {
            "row_version": row.row_version,
            "name": row.name,
            "pattern": row.pattern,
            "hits": "\n".join(row.hits),
            "passes": "\n".join(row.passes),
            "notes": row.notes,
        }

    @property
    def entry(self) -> PatternEntry:
        """What was entered. Only after `is_valid`."""
        given = self.cleaned_data
        return PatternEntry(given["name"], given["pattern"], given["hits"], given["passes"], given["notes"])
