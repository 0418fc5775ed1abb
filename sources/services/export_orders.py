"""Large files, made by a worker: ordered by a person, claimed by lease, begun again where a worker died.

A file is of one state of the database, so a half-written one is of no use to the next worker: it begins anew, with the
state of then. While it reads, a thread with a connection of its own keeps the lease and says how far it is, since the
reading itself takes place in a transaction that writes nothing.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.http import Http404

from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.reading import reading_as
from provenance_site.jobs import services as jobs
from provenance_site.jobs.states import JobState
from sources.core.export_formats import ExportFormat
from sources.models import Export, ExportOrder, Source
from sources.services import exporting
from sources.services.export_writing import Reading, Wanted

KIND = "sources.export"
LEASE_S = 60
BEAT_S = 2.0
_MADE, _REFUSED, _VANISHED = "made", "refused", "vanished"

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
Finder = Callable[[int, str], "QuerySet[Source] | None"]

_FINDERS: list[Finder] = []


class Overtaken(RuntimeError):
    """The lease was lost and the work is in other hands; nothing was recorded."""


def register_finder(find: Finder) -> None:
    """Makes known what finds the sources of a list: by workspace and query string, None where a value of it is unknown.

    The wiring registers it, since filters are a matter of the screens. The last one holds.
    """
    _FINDERS[:] = [find]


def place(*, wanted: Wanted, by: User, at: datetime) -> ExportOrder:
    """Makes an export the work of a worker; gives the order that runs already where it is the same person's same wish.

    Raises as `exporting.check`. One transaction.
    """
    exporting.check(wanted, by=by)
    told = {
        "workspace_id": wanted.workspace_id,
        "project": wanted.project,
        "format": wanted.format.value,
        "section": wanted.section,
        "query": wanted.query,
        "is_list": wanted.chosen is not None,
        "is_external": wanted.is_external,
        "created_by": by,
    }
    with transaction.atomic():
        # Whoever asks for the same at this moment takes turns here: the second finds the first's order.
        Workspace.objects.select_for_update(no_key=True).get(pk=wanted.workspace_id)
        running = ExportOrder.objects.filter(**told, export=None, problem="", job__state=JobState.RUNNING)
        if there := running.order_by("-pk").first():
            return there
        order = ExportOrder.objects.create(**told, created_at=at)
        order.job = jobs.create(
            workspace_id=wanted.workspace_id,
            kind=KIND,
            title=f"Export {wanted.file_name}"[:200],
            subject_ids=[order.pk],
            by=by,
            at=at,
        )
        order.save(update_fields=["job"])
    return order


def work(*, clock: Clock) -> None:
    """Makes the files that wait, one after another. Safe in any number of processes.

    A worker whose lease was lost records nothing: the file is another's then.
    """
    while True:
        with transaction.atomic():
            claim = jobs.claim(kind=KIND, limit=1, at=clock(), lease_s=LEASE_S)
            ExportOrder.objects.filter(pk__in=[item.subject_id for item in claim.lost]).update(
                problem="Workers died while they made this file. Make it again; if it happens again, the log says more."
            )
        for item in claim.lost:
            jobs.finish_if_done(item.job_id, at=clock())
        if not claim.items:
            return
        for item in claim.items:
            try:
                _make(item, clock=clock)
            except Overtaken:
                continue
            jobs.finish_if_done(item.job_id, at=clock())


def tell(*, order_id: int, reading: Reading) -> None:
    """Writes how far the making of a file is."""
    ExportOrder.objects.filter(pk=order_id).update(read=reading.read, expected=reading.expected)


def _make(item: jobs.ClaimedItem, *, clock: Clock) -> None:
    """Makes the file of one order and records it, or why not, if the lease still holds then."""

    order = ExportOrder.objects.select_related("project", "created_by").filter(pk=item.subject_id).first()
    if order is None:
        _end(item, _VANISHED, "", clock=clock)
        return
    reading = Reading()

    def answer(export: Export) -> None:
        """In the transaction that records the export: the end of the item, and the order's answer."""
        if not jobs.complete(lease=item.lease, outcomes={item.id: _MADE}, at=clock()):
            raise Overtaken
        ExportOrder.objects.filter(pk=item.subject_id).update(
            export=export, read=reading.expected, expected=reading.expected
        )

    try:
        # What stands in a file is what whoever asked for it may read when it is made.
        with reading_as(order.created_by), _heartbeat(item, reading, clock=clock):
            exporting.build(_wanted(order), by=order.created_by, at=clock(), reading=reading, recorded=answer)
    except (exporting.ExportRefused, PermissionDenied, Http404) as refused:
        _end(item, _REFUSED, str(refused) or "You are no longer a member of the workspace.", clock=clock)


def _end(item: jobs.ClaimedItem, outcome: str, problem: str, *, clock: Clock) -> None:
    with transaction.atomic():
        if jobs.complete(lease=item.lease, outcomes={item.id: outcome}, at=clock()):
            ExportOrder.objects.filter(pk=item.subject_id).update(problem=problem)


def _wanted(order: ExportOrder) -> Wanted:
    """What was asked for, with the list found anew. Raises `ExportRefused` where that cannot be told any more."""
    if order.created_by is None:
        raise exporting.ExportRefused("Who asked for this file has no account any more. Make it again.")
    chosen = None
    if order.is_list:
        chosen = _FINDERS[0](order.workspace_id, order.query)
        if chosen is None:
            raise exporting.ExportRefused(
                "The list's filter names something that is no longer there. Open the list and make the file again."
            )
    return Wanted(
        workspace_id=order.workspace_id,
        project=order.project,
        format=ExportFormat(order.format),
        section=order.section,
        chosen=chosen,
        query=order.query,
        is_external=order.is_external,
    )


@contextmanager
def _heartbeat(item: jobs.ClaimedItem, reading: Reading, *, clock: Clock) -> Iterator[None]:
    """Keeps the lease and tells the progress every two seconds, in a thread of its own."""
    done = threading.Event()

    def beat() -> None:
        try:
            while not done.wait(BEAT_S):
                try:
                    jobs.extend(lease=item.lease, until=clock() + timedelta(seconds=LEASE_S))
                    tell(order_id=item.subject_id, reading=reading)
                except DatabaseError:
                    log.warning("How far an export is could not be written; the next try is in %s s.", BEAT_S)
        finally:
            connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
