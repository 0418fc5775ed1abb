"""What an address asks of a list of nodes: filters, order, direction. A filter's value that is not known is said."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from django.http import HttpResponseBadRequest, QueryDict

from lineage.core.relations import EntityState, EntityType, Relation
from lineage.queries.listing import Filters
from lineage.queries.walks import Direction
from provenance_site.kit.filtering import ActiveFilter, Facet, facet, query_with, query_without

T = TypeVar("T", bound=StrEnum)
_LONGEST_TEXT = 200

ORDERS = {
    "type": ("type", "ref"),
    "-type": ("-type", "ref"),
    "ref": ("ref",),
    "-ref": ("-ref",),
    "state": ("state", "ref"),
    "-state": ("-state", "ref"),
    "told": ("created_at",),
    "-told": ("-created_at",),
    "label": ("level",),
    "-label": ("-level",),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A list as the address asks for it. `unknown` is the first filter with a value that is not known, '' for none:
    then nothing is listed."""

    direction: Direction
    filters: Filters
    order: tuple[str, ...]
    sort: str
    page: int
    unknown: str


def asked(params: QueryDict) -> Asked:
    """What the query string asks for; `stale=1` is short for the state stale."""
    sort = params.get("sort", "")
    states = _known(params, "state", EntityState)
    if params.get("stale") == "1":
        states = frozenset({EntityState.STALE})
    return Asked(
        direction=Direction.UP if params.get("direction") == "up" else Direction.DOWN,
        filters=Filters(
            _known(params, "type", EntityType),
            states,
            _known(params, "relation", Relation),
            text=params.get("q", "").strip()[:_LONGEST_TEXT],
        ),
        order=ORDERS.get(sort, ()),
        sort=sort if sort in ORDERS else "",
        page=whole(params.get("page", ""), 1),
        unknown=unknown(params, _ASKED),
    )


def unknown(params: QueryDict, takes: Mapping[str, Callable[[str], bool]]) -> str:
    """The first of the filters in `takes` that has a value which it does not take, '' where there is none. A filter
    that is left empty filters nothing."""
    return next((name for name, is_known in takes.items() if not all(map(is_known, _told(params, name)))), "")


def refused(name: str) -> HttpResponseBadRequest:
    """What a file answers for a filter that has a value which is not known (`unknown`)."""
    told = f"The address asks for a value of “{name}” that is not known here.\n"
    return HttpResponseBadRequest(told, content_type="text/plain; charset=utf-8")


def is_one(text: str) -> bool:
    """Whether a filter that is on or off is on; anything else that is told is not known."""
    return text == "1"


def whole(text: str, default: int, *, most: int = 1_000_000_000) -> int:
    """The number that `text` writes in plain digits, at most `most`; `default` for anything else."""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 11 else default


def facets(*, counts: dict[tuple[EntityType, EntityState], int], wanted: Filters, params: QueryDict) -> list[Facet]:
    """Types and states, with the numbers that each would find beside the other's choice."""
    by_type = {
        kind: sum(n for (one, state), n in counts.items() if one is kind and _in(state, wanted.states))
        for kind in EntityType
    }
    by_state = {
        state: sum(n for (kind, one), n in counts.items() if one is state and _in(kind, wanted.types))
        for state in EntityState
    }
    return [
        facet(name="type", legend="Type", counts=[(k.value, k.value, n) for k, n in by_type.items()], params=params),
        facet(name="state", legend="State", counts=[(s.value, s.value, n) for s, n in by_state.items()], params=params),
    ]


def active(params: QueryDict) -> list[ActiveFilter]:
    """The filters in force, each with the address without it."""
    labels = {"type": (EntityType, "Type"), "state": (EntityState, "State"), "relation": (Relation, "Relation")}
    found = [
        ActiveFilter(label, getattr(vocabulary(raw), "words", raw), query_without(params, name, raw))
        for name, (vocabulary, label) in labels.items()
        for raw in params.getlist(name)
        if raw in set(vocabulary)
    ]
    if text := params.get("q", "").strip()[:_LONGEST_TEXT]:
        found.append(ActiveFilter("Holds", text, query_without(params, "q", params.get("q", ""))))
    if params.get("stale") == "1":
        found.append(ActiveFilter("State", "only stale", query_with(params, stale="")))
    return found


def _told(params: QueryDict, name: str) -> list[str]:
    return [value for value in params.getlist(name) if value.strip()]


_ASKED: Mapping[str, Callable[[str], bool]] = {
    "direction": set(Direction).__contains__,
    "type": set(EntityType).__contains__,
    "state": set(EntityState).__contains__,
    "relation": set(Relation).__contains__,
    "stale": is_one,
}
# What a picture takes; more steps than it can draw are as many as it can.
PICTURED: Mapping[str, Callable[[str], bool]] = {
    "direction": {"both", *Direction}.__contains__,
    "depth": lambda raw: whole(raw, 0) > 0,
    "stale": is_one,
}


def _known(params: QueryDict, name: str, vocabulary: type[T]) -> frozenset[T]:
    return frozenset(vocabulary(raw) for raw in params.getlist(name) if raw in set(vocabulary))


def _in(value: StrEnum, wanted: frozenset[T]) -> bool:
    return not wanted or value in wanted
