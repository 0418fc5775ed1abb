"""The outline as a form: one set of fields a section, two of them empty for new ones."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.forms import BaseFormSet, formset_factory
from django.http import QueryDict

from sources.core.decoding import decode
from sources.core.outline import MAX_SECTIONS, MAX_TEXT, MAX_TITLE, Part

EMPTY_FORMS = 2
_LINES = {"rows": 4}


class PartForm(forms.Form):
    """One section; `slug` names it where it is renamed. Without a title it is left out."""

    hides_optional = True

    slug = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput())
    title = forms.CharField(required=False, max_length=MAX_TITLE, label="Title")
    guiding_questions = forms.CharField(
        required=False,
        max_length=30_000,
        label="Guiding questions",
        help_text="One a line.",
        widget=forms.Textarea(attrs=_LINES),
    )
    preferred_sources = forms.CharField(
        required=False,
        max_length=30_000,
        label="Preferred sources",
        help_text="Domains, publishers or kinds, one a line.",
        widget=forms.Textarea(attrs=_LINES),
    )
    position = forms.IntegerField(required=False, min_value=1, max_value=10_000, label="Place")
    leave_out = forms.BooleanField(required=False, label="Take out of the outline")

    @property
    def part(self) -> Part | None:
        """The section as it was entered, None for one to leave out. Only after `is_valid`."""
        given = self.cleaned_data
        if not given:  # an empty form that nobody touched
            return None
        told = given["title"].strip() or given["guiding_questions"].strip() or given["preferred_sources"].strip()
        if given["leave_out"] or not told:
            return None
        return Part(
            title=given["title"],
            guiding_questions=tuple(given["guiding_questions"].splitlines()),
            preferred_sources=tuple(given["preferred_sources"].splitlines()),
            slug=given["slug"],
        )


class PartForms(BaseFormSet[PartForm]):
    """All sections, in the order of their places."""

    @property
    def parts(self) -> list[Part]:
        """The sections as they were entered, by their places. Only after `is_valid`."""
        placed = [
            (form.cleaned_data.get("position") or 10_001, number, part)
            for number, form in enumerate(self.forms)
            if (part := form.part) is not None
        ]
        return [part for _, _, part in sorted(placed, key=lambda one: one[:2])]


_FORMS = formset_factory(
    PartForm, formset=PartForms, extra=EMPTY_FORMS, max_num=MAX_SECTIONS, absolute_max=MAX_SECTIONS + EMPTY_FORMS
)


def part_forms(data: QueryDict | None = None, *, parts: Sequence[Part] = ()) -> PartForms:
    """The forms of these sections and two empty ones, or what was sent."""
    made = _FORMS(data, initial=None if data is not None else initial_of(parts), prefix="part")
    return cast("PartForms", made)


def initial_of(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The sections as initial values of the forms."""
    return [
        {
            "slug": part.slug,
            "title": part.title,
            "guiding_questions": "\n".join(part.guiding_questions),
            "preferred_sources": "\n".join(part.preferred_sources),
            "position": place,
        }
        for place, part in enumerate(parts, 1)
    ]


class OutlineFileForm(forms.Form):
    """An outline as YAML, pasted or as a file; it takes the place of the one that is there."""

    hides_optional = True

    text = forms.CharField(
        required=False,
        max_length=MAX_TEXT,
        strip=False,
        label="Outline as YAML",
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "font-monospace"}),
        help_text="Under sections: a list with title, guiding_questions and preferred_sources each.",
    )
    file = forms.FileField(required=False, label="Or choose a file", help_text="YAML in UTF-8, at most 200 KB.")

    def clean(self) -> dict[str, Any]:
        """Asks for one of the two."""
        cleaned = super().clean() or {}
        upload = cleaned.get("file")
        if bool(cleaned.get("text", "").strip()) == bool(upload):
            raise forms.ValidationError("Paste the outline or choose a file: one of the two.")
        if upload and upload.size > MAX_TEXT:
            self.add_error("file", f"The file has {upload.size:,} bytes; at most {MAX_TEXT:,} are taken. Split it.")
        return cleaned

    @property
    def given(self) -> str:
        """What was given. Only after `is_valid`; raises `NotText` for a file that holds no text."""
        upload = self.cleaned_data["file"]
        if upload:
            return decode(bytes(upload.read()))
        text: str = self.cleaned_data["text"]
        return text
