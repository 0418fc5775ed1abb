"""What people give of drafts: a name, a text, a policy."""

from typing import Any

from django import forms

from sources.core.citations import DEFAULT_POLICY, Action, Mode, Standing
from sources.core.decoding import decode
from sources.models import Draft
from sources.services.drafts import MAX_NAME, MAX_TEXT

_ACTIONS = [(Action.REFUSE.value, "Refuse"), (Action.WARN.value, "Warn")]
_STANDINGS = {
    Standing.RETRACTED: "Retracted sources",
    Standing.DROPPED: "Dropped sources",
    Standing.INTERNAL_ONLY: "Internal sources",
    Standing.STALE: "Sources not checked for long",
}


class TextForm(forms.Form):
    """The text of a version, pasted or as a file."""

    text = forms.CharField(
        required=False,
        strip=False,
        label="The draft, as Markdown",
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "class": "font-monospace"}),
        help_text="Cite sources of the corpus by their ids: [src-007], or [src-007, src-012].",
    )
    file = forms.FileField(required=False, label="Or choose a file", help_text="Markdown in UTF-8, at most 2 MB.")
    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput())

    def clean(self) -> dict[str, Any]:
        """Asks for one of the two; the text that the form came with is none that was given beside a file."""
        cleaned = super().clean() or {}
        upload, text = cleaned.get("file"), cleaned.get("text", "")
        shown = self.initial.get("text", "").split()
        if upload and text.strip() and text.split() != shown:
            raise forms.ValidationError("Either paste the draft or choose a file: there are both.")
        if not upload and not text.strip():
            self.add_error("text", "The draft is empty. Paste its text, or choose a file.")
        if upload and upload.size > 4 * MAX_TEXT:
            self.add_error("file", f"The file has {upload.size:,} bytes; at most {4 * MAX_TEXT:,} are taken. Split it.")
        return cleaned

    @property
    def given(self) -> str:
        """The text that was given. Browsers send line ends of their own, which are none of the draft's. Only after
        `is_valid`; raises `NotText` for a file that holds none."""
        upload = self.cleaned_data["file"]
        if upload:
            return decode(bytes(upload.read()))
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")

    def field_of(self, refused: str) -> str:
        """The field that a fault of the draft is said at: its text may have come as a file. Only after `is_valid`."""
        return "file" if refused == "text" and self.cleaned_data["file"] else refused


class PolicyForm(forms.Form):
    """How strict the gate is: what happens to addresses outside the corpus, and to sources with something against
    them."""

    mode = forms.ChoiceField(
        label="Addresses outside the corpus",
        choices=[(mode.value, f"{mode.value.capitalize()}: {mode.explanation}") for mode in Mode],
        initial=Mode.STRICT.value,
        widget=forms.RadioSelect(),
    )
    retracted = forms.ChoiceField(choices=_ACTIONS)
    dropped = forms.ChoiceField(choices=_ACTIONS)
    internal_only = forms.ChoiceField(choices=_ACTIONS)
    stale = forms.ChoiceField(choices=_ACTIONS)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for standing, label in _STANDINGS.items():
            self.fields[_name(standing)].label = label
            self.fields[_name(standing)].initial = DEFAULT_POLICY.by_standing[standing].value

    @staticmethod
    def values_of(draft: Draft) -> dict[str, Any]:
        """The draft's policy as initial values."""
        told = {_name(Standing(name)): action for name, action in draft.policy.items()}
        default = {_name(standing): action.value for standing, action in DEFAULT_POLICY.by_standing.items()}
        return {"mode": draft.mode, **default, **told}

    @property
    def chosen_mode(self) -> Mode:
        """The mode. Only after `is_valid`."""
        return Mode(self.cleaned_data["mode"])

    @property
    def chosen_policy(self) -> dict[Standing, Action]:
        """The action by standing. Only after `is_valid`."""
        return {standing: Action(self.cleaned_data[_name(standing)]) for standing in Standing}


class DraftForm(TextForm):
    """A new draft with its first text."""

    field_order = ("name", "text", "file")
    name = forms.CharField(max_length=MAX_NAME, label="Name", help_text="For example “Memo, draft for the committee”.")


def _name(standing: Standing) -> str:
    return standing.value.replace("-", "_")
