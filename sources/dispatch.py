"""Starts work: one transaction, one service call, and after the commit one message."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model
from kombu.exceptions import OperationalError

from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.reading import limited
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import is_undone_by_parts
from sources import permissions, tasks
from sources.core.export_formats import ExportFormat
from sources.models import Chunk, Export, ExportOrder, ImportBatch, LongDeed, Observation, RetractionProposal, Source
from sources.queries.readable import hidden_keys, readable
from sources.services import (
    bulk_deeds,
    bulk_edit,
    duplicates,
    export_orders,
    exporting,
    import_work,
    importing,
    long_deeds,
    retraction_lists,
    retraction_policy,
    retraction_proposals,
    retraction_proposing,
)
from sources.services.bulk_deeds import Deed
from sources.services.export_writing import Wanted
from sources.services.importing import ImportResult
from sources.services.retraction_lists import Given
from sources.services.retraction_proposals import Approved

# So many entries are written while the person waits (some three seconds); longer lists are a worker's.
WHILE_ONE_WAITS = 4000
# So many sources are written into a file while the person waits; an archive holds each some ten times.
WRITTEN_AT_ONCE, ARCHIVED_AT_ONCE = 5_000, 500
# Looking for pairs takes some two milliseconds a new source.
LOOKED_AT_ONCE = 100
# So many rows are edited or taken back while the person waits (a second); more are a worker's, in steps.
CHANGED_AT_ONCE = 2_000
# So many sources are looked through for duplicates while the person waits.
LOOKED_THROUGH = 1_000

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


def edit(*, source_ids: Sequence[int], query: str, **given: Any) -> ChangeSet | LongDeed | None:
    """Edits few sources at once, as `bulk_edit.edit`; has many edited by a worker, as `long_deeds.begin_edit`."""
    if len(source_ids) <= CHANGED_AT_ONCE:
        return bulk_edit.edit(source_ids=source_ids, **given)
    return _begun(partial(long_deeds.begin_edit, source_ids=source_ids, query=query, **given))


def do(
    *, source_ids: Sequence[int], query: str, deed: Deed, workspace_id: int, **given: Any
) -> ChangeSet | LongDeed | RetractionProposal | None:
    """Drops or marks few sources at once, as `bulk_deeds.do`; has many done by a worker, as `long_deeds.begin_deed`.

    Where the workspace wants two persons for marks, files a proposal instead, as `retraction_proposing.propose_deed`.
    """
    given |= {"source_ids": source_ids, "deed": deed, "workspace_id": workspace_id}
    if deed is not Deed.DROP and retraction_policy.needs_second_person(workspace_id=workspace_id):
        return retraction_proposing.propose_deed(**given)
    if len(source_ids) <= CHANGED_AT_ONCE:
        return bulk_deeds.do(**given)
    return _begun(partial(long_deeds.begin_deed, query=query, **given))


def decide_about_list(
    *, workspace_id: int, given: Given, seen: str, by: User, channel: Channel, at: datetime
) -> ChangeSet | RetractionProposal | None:
    """Decides about a list, as `retraction_lists.apply`; files a proposal where the workspace wants two persons."""
    alone = not retraction_policy.needs_second_person(workspace_id=workspace_id)
    doing: Callable[..., ChangeSet | RetractionProposal | None] = (
        retraction_lists.apply if alone else retraction_proposing.propose_list
    )
    return doing(workspace_id=workspace_id, given=given, seen=seen, by=by, channel=channel, at=at)


def approve(*, proposal: RetractionProposal, by: User, channel: Channel, at: datetime) -> Approved:
    """Does what another proposed, as `retraction_proposals.approve`, and wakes a worker where it is much."""
    with transaction.atomic():
        done = retraction_proposals.approve(proposal=proposal, by=by, channel=channel, at=at)
        if done.is_a_workers:
            transaction.on_commit(partial(_send, tasks.do_long_deeds))
    return done


def undo(*, change_set: ChangeSet, by: User, channel: Channel, at: datetime) -> changes.UndoResult | LongDeed:
    """Takes a short deed back at once, as `changes.undo`; a long one that is undone by parts is a worker's.

    Raises `long_deeds.InTheWorks` while the deed itself is still being done.
    """
    long_deeds.check_is_done(change_set)
    check_is_readable(change_set)
    if not is_undone_by_parts(change_set.kind) or not change_set.changes.all()[CHANGED_AT_ONCE:].exists():
        return changes.undo(change_set=change_set, by=by, at=at, channel=channel)
    return _begun(partial(long_deeds.begin_undo, change_set=change_set, by=by, channel=channel, at=at))


def check_is_readable(change_set: ChangeSet) -> None:
    """Raises NotUndoable where whoever reads now may no longer read what the deed changed: they cannot change it back.

    An import is taken back whatever it joined: only what its list brought goes.
    """
    if limited() is None or change_set.kind == importing.CHANGE_KIND:
        return
    told: tuple[type[Model], ...] = (Source, Observation, Chunk)
    for model in told:
        changed = change_set.changes.filter(model=model._meta.label_lower).values_list("object_id", flat=True)
        hidden = hidden_keys(model, set(changed))
        if model._default_manager.filter(pk__in=hidden).exists():
            raise changes.NotUndoable(
                "What this changed is restricted by now. An administrator who reads everything can take it back."
            )


def look_through(*, workspace: Workspace, by: User, at: datetime) -> int | LongDeed:
    """Looks for duplicates in a small registry, and gives how many pairs are new; has a large one looked through."""
    permissions.check_can_curate(by, workspace.pk)
    keys = list(
        readable(Source.objects.all())
        .standing()
        .filter(workspace=workspace)
        .values_list("pk", flat=True)[: LOOKED_THROUGH + 1]
    )
    if len(keys) <= LOOKED_THROUGH:
        return duplicates.propose_for(source_ids=keys, at=at, renewed_only=True)
    return _begun(partial(long_deeds.begin_look, workspace_id=workspace.pk, by=by, at=at))


def _begun(begin: Callable[[], LongDeed]) -> LongDeed:
    with transaction.atomic():
        deed = begin()
        transaction.on_commit(partial(_send, tasks.do_long_deeds))
    return deed


def _send(task: Any, *args: object) -> None:
    """A broker that is down is no failure of the deed: the sweeper finds its row when it is back, and pairs can be
    looked for by hand."""
    try:
        task.apply_async(args=args, retry=False)
    except OperationalError:
        log.warning("The broker does not answer; %s starts when it is back.", task.name)
