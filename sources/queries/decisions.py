"""Which decision of a person holds."""

from collections.abc import Iterable

from sources.models import Decision


def holding(source_ids: Iterable[int]) -> dict[int, Decision]:
    """The newest decision that is not undone, by source, with its person and the check that they saw. One query."""
    decisions = Decision.objects.filter(source_id__in=list(source_ids), undone_at__isnull=True)
    ordered = decisions.select_related("by", "check_seen").order_by("at", "pk")
    return {decision.source_id: decision for decision in ordered}
