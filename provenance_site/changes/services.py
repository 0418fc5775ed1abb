"""Recording what was done, and undoing it. History is only ever added to: an undo is a ChangeSet of its own."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction

from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, UndoFunction, undo_function
from provenance_site.kit.rows import insert_columns

__all__ = [
    "UNDO_KIND",
    "ChangeFacts",
    "NotUndoable",
    "UndoResult",
    "add",
    "begin_undo",
    "record",
    "record_once",
    "undo",
    "undo_part",
]

logger = logging.getLogger(__name__)
UNDO_KIND = "changes.undo"
# What the names of deeds that are told once are hashed under, so that no other UUID of version 5 equals one.
_ONCE = UUID("e361a36f-b3cd-476b-a677-eb4915dda41e")


class NotUndoable(Exception):
    """This ChangeSet cannot be undone; the message tells the person why."""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What came of an undo: how many rows were changed back, and a sentence for each one left alone.

    `change_set` is the undo's own record; None where no row could be changed back, and then nothing was written.
    """

    undone: int
    skipped: tuple[str, ...]
    change_set: ChangeSet | None


def record(
    *,
    workspace_id: int,
    kind: str,
    actor: User | None,
    channel: Channel,
    note: str,
    at: datetime,
    changes: Iterable[ChangeFacts],
) -> ChangeSet:
    """Writes one deed with its changes, in the caller's transaction (call it where the rows themselves are written).

    `actor` is None for a job or command that acts for nobody. Costs one INSERT and one per 1,000 changes. Not
    idempotent: each call is a deed.
    """
    with transaction.atomic():
        change_set = ChangeSet.objects.create(
            workspace_id=workspace_id, kind=kind, actor=actor, channel=channel, note=note, at=at
        )
        _write(change_set, changes)
    return change_set


def record_once(
    *, workspace_id: int, kind: str, key: str, actor: User | None, channel: Channel, note: str, at: datetime
) -> ChangeSet:
    """Writes a deed that changed no row and is told once, however often it happens: `key` names it among those of its
    kind in the workspace. Gives the row that stands where it was told before.

    Safe to call twice, and at once from many places: the database decides who was first. A SELECT, and an INSERT the
    first time; in the caller's transaction where there is one, else in its own.
    """
    told = {"kind": kind, "actor": actor, "channel": channel, "note": note, "at": at}
    change_set, _ = ChangeSet.objects.get_or_create(
        uuid=uuid5(_ONCE, f"{workspace_id}:{kind}:{key}"), workspace_id=workspace_id, defaults=told
    )
    return change_set


def add(*, change_set: ChangeSet, changes: Iterable[ChangeFacts]) -> None:
    """Adds what a deed that is done in steps changed in its next one; in the transaction of that step."""
    with transaction.atomic():
        _write(change_set, changes)


def undo(*, change_set: ChangeSet, by: User, at: datetime, channel: Channel = Channel.PAGE) -> UndoResult:
    """Changes back what a deed changed, as far as nobody changed it again since; all of it in one transaction.

    A deed is undone once: of two at the same moment one succeeds. Raises NotUndoable where the kind cannot be undone,
    it has been already, or somebody comes to rest on what it would remove at this very moment; Http404 and
    PermissionDenied as `check_role` does for less than a curator. What more a kind asks, its undo function checks.
    """
    check_role(by, change_set.workspace_id, Role.CURATOR)
    function = _function_for(change_set)
    try:
        with transaction.atomic():
            own = _claim_undo(change_set, by=by, at=at, channel=channel)
            result = function(changes=list(change_set.changes.order_by("pk")), by=by, at=at)
            if not result.changes:
                # Nothing to keep: the deed can still be undone when what stood in the way has gone.
                transaction.set_rollback(True)
                return UndoResult(undone=0, skipped=result.skipped, change_set=None)
            _write(own, result.changes)
    except IntegrityError as overtaken:
        # What an undo would remove is looked at before, but a new row that rests on it may come in between; PostgreSQL
        # tells that at the end of the transaction.
        logger.warning("The undo of %s was overtaken.", change_set.uuid, exc_info=overtaken)
        raise NotUndoable(
            "Somebody wrote about the same things at this moment. Nothing was taken back; try it again."
        ) from None
    return UndoResult(undone=len(result.changes), skipped=result.skipped, change_set=own)


def begin_undo(*, change_set: ChangeSet, by: User, at: datetime, channel: Channel = Channel.PAGE) -> ChangeSet:
    """The record of an undo that is done part by part (`undo_part`), empty as yet. From now on the deed counts as
    undone, and nobody else can begin. Raises as `undo`."""
    check_role(by, change_set.workspace_id, Role.CURATOR)
    _function_for(change_set)
    return _claim_undo(change_set, by=by, at=at, channel=channel)


def undo_part(*, own: ChangeSet, changes: Sequence[Change], by: User, at: datetime) -> UndoResult:
    """Changes back these rows of the deed that `own` undoes, and adds them to it; in the caller's transaction.

    For kinds that are undone by parts (`registry.is_undone_by_parts`). Not to be called twice for one part.
    """
    if own.undoes is None:
        raise ValueError("this ChangeSet undoes nothing")
    result = _function_for(own.undoes)(changes=changes, by=by, at=at)
    add(change_set=own, changes=result.changes)
    return UndoResult(undone=len(result.changes), skipped=result.skipped, change_set=own)


def _function_for(change_set: ChangeSet) -> UndoFunction:
    function = undo_function(change_set.kind)
    if function is None:
        raise NotUndoable("This kind of change cannot be undone. Make the opposite change instead.")
    return function


def _claim_undo(change_set: ChangeSet, *, by: User, at: datetime, channel: Channel) -> ChangeSet:
    try:
        with transaction.atomic():
            return ChangeSet.objects.create(
                workspace_id=change_set.workspace_id,
                kind=UNDO_KIND,
                actor=by,
                channel=channel,
                at=at,
                undoes=change_set,
            )
    except IntegrityError:
        # `undoes` is unique: the database decides who was first.
        if not ChangeSet.objects.filter(undoes=change_set).exists():
            raise
        raise NotUndoable("This change has been undone already.") from None


def _write(change_set: ChangeSet, changes: Iterable[ChangeFacts]) -> None:
    told = list(changes)
    insert_columns(
        Change,
        {
            "model": [facts.model for facts in told],
            "object_id": [facts.object_id for facts in told],
            "before": [_as_json(facts.before) for facts in told],
            "after": [_as_json(facts.after) for facts in told],
        },
        same={"change_set_id": change_set.pk},
    )


def _as_json(values: Mapping[str, object]) -> dict[str, object]:
    kept: dict[str, object] = json.loads(json.dumps(dict(values), cls=DjangoJSONEncoder))
    return kept
