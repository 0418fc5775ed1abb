"""Remembering that sources which look alike are different works."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts, insert_rows, update_rows
from sources import permissions
from sources.core.kinds import PairReason, PairState
from sources.models import DuplicatePair, Source
from sources.queries.duplicates import pairs_of
from sources.queries.readable import readable

CHANGE_KIND = "sources.tell-apart"
_PAIR = DuplicatePair._meta.label_lower
# Telling a group apart writes a row for every two of its sources; of more, only those that were proposed.
_MOST_TOLD_APART = 50


class NothingToTellApart(ValueError):
    """Fewer than two standing sources were named; the message says what to do."""


def tell_apart(
    *, workspace_id: int, source_ids: Iterable[int], by: User, channel: Channel, at: datetime
) -> ChangeSet | None:
    """Remembers that these sources are different works, every two of them; None where that was known already.

    Of more than fifty sources only the pairs that were proposed. Sources of other workspaces, and those that were
    merged, are left out. Raises `NothingToTellApart`.
    """
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        standing = readable(Source.objects.all()).standing().filter(workspace_id=workspace_id, pk__in=list(source_ids))
        ids = list(standing.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        if len(ids) < 2:
            raise NothingToTellApart("Choose at least two sources that are different works.")
        rows = list(
            pairs_of(workspace_id=workspace_id)
            .filter(first__in=ids, second__in=ids)
            .select_for_update(of=("self",), no_key=True)
            .order_by("pk")
        )
        facts: list[ChangeFacts] = []
        changing = [row for row in rows if row.state == PairState.OPEN]
        for row in changing:
            before = {"state": row.state}
            row.state, row.decided_at, row.decided_by = PairState.DISTINCT, at, by
            facts.append(ChangeFacts(model=_PAIR, object_id=row.pk, before=before, after={"state": row.state}))
        update_rows(changing, ["state", "decided_at", "decided_by"])
        made = _told_apart(workspace_id=workspace_id, ids=ids, there=rows, by=by, at=at)
        facts += [ChangeFacts(model=_PAIR, object_id=row.pk, before={}, after={"state": row.state}) for row in made]
        if not facts:
            return None
        deed = changes.record(
            workspace_id=workspace_id, kind=CHANGE_KIND, actor=by, channel=channel, note="", at=at, changes=facts
        )
        DuplicatePair.objects.filter(pk__in=[fact.object_id for fact in facts]).update(change_set=deed)
        return deed


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Forgets that sources were told apart: they are proposed again. Registered for `sources.tell-apart`.

    A pair that was merged or told apart anew since is left alone.
    """
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for part in in_parts(changes):
        by_id = {change.object_id: change for change in part}
        rows = DuplicatePair.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=by_id).order_by("pk")
        reopened: list[DuplicatePair] = []
        removed: list[int] = []
        for row in rows.select_related("first", "second"):
            permissions.check_can_curate(by, row.workspace_id)
            change = by_id.pop(row.pk)
            if row.state != PairState.DISTINCT or row.change_set_id != change.change_set_id:
                skipped.append(f"“{row.first}” and “{row.second}” were looked at again since")
                continue
            undone.append(ChangeFacts(model=_PAIR, object_id=row.pk, before={"state": row.state}, after=change.before))
            if change.before:
                row.state, row.decided_at, row.decided_by, row.change_set = PairState.OPEN, None, None, None
                reopened.append(row)
            else:
                removed.append(row.pk)
        update_rows(reopened, ["state", "decided_at", "decided_by", "change_set"])
        DuplicatePair.objects.filter(pk__in=removed).delete()
        skipped.extend("A pair is not in the registry any more" for _ in by_id)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _told_apart(
    *, workspace_id: int, ids: Sequence[int], there: Sequence[DuplicatePair], by: User, at: datetime
) -> list[DuplicatePair]:
    if len(ids) > _MOST_TOLD_APART:
        return []
    known = {(row.first_id, row.second_id) for row in there}
    made = [
        DuplicatePair(
            workspace_id=workspace_id,
            first_id=first,
            second_id=second,
            # Nobody proposed these two; they came together through a third.
            reason=PairReason.SIMILAR_TITLE,
            state=PairState.DISTINCT,
            found_at=at,
            decided_at=at,
            decided_by=by,
        )
        for first, second in combinations(ids, 2)
        if (first, second) not in known
    ]
    insert_rows(made)
    return made
