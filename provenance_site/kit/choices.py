"""Columns whose values are a closed enum: Django choices and a database CHECK from one source."""

from enum import StrEnum

from django.db.models import Q


def choices_of(vocabulary: type[StrEnum]) -> list[tuple[str, str]]:
    """Django choices of `vocabulary`; the label is the member's `label` where it has one, else its value."""
    return [(member.value, str(getattr(member, "label", member.value))) for member in vocabulary]


def value_in(field: str, vocabulary: type[StrEnum], *, or_empty: bool = False) -> Q:
    """The condition of a CHECK constraint: `field` holds a member of `vocabulary` (or '' with `or_empty`)."""
    values = [member.value for member in vocabulary]
    return Q(**{f"{field}__in": [*values, ""] if or_empty else values})
