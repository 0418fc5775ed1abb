"""The questions that lineage answers. Each is computed on what the asker may see, and complete unless it says `cut`.

A ref that is hidden, foreign or not there raises `access.NoSuchEntity`, always after the same single query.
"""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from lineage import access
from lineage.core.asking import Asker
from lineage.core.refs import Ref
from lineage.models import Edge, Entity
from lineage.queries.evidence import evidence_for
from lineage.queries.listing import ALL, PER_PAGE, Filters, Listing, listed, narrowed, of_kind
from lineage.queries.made_with import made_with
from lineage.queries.paths import path
from lineage.queries.runs import diff, outputs_for_run
from lineage.queries.stories import explain, picture, replay_plan
from lineage.queries.walks import Direction, Walk

__all__ = [
    "ancestors",
    "descendants",
    "diff",
    "evidence_for",
    "explain",
    "outputs_for_run",
    "path",
    "picture",
    "reached",
    "recall",
    "replay_plan",
]


class NothingToRecall(ValueError):
    """Neither a transform nor a config was named."""


def ancestors(
    *,
    ref: Ref | str,
    asker: Asker,
    filters: Filters = ALL,
    page: int = 1,
    per_page: int = PER_PAGE,
    order: Sequence[str] = (),
) -> Listing:
    """All that the node rests on, directly or not. Three statements."""
    return _walked(ref, Direction.UP, asker, filters, page, per_page, order)


def descendants(
    *,
    ref: Ref | str,
    asker: Asker,
    filters: Filters = ALL,
    page: int = 1,
    per_page: int = PER_PAGE,
    order: Sequence[str] = (),
) -> Listing:
    """All that rests on the node, directly or not. Three statements."""
    return _walked(ref, Direction.DOWN, asker, filters, page, per_page, order)


def reached(*, start: Entity, direction: Direction, asker: Asker, filters: Filters = ALL) -> QuerySet[Entity]:
    """The same nodes as rows to go through, for files. The caller vouches that the asker may read `start`."""
    return of_kind(_rows(start, direction, asker, filters), filters).order_by("pk")


def recall(
    *,
    asker: Asker,
    transform: str = "",
    implementation: str = "",
    version: str = "",
    config_hash: str = "",
    filters: Filters = ALL,
    page: int = 1,
    per_page: int = PER_PAGE,
) -> Listing:
    """What a transform made, and all that rests on it: what is to be looked at where the transform was faulty.

    '' is any. Raises `NothingToRecall` unless transform, implementation or config is named. Where nothing was made that
    the asker may see, the answer is empty. It costs by its answer; by an implementation alone, by all edges.
    """
    if not (transform or implementation or config_hash):
        raise NothingToRecall("Name the transform, its implementation or the config that is recalled.")
    made = Q(is_dependence=True) & made_with(
        transform_type=transform,
        transform_implementation=implementation,
        transform_version=version,
        config_hash=config_hash,
    )
    first = access.readable_edges(asker).filter(made).values("from_entity_id")
    walk = Walk.from_rows(*first.query.sql_with_params(), Direction.DOWN, asker)
    rows = access.visible(asker).filter(pk__in=walk.nodes)
    rows = narrowed(
        rows,
        filters,
        lambda edges: edges.filter(made | Q(is_dependence=True, to_entity__in=walk.nodes)),
        end="from_entity",
    )
    return listed(rows, filters=filters, page=page, per_page=per_page)


def _walked(
    ref: Ref | str,
    direction: Direction,
    asker: Asker,
    filters: Filters,
    page: int,
    per_page: int,
    order: Sequence[str],
) -> Listing:
    start = access.entity_at(ref, asker=asker)
    rows = _rows(start, direction, asker, filters)
    return listed(rows, filters=filters, page=page, per_page=per_page, start=start, order=order)


def _rows(start: Entity, direction: Direction, asker: Asker, filters: Filters) -> QuerySet[Entity]:
    walk = Walk.of([start.pk], direction, asker)
    # Not by workspace: the walk never leaves it, and an index on it would win over the keys of the walk.
    rows = Entity.objects.filter(pk__in=walk.nodes, level__lte=asker.level, is_placeholder=False).exclude(pk=start.pk)

    def inside(edges: QuerySet[Edge]) -> QuerySet[Edge]:
        end = {Direction.DOWN: "to_entity__in", Direction.UP: "from_entity__in"}[direction]
        return edges.filter(is_dependence=True, **{end: walk.nodes})

    return narrowed(rows, filters, inside, end="from_entity" if direction is Direction.DOWN else "to_entity")
