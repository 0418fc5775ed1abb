"""The worker's side of a long import: claims a batch by lease and writes it step by step; a killed one is taken up."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from provenance_site.accounts.reading import reading_as
from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import Job
from sources.core.kinds import BatchState
from sources.models import ImportBatch
from sources.services import duplicates, importing

KIND = "sources.import"
LEASE_S = 60
_WRITTEN, _VANISHED, _STOPPED = "written", "vanished", "stopped"

Clock = Callable[[], datetime]


def queue(*, batch: ImportBatch, at: datetime) -> Job:
    """Makes a batch that was begun the work of a worker; in the transaction that began it."""
    job = jobs.create(
        workspace_id=batch.project.workspace_id,
        kind=KIND,
        title=f"Import {batch.label}"[:200],
        subject_ids=[batch.pk],
        by=batch.created_by,
        at=at,
    )
    ImportBatch.objects.filter(pk=batch.pk).update(job=job)
    return job


def work(*, clock: Clock) -> None:
    """Writes the batches that wait, one after another, to their ends. Safe in any number of processes.

    Each step renews the lease; where it was lost meanwhile, another worker has the batch and this one leaves it.
    """
    while True:
        with transaction.atomic():
            claim = jobs.claim(kind=KIND, limit=1, at=clock(), lease_s=LEASE_S)
        for item in claim.lost:
            jobs.finish_if_done(item.job_id, at=clock())
        if not claim.items:
            return
        for item in claim.items:
            outcome = _written(item.subject_id, lease_held=partial(_renewed, claim, clock=clock), clock=clock)
            if outcome == _STOPPED:
                continue
            with transaction.atomic():
                jobs.complete(lease=claim.lease, outcomes={item.id: outcome}, at=clock())
            jobs.finish_if_done(item.job_id, at=clock())
            if batch := ImportBatch.objects.filter(pk=item.subject_id, state=BatchState.COMMITTED).first():
                propose_pairs(batch=batch, at=clock())


def propose_pairs(*, batch: ImportBatch, at: datetime) -> int:
    """Proposes pairs of what a batch brought and what is like it; gives how many are new. Twice is safe."""
    works = batch.rows.filter(record_kind="source", source__isnull=False).order_by().values_list("source_id", flat=True)
    return duplicates.propose_for(source_ids=works.distinct(), at=at, renewed_only=True)


def _renewed(claim: jobs.Claim, *, clock: Clock) -> bool:
    at = clock()
    return bool(jobs.extend(lease=claim.lease, until=at + timedelta(seconds=LEASE_S)))


def _written(batch_id: int, *, lease_held: Callable[[], bool], clock: Clock) -> str:
    batch = ImportBatch.objects.select_related("created_by").filter(pk=batch_id).first()
    if batch is None:
        return _VANISHED
    # What the list may write to is what its importer may read.
    with reading_as(batch.created_by):
        while importing.write_step(batch=batch, at=clock()):
            if not lease_held():
                return _STOPPED
    return _WRITTEN
