"""The state of nodes: four moments, and the state that follows from them. The one place that writes either.

A node keeps each moment that holds: one that is retracted and stale stays stale when the retraction is lifted. What is
shown is the last in the order current, superseded, stale, retracted, tombstoned.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Case, Q, QuerySet, Value, When

from lineage.core.relations import EntityState
from lineage.models import Entity
from lineage.queries.key_sets import among

# The moment of each state, the one that is shown before all others first.
_MOMENTS = {
    "tombstoned_at": EntityState.TOMBSTONED,
    "retracted_at": EntityState.RETRACTED,
    "stale_at": EntityState.STALE,
    "superseded_at": EntityState.SUPERSEDED,
}


def supersede(*, entity_ids: Iterable[int], at: datetime) -> int:
    """Marks nodes that something newer took the place of; gives how many were not marked so. Idempotent."""
    return _mark("superseded_at", entity_ids, at=at)


def mark_stale_by(*, waiting: QuerySet[Any, Any], at: datetime) -> int:
    """Marks nodes that rest on something that fell, whose keys a query gives, in one statement with it; gives how many
    were not marked so. Idempotent. `impact.refresh` takes the mark off where no cause waits any more.
    """
    rows = Entity.objects.filter(pk__in=waiting, stale_at__isnull=True)
    return rows.update(stale_at=at, state=derived(setting="stale_at"))


def retract(*, entity_ids: Iterable[int], at: datetime) -> int:
    """Marks nodes that were retracted themselves; gives how many were not marked so. Idempotent."""
    return _mark("retracted_at", entity_ids, at=at)


def tombstone(*, entity_ids: Iterable[int], at: datetime) -> int:
    """Marks nodes whose object was removed; gives how many were not marked so. Idempotent.

    `deletion.bury` also keeps who removed it and why.
    """
    return _mark("tombstoned_at", entity_ids, at=at)


def clear_retraction(*, entity_ids: Iterable[int]) -> int:
    """Takes the mark of a retraction off nodes; gives how many had it. Idempotent."""
    return _clear(("retracted_at",), entity_ids)


def clear_superseding(*, entity_ids: Iterable[int]) -> int:
    """Takes back that something newer took the place of nodes; gives how many were marked so. Idempotent."""
    return _clear(("superseded_at",), entity_ids)


def stand_again(*, entity_ids: Iterable[int]) -> int:
    """Takes back that nodes were superseded or tombstoned, for objects that are there again; gives how many were.

    A retracted or stale node stays that. Idempotent.
    """
    return _clear(("superseded_at", "tombstoned_at"), entity_ids)


def derived(*, setting: str = "", clearing: str | Collection[str] = ()) -> Case:
    """The state of a row in an UPDATE that sets one of its moments or clears some; the others are read as they are.

    An UPDATE reads the columns as they were, so what it writes is told here by name.
    """
    cleared = {clearing} if isinstance(clearing, str) else set(clearing)
    shown: list[When] = []
    for moment, state in _MOMENTS.items():
        if moment == setting:
            return Case(*shown, default=Value(state.value))
        if moment not in cleared:
            shown.append(When(**{f"{moment}__isnull": False}, then=Value(state.value)))
    return Case(*shown, default=Value(EntityState.CURRENT.value))


def _mark(moment: str, entity_ids: Iterable[int], *, at: datetime) -> int:
    if not (wanted := set(entity_ids)):
        return 0
    rows = Entity.objects.filter(pk__in=among(wanted), **{f"{moment}__isnull": True})
    return rows.update(**{moment: at}, state=derived(setting=moment))


def _clear(moments: Collection[str], entity_ids: Iterable[int]) -> int:
    if not (wanted := set(entity_ids)):
        return 0
    marked = reduce(or_, (Q(**{f"{moment}__isnull": False}) for moment in moments))
    rows = Entity.objects.filter(marked, pk__in=among(wanted))
    return rows.update(**dict.fromkeys(moments), state=derived(clearing=moments))
