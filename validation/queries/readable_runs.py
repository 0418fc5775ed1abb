"""Runs of checks as far as they exist for whoever reads now: hidden sources are in none, see `sources.queries`."""

from typing import TypeVar

from django.db.models import Exists, OuterRef, QuerySet

from provenance_site.accounts.reading import limited
from provenance_site.jobs.models import JobItem
from sources.queries.readable import hidden_from, readable
from validation.models import CheckRun

Runs = TypeVar("Runs", bound="QuerySet[CheckRun]")


def readable_runs(rows: Runs) -> Runs:
    """`rows` without the runs that asked about hidden sources only. No query; the same query where all is read."""
    reader = limited()
    if reader is None:
        return rows
    unseen = hidden_from(reader, JobItem)
    items = JobItem.objects.filter(job=OuterRef("job_id"))
    return rows.exclude(Exists(items.filter(unseen)), ~Exists(items.exclude(unseen)))


def items_of(run: CheckRun) -> QuerySet[JobItem]:
    """What the run asked about, one item a source."""
    return readable(JobItem.objects.filter(job=run.job_id))
