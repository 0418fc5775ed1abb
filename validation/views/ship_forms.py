"""What people give to the ship gate and to a corrected draft; the rules live in the services."""

from typing import Any

from django import forms

from sources.core import extract
from validation.core.shipping import SpotResult
from validation.core.source_requests import MOST_CALLS, MOST_CANDIDATES
from validation.services.marker_resolution import SearchBudget

_PLAIN = {"rows": 14, "spellcheck": "false", "class": "font-monospace"}


class TextForm(forms.Form):
    """A Markdown text, pasted or as a file: exactly one of the two. `given` has it after `is_valid`."""

    text = forms.CharField(
        required=False, strip=False, label="Paste the text", widget=forms.Textarea(attrs=_PLAIN), help_text="Markdown."
    )
    file = forms.FileField(required=False, label="Or choose a file", help_text="Markdown in UTF-8.")
    given = ""
    file_name = ""

    def clean(self) -> dict[str, Any]:
        """Asks for one of paste and file, and reads the file; the text that the form came with is none that was given
        beside a file."""
        cleaned = super().clean() or {}
        pasted, file = cleaned.get("text", ""), cleaned.get("file")
        if file and pasted.split() == self.initial.get("text", "").split():
            pasted = ""
        if bool(pasted.strip()) == bool(file):
            raise forms.ValidationError("Paste the text or choose a file, one of the two.")
        self.given = pasted
        if file:
            self.file_name = file.name
            try:
                self.given = extract.decode(file.read())
            except extract.NotText as refused:
                raise forms.ValidationError(str(refused)) from refused
        return cleaned


class SearchBudgetForm(forms.Form):
    """What the search for a claim may spend; what is left empty stays as it was."""

    calls = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_CALLS,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"Calls: enter a number from 0 to {MOST_CALLS}."
        ),
    )
    candidates = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_CANDIDATES,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"Candidates: enter a number from 1 to {MOST_CANDIDATES}."
        ),
    )

    @property
    def is_told(self) -> bool:
        """True where anything was entered. Only after `is_valid`."""
        return any(value is not None for value in self.cleaned_data.values())

    def budget(self, before: SearchBudget) -> SearchBudget:
        """What was entered, else what there was. Only after `is_valid`."""
        calls, candidates = self.cleaned_data["calls"], self.cleaned_data["candidates"]
        return SearchBudget(
            before.calls if calls is None else calls, before.candidates if candidates is None else candidates
        )


class CorrectionForm(TextForm):
    """A corrected text of a draft; `seen` is the version that the person had before them."""

    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput())


class SpotForm(forms.Form):
    """What a person says of one drawn link."""

    position = forms.IntegerField(min_value=1)
    result = forms.ChoiceField(choices=[(result.value, result.label) for result in SpotResult])
    note = forms.CharField(required=False, max_length=2000)

    @property
    def given_result(self) -> SpotResult:
        """The result as the enum. Only after `is_valid`."""
        return SpotResult(self.cleaned_data["result"])
