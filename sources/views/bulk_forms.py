"""What a person may do to chosen sources, as forms; each gives what its service takes."""

from enum import StrEnum
from typing import Any, cast

from django import forms

from provenance_site.kit.choices import choices_of
from sources.core.kinds import Authority, Classification, Sensitivity
from sources.models import Section
from sources.services.source_edits import Edit

_LEAVE = ("", "Leave as it is")


def words_in(vocabulary: type[StrEnum]) -> list[tuple[str, str]]:
    """Choices with the words as people read them."""
    return [(value, words.replace("_", " ")) for value, words in choices_of(vocabulary)]


def tag_names(text: str) -> tuple[str, ...]:
    """Tags from a text with one a line: a tag may hold commas."""
    return tuple(dict.fromkeys(name for line in text.splitlines() if (name := " ".join(line.split()))))


class EditForm(forms.Form):
    """Fields of many sources: what stays empty is left as it is."""

    rights = forms.CharField(
        required=False, max_length=2000, label="Rights", help_text="Licence or holder, such as CC BY 4.0."
    )
    empty_rights = forms.BooleanField(required=False, label="Empty the rights")
    publisher = forms.CharField(required=False, max_length=1000, label="Publisher")
    empty_publisher = forms.BooleanField(required=False, label="Empty the publisher")
    authority = forms.ChoiceField(required=False, choices=[_LEAVE, *words_in(Authority)])
    classification = forms.ChoiceField(required=False, choices=[_LEAVE, *words_in(Classification)])
    sensitivity = forms.ChoiceField(required=False, choices=[_LEAVE, *words_in(Sensitivity)])
    add_tags = forms.CharField(
        required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 2}), help_text="One per line."
    )
    remove_tags = forms.CharField(
        required=False,
        max_length=20_000,
        label="Take tags away",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One per line.",
    )
    section = forms.ModelChoiceField(
        required=False,
        queryset=Section.objects.none(),
        label="Put into section",
        empty_label=_LEAVE[1],
        help_text="Moves every place where the section’s project cites the source.",
    )

    def __init__(self, *args: Any, workspace_id: int, **options: Any) -> None:
        super().__init__(*args, **options)
        sections = Section.objects.filter(project__workspace_id=workspace_id).select_related("project")
        field = cast(Any, self.fields["section"])
        field.queryset = sections.order_by("project__name", "slug")
        field.label_from_instance = lambda one: f"{one.project.name}: {one.title}"

    def clean(self) -> dict[str, Any]:
        """Refuses a field that is both filled in and emptied, and an edit of nothing."""
        cleaned = super().clean() or {}
        for name in ("rights", "publisher"):
            if cleaned.get(name) and cleaned.get(f"empty_{name}"):
                self.add_error(name, "Either write what it shall be, or have it emptied.")
        if not self.errors and self.given.is_empty:
            raise forms.ValidationError("Nothing is to change. Fill in at least one field.")
        return cleaned

    @property
    def given(self) -> Edit:
        """The edit as the service takes it. Only after `is_valid`."""
        given = self.cleaned_data
        columns: dict[str, object] = {
            name: given[name]
            for name in ("rights", "publisher", "authority", "classification", "sensitivity")
            if given.get(name)
        }
        columns |= {name: "" for name in ("rights", "publisher") if given.get(f"empty_{name}")}
        return Edit(
            columns=columns,
            add_tags=tag_names(given.get("add_tags", "")),
            remove_tags=tag_names(given.get("remove_tags", "")),
            section=given.get("section"),
        )


class NoteForm(forms.Form):
    """The one sentence that a drop, a retraction or its taking off needs."""

    note = forms.CharField(
        max_length=2000,
        label="Why",
        error_messages={"required": "Say why: the sentence is shown beside each source and stays in the history."},
    )


class MarkForm(NoteForm):
    """The same for a retraction and its taking off, which a person may have decided otherwise before."""

    over_decisions = forms.BooleanField(required=False, label="Also decide anew what an editor has decided otherwise")
