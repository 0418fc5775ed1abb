"""Starts work: one transaction, one service call, and after the commit one message."""

import logging
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from kombu.exceptions import OperationalError

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from sources import tasks
from sources.core.export_formats import ExportFormat
from sources.models import Export, ExportOrder, ImportBatch
from sources.services import export_orders, exporting, import_work, importing
from sources.services.export_writing import Wanted
from sources.services.importing import ImportResult

# So many entries are written while the person waits (some three seconds); longer lists are a worker's.
WHILE_ONE_WAITS = 4000
# So many sources are written into a file while the person waits; an archive holds each some ten times.
WRITTEN_AT_ONCE, ARCHIVED_AT_ONCE = 5_000, 500
# Looking for pairs takes some two milliseconds a new source.
LOOKED_AT_ONCE = 100

log = logging.getLogger(__name__)


def commit_import(*, batch: ImportBatch, by: User, channel: Channel, at: datetime) -> ImportResult | None:
    """Writes a short batch and gives what came of it; has a long one written by a worker and gives None.

    A long one that was interrupted is taken up where it stopped. Raises as `importing.commit`.
    """
    if not batch.rows.filter(position__gt=WHILE_ONE_WAITS).exists():
        result = importing.commit(batch=batch, by=by, channel=channel, at=at)
        look_for_pairs(result, at=at)
        return result
    with transaction.atomic():
        importing.begin(batch=batch, by=by, channel=channel, at=at)
        import_work.queue(batch=batch, at=at)
        transaction.on_commit(partial(_send, tasks.import_batches))
    return None


def make_export(*, wanted: Wanted, by: User, at: datetime) -> Export | ExportOrder:
    """Makes a file over few sources; has a worker make one over many, and gives the order that says how far it is.

    Raises as `exporting.build`. The same wish twice while a worker makes the file is one order.
    """
    exporting.check(wanted, by=by)
    most = ARCHIVED_AT_ONCE if wanted.format is ExportFormat.BUNDLE else WRITTEN_AT_ONCE
    if exporting.counts_of(wanted)[0] <= most:
        return exporting.build(wanted, by=by, at=at)
    with transaction.atomic():
        order = export_orders.place(wanted=wanted, by=by, at=at)
        transaction.on_commit(partial(_send, tasks.make_exports))
    return order


def look_for_pairs(result: ImportResult, *, at: datetime) -> None:
    """Looks for works that what was imported may be one with: a few at once, many by a worker."""
    if result.new_sources <= LOOKED_AT_ONCE:
        import_work.propose_pairs(batch=result.batch, at=at)
    else:
        transaction.on_commit(partial(_send, tasks.propose_pairs, result.batch.pk))


def _send(task: Any, *args: object) -> None:
    """A broker that is down is no failure of the deed: the sweeper finds its row when it is back, and pairs can be
    looked for by hand."""
    try:
        task.apply_async(args=args, retry=False)
    except OperationalError:
        log.warning("The broker does not answer; %s starts when it is back.", task.name)
