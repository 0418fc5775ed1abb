"""A staged import as its preview shows it."""

from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet

from provenance_site.accounts.reading import limited
from provenance_site.jobs.states import JobState
from provenance_site.kit.text import counted
from sources.core.kinds import BatchState, RowAction
from sources.models import ImportBatch, ImportRow, Source
from sources.queries.readable import readable

_IS_WORK = Q(record_kind="source")


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts by action, and the rows of the action asked for (all without one). `counted` is the format's own second
    count of the file's entries, None where it has none. `works` are the counts of sources alone: a file may hold
    observations, passages and links too."""

    counts: dict[RowAction, int]
    works: dict[RowAction, int]
    rows: QuerySet[ImportRow]
    counted: int | None = None

    @property
    def found(self) -> int:
        """References that could be read, repeats included."""
        return sum(number for action, number in self.counts.items() if action is not RowAction.ERROR)

    @property
    def total(self) -> int:
        """All rows, unreadable ones included."""
        return sum(self.counts.values())

    @property
    def doubt(self) -> str:
        """What to say where rows and errors do not come to the second count; '' where they do, or nothing counts."""
        if self.counted is None or self.counted == self.total:
            return ""
        return (
            f"By its own signs the file holds {counted(self.counted, 'entry', 'entries')}, and {self.total:,} were "
            "read. Compare the rows with the file before you import them, and export it anew where one is missing."
        )

    @property
    def importing(self) -> int:
        """Distinct sources that the commit enters into the project or finds there."""
        wanted = (RowAction.NEW, RowAction.UPDATE, RowAction.KNOWN, RowAction.POSSIBLE_DUPLICATE)
        return sum(self.works[action] for action in wanted)

    @property
    def importing_words(self) -> str:
        """What the commit brings, as the button says it: `5 sources and 3 other entries`."""
        others = self.counts[RowAction.NEW] - self.works[RowAction.NEW]
        words = [counted(self.importing, "source")] if self.importing or not others else []
        return " and ".join([*words, *([counted(others, "other entry", "other entries")] if others else [])])

    @property
    def readable(self) -> bool:
        """True when there is something to import."""
        return self.found > 0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the commit of a batch is: rows written, of all that can be. `is_stuck`: nobody writes it any more."""

    written: int
    total: int
    is_running: bool
    is_stuck: bool


def progress_of(batch: ImportBatch) -> Progress:
    """Two counts and the job; no query for a batch that nobody is writing."""
    if batch.state != BatchState.COMMITTING:
        return Progress(0, 0, is_running=False, is_stuck=False)
    rows = readable(batch.rows.all()).exclude(action=RowAction.ERROR)
    is_running = batch.job is not None and batch.job.state == JobState.RUNNING
    return Progress(rows.filter(is_written=True).count(), rows.count(), is_running=is_running, is_stuck=not is_running)


def preview_of(batch: ImportBatch, *, action: RowAction | None) -> Preview:
    """The preview; one query for the counts, one for each page of rows."""
    seen = readable(batch.rows.all())
    grouped = seen.order_by().values_list("action").annotate(Count("pk"), works=Count("pk", filter=_IS_WORK))
    reader = limited()
    seen_whole = reader is None or batch.created_by_id == reader.user_id
    numbers = {action: (number, works) for action, number, works in grouped}
    rows = seen.order_by("position")
    return Preview(
        counts={known: numbers.get(known.value, (0, 0))[0] for known in RowAction},
        works={known: numbers.get(known.value, (0, 0))[1] for known in RowAction},
        rows=_with_sources(rows.filter(action=action) if action else rows),
        # Of another's file not all rows may be there for the reader: then a count of all would tell how many.
        counted=batch.counted if seen_whole else None,
    )


def _with_sources(rows: QuerySet[ImportRow]) -> QuerySet[ImportRow]:
    """The rows with what they became; without it where the reader may not see that, as for their own list."""
    if limited() is None:
        return rows.select_related("source")
    return rows.prefetch_related(Prefetch("source", readable(Source.objects.all())))
