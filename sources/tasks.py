"""Celery's door: a line or two a task, one call. Names are explicit, so that moving a module renames no message."""

from datetime import UTC, datetime
from typing import Any

from celery import shared_task

from provenance_site.jobs import services as jobs
from sources.models import ImportBatch
from sources.services import export_orders, import_work


@shared_task(name="sources.import")
def import_batches(**_future: Any) -> None:
    """Writes the imports that wait."""
    import_work.work(clock=_now)


@shared_task(name="sources.propose_pairs")
def propose_pairs(batch_id: int, **_future: Any) -> None:
    """Looks for works that what an import brought may be one with."""
    batch = ImportBatch.objects.filter(pk=batch_id).first()
    if batch is not None:
        import_work.propose_pairs(batch=batch, at=_now())


@shared_task(name="sources.import_sweep")
def sweep_imports(**_future: Any) -> None:
    """Wakes a worker for imports that nobody writes: lost messages cost seconds, nothing else."""
    if jobs.sweep(kind=import_work.KIND, at=_now()):
        import_batches.delay()


@shared_task(name="sources.export")
def make_exports(**_future: Any) -> None:
    """Makes the large files that wait."""
    export_orders.work(clock=_now)


@shared_task(name="sources.export_sweep")
def sweep_exports(**_future: Any) -> None:
    """Wakes a worker for files that nobody makes."""
    if jobs.sweep(kind=export_orders.KIND, at=_now()):
        make_exports.delay()


def _now() -> datetime:
    return datetime.now(UTC)
