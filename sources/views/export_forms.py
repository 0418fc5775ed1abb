"""What people choose when they export."""

from collections.abc import Iterable
from typing import Any

from django import forms

from sources.core.export_formats import ExportFormat


class ExportForm(forms.Form):
    """A format, where it needs one a section, and for curators whether internal sources go in."""

    format = forms.ChoiceField(
        label="File",
        widget=forms.RadioSelect,
        error_messages={
            "required": "Choose a file.",
            "invalid_choice": "There is no such file here; choose one of the list.",
        },
    )
    section = forms.ChoiceField(required=False, label="Section", help_text="For files of one section.")
    internal = forms.BooleanField(
        required=False,
        label="For us: internal sources go in",
        help_text="Without this the file is for others, and internal sources stay here.",
    )

    def __init__(
        self, data: Any = None, *, formats: Iterable[ExportFormat], sections: Iterable[str] = (), may_internal: bool
    ) -> None:
        super().__init__(data, initial={"format": ExportFormat.MASTER_VERDICT.value})
        names = list(sections)
        offered = [one for one in formats if names or not one.needs_section]
        self.fields["format"].choices = [(one.value, one.label) for one in offered]  # type: ignore[attr-defined]
        self.offered = offered
        if names:
            choices = [("", "Choose a section"), *((name, name) for name in names)]
            self.fields["section"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["section"]
        if not may_internal:
            del self.fields["internal"]

    def clean(self) -> dict[str, Any]:
        """A section is asked for by the files that are of one, and means nothing to the others."""
        cleaned = super().clean() or {}
        told = cleaned.get("format") or ""
        needs = bool(told) and ExportFormat(told).needs_section
        if needs and not cleaned.get("section"):
            self.add_error("section", "Choose the section that the file is of.")
        if not needs:
            cleaned["section"] = ""
        return cleaned
