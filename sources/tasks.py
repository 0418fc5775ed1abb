"""Celery's door: a line or two a task, one call. Names are explicit, so that moving a module renames no message."""

import logging
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from celery import shared_task

from provenance_site.accounts.models import Workspace
from provenance_site.jobs import services as jobs
from sources.models import ImportBatch
from sources.services import (
    export_orders,
    impact_reports,
    import_work,
    lineage_retention,
    long_deed_work,
    long_deeds,
    reconciling,
    retraction_decisions,
)

log = logging.getLogger(__name__)


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


@shared_task(name="sources.report_impact")
def report_impact(**_future: Any) -> None:
    """Tells people of what fell and was not told of."""
    while impact_reports.report(at=_now()) == impact_reports.MOST:
        pass


@shared_task(name="sources.remind_of_retractions")
def remind_of_retractions(**_future: Any) -> None:
    """Asks again about decisions on retractions whose day has come."""
    retraction_decisions.remind(at=_now())


@shared_task(name="sources.reconcile_lineage")
def reconcile_lineage(**_future: Any) -> None:
    """Mends the lineage graph of every workspace as far as the registry knows, and logs what is left."""
    for workspace_id in Workspace.objects.order_by("pk").values_list("pk", flat=True):
        left = reconciling.reconcile_workspace(workspace_id=workspace_id, at=_now()).left
        if left:
            kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(Counter(one.kind for one in left).items()))
            log.warning("lineage of workspace %s needs a look, see manage.py reconcile: %s", workspace_id, kinds)


@shared_task(name="sources.keep_lineage_policies")
def keep_lineage_policies(**_future: Any) -> None:
    """Removes what is past the days that workspaces keep it."""
    for workspace_id in Workspace.objects.order_by("pk").values_list("pk", flat=True):
        lineage_retention.keep(workspace_id=workspace_id, at=_now())


@shared_task(name="sources.long_deeds")
def do_long_deeds(**_future: Any) -> None:
    """Does the parts of long deeds that wait."""
    long_deed_work.work(clock=_now)


@shared_task(name="sources.long_deed_sweep")
def sweep_long_deeds(**_future: Any) -> None:
    """Wakes a worker for long deeds that nobody does."""
    if jobs.sweep(kind=long_deeds.JOB_KIND, at=_now()):
        do_long_deeds.delay()


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
