"""What a person says about retractions, as forms; each gives what its service takes."""

from datetime import UTC, datetime, time

from django import forms
from django.core.files.uploadedfile import UploadedFile

from sources.core.kinds import UseKind
from sources.core.notice_dates import is_date
from sources.core.retraction_list import SAYABLE, words_of
from sources.core.retraction_status import Status
from sources.services.retraction_decisions import Ruling
from sources.services.retraction_lists import LONGEST, Given

STATUSES = [(status.value, words_of(status)) for status in SAYABLE]


class RulingForm(forms.Form):
    """Where a work stands, and why."""

    status = forms.ChoiceField(choices=STATUSES, label="It is")
    reason = forms.CharField(
        max_length=5_000,
        label="Reason",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown wherever the source is used, and kept in the history.",
    )
    notice = forms.CharField(required=False, max_length=1_000, label="Notice", help_text="Its DOI or address.")
    notice_date = forms.CharField(
        required=False, max_length=10, label="Date of the notice", help_text="2010, 2010-02 or 2010-02-06."
    )
    expires = forms.DateField(
        required=False,
        label="Ask again on",
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="The decision holds on; somebody is asked to affirm it.",
    )
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def clean_notice_date(self) -> str:
        """Refuses what is no date."""
        text: str = self.cleaned_data["notice_date"].strip()
        if text and not is_date(text):
            raise forms.ValidationError("This is no date. Write 2010, 2010-02 or 2010-02-06.")
        return text

    @property
    def given(self) -> Ruling:
        """What is decided. Only after `is_valid`."""
        told = self.cleaned_data
        return Ruling(Status(told["status"]), told["reason"], told["notice"], told["notice_date"])

    @property
    def expires_at(self) -> datetime | None:
        """The begin of the day to ask again, None for never. Only after `is_valid`."""
        day = self.cleaned_data["expires"]
        return datetime.combine(day, time(), UTC) if day else None


class AcknowledgeForm(forms.Form):
    """That one use is meant, and why."""

    kind = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in UseKind])
    use = forms.IntegerField(min_value=1)
    reason = forms.CharField(max_length=5_000, label="Why it is cited although it is retracted")


class WithdrawForm(forms.Form):
    """Which acknowledgement is taken back."""

    acknowledgement = forms.IntegerField(min_value=1)


class PartForm(forms.Form):
    """Which hint at a book is confirmed."""

    hint = forms.IntegerField(min_value=1)


class ListForm(forms.Form):
    """A pasted or uploaded list of works."""

    text = forms.CharField(
        required=False,
        strip=False,
        label="Paste a list",
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "font-monospace"}),
        help_text="One DOI, PMID or address a line; or CSV with the columns identifier, status, note, notice, date.",
    )
    file = forms.FileField(required=False, label="Or choose a file", help_text="CSV, at most 2 MB.")
    status = forms.ChoiceField(choices=STATUSES, initial=Status.RETRACTED.value, label="Lines without a status are")
    note = forms.CharField(
        max_length=5_000,
        label="Note",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Why this is done. It is kept in the history, and shown with lines that have no note.",
    )
    over_decisions = forms.BooleanField(required=False, label="Also decide anew what an editor has decided otherwise")

    def clean(self) -> dict[str, object]:
        """Takes the file's text where there is one, and asks for one of the two."""
        cleaned = super().clean() or {}
        upload: UploadedFile[bytes] | None = cleaned.get("file")
        if upload is not None:
            if (upload.size or 0) > LONGEST:
                raise forms.ValidationError("The file is larger than 2 MB. Split it.")
            cleaned["text"] = upload.read().decode("utf-8", "replace")
        if not str(cleaned.get("text") or "").strip():
            raise forms.ValidationError("Paste a list or choose a file.")
        return cleaned

    @property
    def given(self) -> Given:
        """The list. Only after `is_valid`."""
        told = self.cleaned_data
        return Given(told["text"], Status(told["status"]), told["note"], told["over_decisions"])

    @property
    def carried(self) -> list[tuple[str, str]]:
        """The list as hidden fields, for the confirmation. Only after `is_valid`."""
        given = self.given
        fields = [("text", given.text), ("status", given.status.value), ("note", given.note)]
        return [*fields, *([("over_decisions", "on")] if given.over_decisions else [])]
