"""What people put in, checked field by field; the rules themselves live in services."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.services.review import Seen, Verdicted


class ProjectForm(forms.Form):
    """A new project."""

    name = forms.CharField(max_length=200, label="Name", help_text="What the memo, article or report is called.")
    firm = forms.CharField(
        max_length=200, required=False, label="Firm or publisher", help_text="Written into exports; may stay empty."
    )


class ImportForm(forms.Form):
    """A pasted list or an uploaded file: exactly one of the two."""

    text = forms.CharField(
        required=False,
        label="Paste a list or a draft",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false", "class": "font-monospace"}),
        help_text="URLs, DOIs and other identifiers, a reference list, an assistant's answer, or Markdown with links "
        "and footnotes; BibTeX, RIS or CSV as text are read as well. At most 10 MB.",
    )
    file = forms.FileField(
        required=False,
        label="Or choose a file",
        help_text="BibTeX, RIS, CSL-JSON, NBIB, EndNote, Zotero, CSV, Word (DOCX), a Harvey knowledge base, store or "
        "session, a memo's outputs folder as ZIP, Sources.md, Master-Sources.md; or a text, Markdown or HTML file. "
        "The name does not matter. Texts at most 10 MB, other files 64 MB.",
    )
    label = forms.CharField(
        required=False,
        max_length=200,
        label="Name of this version",
        help_text="For example “draft 3”. Without it the file's name, or the time for a pasted list.",
    )

    def clean(self) -> dict[str, Any]:
        """Asks for one of paste and file."""
        cleaned = super().clean() or {}
        if not cleaned.get("text", "").strip() and not cleaned.get("file"):
            raise forms.ValidationError("Paste a list or choose a file.")
        if cleaned.get("text", "").strip() and cleaned.get("file"):
            raise forms.ValidationError(
                "Either paste a list or choose a file: there are both, and only one can be meant."
            )
        return cleaned

    @property
    def file_name(self) -> str:
        """The uploaded file's own name, '' for a pasted list. Only after `is_valid`."""
        upload: UploadedFile[bytes] | None = self.cleaned_data["file"]
        return (upload.name or "") if upload is not None else ""

    @property
    def given(self) -> tuple[bytes, str]:
        """The bytes to import and the name they go by. Only after `is_valid`."""
        upload: UploadedFile[bytes] | None = self.cleaned_data["file"]
        label = self.cleaned_data["label"].strip()
        if upload is not None:
            return upload.read(), label or (upload.name or "file")
        return self.cleaned_data["text"].encode("utf-8", "surrogatepass"), label


class DecisionForm(forms.Form):
    """A decision about a source, with what the person saw of it."""

    kind = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in DecisionKind])
    override_verdict = forms.ChoiceField(
        required=False, choices=[("", "Choose a verdict"), *((verdict.value, verdict.label) for verdict in Verdict)]
    )
    reason = forms.CharField(required=False, max_length=2000)
    row_version = forms.IntegerField(min_value=1)
    check_seen = forms.IntegerField(required=False, min_value=1)
    decision_seen = forms.IntegerField(required=False, min_value=1)

    @property
    def seen(self) -> Seen:
        """What lay before the person. Only after `is_valid`."""
        return Seen(
            row_version=self.cleaned_data["row_version"],
            check_id=self.cleaned_data["check_seen"],
            decision_id=self.cleaned_data["decision_seen"],
        )

    @property
    def given(self) -> Verdicted:
        """The decision as the service takes it. Only after `is_valid`."""
        override = self.cleaned_data["override_verdict"]
        return Verdicted(
            kind=DecisionKind(self.cleaned_data["kind"]),
            reason=self.cleaned_data["reason"],
            override_verdict=Verdict(override) if override else None,
        )


class QueueForm(forms.Form):
    """The filter of the review queue, from the query string."""

    project = forms.UUIDField(required=False)
    question = forms.ChoiceField(
        required=False, choices=[("", "All questions"), *((reason.value, reason.label) for reason in ReviewReason)]
    )
    at = forms.UUIDField(required=False)
