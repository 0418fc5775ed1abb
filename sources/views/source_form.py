"""The form of a source's metadata; what a person typed becomes one edit, the same as a bulk edit makes."""

import re
from datetime import date
from typing import Any

from django import forms

from sources.core.authors import as_lines, as_list, as_text, kept_authors, read_authors
from sources.core.kinds import Authority, Classification, Sensitivity
from sources.models import Source
from sources.services.source_edits import Edit
from sources.views.bulk_forms import tag_names, words_in

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_PLAIN = ("title", "published_date", "publisher", "rights", "version", "authority", "classification", "sensitivity")
BIBLIOGRAPHY = ("kind", "container_title", "volume", "issue", "pages", "isbn", "issn", "language", "note")


def _lines(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class SourceForm(forms.Form):
    """Everything about a source that people may write; its identity is not among it."""

    row_version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    title = forms.CharField(required=False, max_length=5000, widget=_lines(2))
    authors = forms.CharField(
        required=False,
        max_length=100_000,
        widget=_lines(4),
        help_text="One per line: Family, Given. An ORCID may follow. An organisation stands without a comma.",
    )
    published_date = forms.CharField(
        required=False, max_length=10, label="Published", help_text="2024, 2024-04 or 2024-04-25."
    )
    publisher = forms.CharField(required=False, max_length=1000)
    rights = forms.CharField(required=False, max_length=2000, help_text="Licence or holder, such as CC BY 4.0.")
    version = forms.CharField(required=False, max_length=100)
    authority = forms.ChoiceField(choices=words_in(Authority))
    classification = forms.ChoiceField(choices=words_in(Classification))
    sensitivity = forms.ChoiceField(choices=words_in(Sensitivity))
    tags = forms.CharField(required=False, max_length=20_000, widget=_lines(3), help_text="One per line.")
    kind = forms.CharField(
        required=False, max_length=50, label="Kind of work", help_text="A CSL type, such as article-journal or book."
    )
    container_title = forms.CharField(required=False, max_length=1000, label="Journal or collection")
    volume = forms.CharField(required=False, max_length=50)
    issue = forms.CharField(required=False, max_length=50)
    pages = forms.CharField(required=False, max_length=100)
    isbn = forms.CharField(required=False, max_length=200, label="ISBN")
    issn = forms.CharField(required=False, max_length=200, label="ISSN")
    language = forms.CharField(required=False, max_length=50)
    note = forms.CharField(required=False, max_length=20_000, widget=_lines(3))

    def __init__(self, data: Any = None, *, source: Source, tags: list[str]) -> None:
        self.source = source
        self._tag_names = tags
        self._author_lines = as_lines(kept_authors(source.author_list, source.authors))
        parts = {name: source.bibliography.get(name, "") for name in BIBLIOGRAPHY}
        super().__init__(
            data,
            initial={
                **{name: getattr(source, name) for name in _PLAIN},
                **parts,
                "row_version": source.row_version,
                "authors": self._author_lines,
                "tags": "\n".join(tags),
            },
        )

    def clean_published_date(self) -> str:
        """A year, a month or a day that is in the calendar."""
        text: str = self.cleaned_data["published_date"]
        if text:
            found = _DATE.fullmatch(text)
            try:
                if found is None:
                    raise ValueError
                date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
            except ValueError:
                raise forms.ValidationError("Write a year, a month or a day: 2024, 2024-04 or 2024-04-25.") from None
        return text

    def clean_kind(self) -> str:
        """Lower case, as CSL writes its types."""
        kind: str = self.cleaned_data["kind"].lower()
        if kind and not re.fullmatch(r"[a-z][a-z_-]*", kind):
            raise forms.ValidationError("A kind is one word, such as article-journal, book, report or webpage.")
        return kind

    @property
    def given(self) -> Edit:
        """The edit that the form asks for. Only after `is_valid`. Authors that nobody touched stay as they are kept."""
        given = self.cleaned_data
        columns: dict[str, object] = {name: given[name] for name in _PLAIN}
        if given["authors"].split() != self._author_lines.split():
            authors = read_authors(given["authors"])
            columns |= {"authors": as_text(authors), "author_list": as_list(authors)}
        wanted = tag_names(given["tags"])
        had, has = {name.lower() for name in self._tag_names}, {name.lower() for name in wanted}
        return Edit(
            columns=columns,
            bibliography={name: given[name] for name in BIBLIOGRAPHY if given[name] != self.initial[name]},
            add_tags=tuple(name for name in wanted if name.lower() not in had),
            remove_tags=tuple(name for name in self._tag_names if name.lower() not in has),
        )
