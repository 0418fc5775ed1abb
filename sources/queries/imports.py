"""A staged import as its preview shows it."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from sources.core.kinds import RowAction
from sources.models import ImportBatch, ImportRow


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts by action, and the rows of the action asked for (all without one)."""

    counts: dict[RowAction, int]
    rows: QuerySet[ImportRow]

    @property
    def found(self) -> int:
        """References that could be read, repeats included."""
        return sum(number for action, number in self.counts.items() if action is not RowAction.ERROR)

    @property
    def total(self) -> int:
        """All rows, unreadable ones included."""
        return sum(self.counts.values())

    @property
    def importing(self) -> int:
        """Distinct sources that the commit enters into the project or finds there."""
        return self.counts[RowAction.NEW] + self.counts[RowAction.KNOWN]

    @property
    def readable(self) -> bool:
        """True when there is something to import."""
        return self.found > 0


def preview_of(batch: ImportBatch, *, action: RowAction | None) -> Preview:
    """The preview; one query for the counts, one for each page of rows."""
    counted = dict(batch.rows.order_by().values_list("action").annotate(number=Count("pk")))
    rows = batch.rows.order_by("position")
    return Preview(
        counts={known: counted.get(known.value, 0) for known in RowAction},
        rows=(rows.filter(action=action) if action else rows).select_related("source"),
    )
