"""How far a long deed is."""

from dataclasses import dataclass

from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import ItemState, JobState
from sources.models import LongDeed


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows gone through of all; what they gave by word. `given_up` are parts that three workers in a row left."""

    rows: int
    total: int
    changed: int
    left: int
    pairs: int
    given_up: int
    is_running: bool
    is_stopped: bool


def progress_of(deed: LongDeed) -> Progress:
    """From the deed's own counts; one query, for the parts that nobody could do. `deed.job` must be loaded."""
    given_up = JobItem.objects.filter(job=deed.job_id, state=ItemState.GIVEN_UP).count()
    tally: dict[str, int] = deed.tally
    return Progress(
        rows=tally.get("rows", 0),
        total=deed.total,
        changed=tally.get("changed", 0),
        left=tally.get("left", 0),
        pairs=tally.get("pairs", 0),
        given_up=given_up,
        is_running=deed.job.state == JobState.RUNNING,
        is_stopped=deed.job.state == JobState.CANCELLED,
    )
