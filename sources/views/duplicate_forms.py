"""What people put in on the screens of duplicates, checked field by field."""

from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from provenance_site.kit.choices import choices_of
from sources.core.kinds import FieldRule, PairReason, Survivor
from sources.core.merging import FIELDS

_MOST = 200


class UuidsField(forms.Field):
    """Several uuids under one name, in the order given, each once; at most 200."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[UUID]:
        """The uuids; refuses what is none."""
        if not value or len(value) > _MOST:
            return []
        try:
            return list(dict.fromkeys(UUID(str(one)) for one in value))
        except ValueError:
            raise ValidationError("The address names a source in a way that is not known here.") from None


class GroupForm(forms.Form):
    """Sources of a group that are one work, which of them stays, and whose fields it has."""

    source = UuidsField(required=False)
    keep = forms.UUIDField(required=False)
    fields_by = forms.ChoiceField(required=False, choices=[(rule.value, rule.label) for rule in FieldRule])

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        self.chosen = {name: _uuid(data.get(f"field-{name}", "")) for name in FIELDS}

    @property
    def rule(self) -> FieldRule:
        """Whose fields the one that stays has; its own unless another rule was chosen. Only after `is_valid`."""
        return FieldRule(self.cleaned_data["fields_by"] or FieldRule.OWN)


class BulkForm(forms.Form):
    """Which groups are merged at once, and by which rules."""

    reason = forms.ChoiceField(required=False, choices=[("", "All"), *choices_of(PairReason)])
    keep_by = forms.ChoiceField(required=False, choices=[(rule.value, rule.label) for rule in Survivor])
    fields_by = forms.ChoiceField(required=False, choices=[(rule.value, rule.label) for rule in FieldRule])

    @property
    def reason_wanted(self) -> PairReason | None:
        """The one reason, None for all. Only after `is_valid`."""
        reason = self.cleaned_data["reason"]
        return PairReason(reason) if reason else None

    @property
    def keep(self) -> Survivor:
        """Which source of a group stays; the one that tells the most unless another rule was chosen."""
        return Survivor(self.cleaned_data["keep_by"] or Survivor.MOST_COMPLETE)

    @property
    def rule(self) -> FieldRule:
        """Whose fields it has afterwards."""
        return FieldRule(self.cleaned_data["fields_by"] or FieldRule.OWN)


def _uuid(text: object) -> UUID | None:
    try:
        return UUID(str(text)) if text else None
    except ValueError:
        return None
