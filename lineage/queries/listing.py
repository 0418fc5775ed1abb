"""Lists of nodes, page by page: exact totals of what the asker may see, filters, and an order that stays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from lineage.core.asked import normal
from lineage.core.relations import EntityState, EntityType, Relation
from lineage.models import Edge, Entity

PER_PAGE = 50
# What a node's metadata may call it.
TOLD_BY = ("title", "name", "file_name", "label")


@dataclass(frozen=True, slots=True)
class Filters:
    """What of an answer is wanted; an empty set wants everything.

    `relations`: nodes that an edge of such a relation made part of the answer. `text`: nodes whose ref or own title
    holds it, however it is capitalised.
    """

    types: frozenset[EntityType] = frozenset()
    states: frozenset[EntityState] = frozenset()
    relations: frozenset[Relation] = frozenset()
    text: str = ""


ALL = Filters()


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of an answer. The answer itself is complete: `total` is what all pages hold together.

    `start` is the node that was asked about, where one was. `counts` are of the whole answer by type and state, before
    types and states were chosen. A page past the end is the last one.
    """

    nodes: list[Entity]
    total: int
    page: int
    pages: int
    per_page: int
    counts: dict[tuple[EntityType, EntityState], int]
    start: Entity | None = None


def listed(
    rows: QuerySet[Entity],
    *,
    filters: Filters,
    page: int,
    per_page: int,
    start: Entity | None = None,
    order: Sequence[str] = (),
) -> Listing:
    """The page of `rows`, which were narrowed already (`narrowed`), oldest first unless `order` names fields.

    Two statements, always.
    """
    counted = rows.order_by().values_list("type", "state").annotate(number=Count("pk"))
    counts = {(EntityType(one), EntityState(state)): number for one, state, number in counted}
    total = sum(number for (one, state), number in counts.items() if _wanted(filters, one, state))
    page, pages = placed(page, total=total, per_page=per_page)
    nodes = of_kind(rows, filters).order_by(*order, "pk")[(page - 1) * per_page : page * per_page]
    return Listing(list(nodes), total, page, pages, per_page, counts, start)


def placed(page: int, *, total: int, per_page: int) -> tuple[int, int]:
    """The page that is shown, and how many there are: a page past the end is the last one, one before the first the
    first."""
    pages = max(1, -(-total // per_page))
    return min(max(1, page), pages), pages


def of_kind(rows: QuerySet[Entity], filters: Filters) -> QuerySet[Entity]:
    """The rows of the wanted types and states."""
    if filters.types:
        rows = rows.filter(type__in=sorted(filters.types))
    if filters.states:
        rows = rows.filter(state__in=sorted(filters.states))
    return rows


def said(text: str) -> Q:
    """Nodes whose ref or own title holds `text`, or that a ref written in another form names."""
    found = Q(ref__icontains=text) | Q(ref=normal(text))
    for name in TOLD_BY:
        found |= Q(**{f"metadata__{name}__icontains": text})
    return found


def narrowed(
    rows: QuerySet[Entity], filters: Filters, edges: Callable[[QuerySet[Edge]], QuerySet[Edge]], *, end: str
) -> QuerySet[Entity]:
    """The rows that the wanted text is said of, and at whose edges' `end` they stand by one of the wanted relations;
    `edges` narrows these edges."""
    if filters.text:
        rows = rows.filter(said(filters.text))
    if not filters.relations:
        return rows
    own = Edge.objects.filter(**{end: OuterRef("pk")}, relation__in=sorted(filters.relations))
    return rows.filter(Exists(edges(own)))


def _wanted(filters: Filters, one: EntityType, state: EntityState) -> bool:
    return (not filters.types or one in filters.types) and (not filters.states or state in filters.states)
