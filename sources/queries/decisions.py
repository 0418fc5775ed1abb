"""Which decision of a person holds."""

from collections.abc import Iterable

from sources.models import Decision


def holding(source_ids: Iterable[int]) -> dict[int, Decision]:
    """The newest decision that is not undone, by source, with its person. One query."""
    decisions = Decision.objects.filter(source_id__in=list(source_ids), undone_at__isnull=True)
    return {decision.source_id: decision for decision in decisions.select_related("by").order_by("at", "pk")}
