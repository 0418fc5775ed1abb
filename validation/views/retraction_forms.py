"""What a person asks of providers, and the export that an operator brings, as forms."""

from typing import Any, cast

from django import forms

from sources.models import Project

LARGEST_EXPORT = 512 * 1024 * 1024


class CheckForm(forms.Form):
    """A pasted list, or a project."""

    text = forms.CharField(
        required=False,
        strip=False,
        max_length=2_000_000,
        label="Paste a list",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "font-monospace"}),
        help_text="DOIs, PubMed ids and arXiv ids, one a line or within a text. Nothing is registered.",
    )
    project = forms.ModelChoiceField(
        required=False, queryset=Project.objects.none(), to_field_name="uuid", label="Or all sources of a project"
    )

    def __init__(self, *args: Any, workspace_id: int, **options: Any) -> None:
        super().__init__(*args, **options)
        cast(Any, self.fields["project"]).queryset = Project.objects.filter(workspace=workspace_id).order_by("name")

    def clean(self) -> dict[str, Any]:
        """Asks for one of the two."""
        cleaned = super().clean() or {}
        if not self.errors and not str(cleaned.get("text") or "").strip() and cleaned.get("project") is None:
            raise forms.ValidationError("Paste a list or choose a project.")
        return cleaned


class ExportForm(forms.Form):
    """An export of Retraction Watch."""

    file = forms.FileField(label="Export of Retraction Watch", help_text="The CSV file, whole. It takes a minute.")
    allow_shrink = forms.BooleanField(required=False, label="Take it although over 2 % of the last one’s rows are gone")

    def clean_file(self) -> Any:
        """Refuses what is too large."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST_EXPORT:
            raise forms.ValidationError("The file is larger than 512 MB, which no export is. Choose another.")
        return file
