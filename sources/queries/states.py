"""What writing a finding reads of its source; a whole row has thirty fields, and workers write thousands a second."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from sources.models import Source

_MAY_CHANGE = (
    "pk",
    "workspace_id",
    "authority",
    "verdict",
    "disposition",
    "decided",
    "entity_id",
)


class SourceState(NamedTuple):
    """A source where a finding meets it. The first fields may change at any time, uuid and version never do."""

    pk: int
    workspace_id: int
    authority: str
    verdict: str
    disposition: str
    decided: str
    entity_id: int | None
    uuid: UUID
    entity_version: str | None

    @property
    def changeable(self) -> tuple[object, ...]:
        """What `locked_states` reads again."""
        return self[: len(_MAY_CHANGE)]


def states_of(source_ids: Iterable[int]) -> dict[int, SourceState]:
    """The states of those sources that exist, by key. One query."""
    rows = Source.objects.filter(pk__in=list(source_ids)).values_list(*_MAY_CHANGE, "uuid", "entity__version")
    return {row[0]: SourceState(*row) for row in rows.order_by()}


def locked_states(source_ids: Iterable[int]) -> dict[int, tuple[object, ...]]:
    """Locks those sources that exist, in the order of their keys, and gives the changeable part of their states."""
    rows = Source.objects.select_for_update(no_key=True).filter(pk__in=list(source_ids)).order_by("pk")
    return {row[0]: row for row in rows.values_list(*_MAY_CHANGE)}
