"""Walks that stop: for pictures and stories, which show so many nodes and no more. They always say where they stopped.

Nothing that decides is computed from them: impact, labels and totals use `queries.walks`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lineage.core.asking import Asker
from lineage.core.steps import Link, Transform
from lineage.queries import walks
from lineage.queries.walks import Direction, Walk


class Cut(StrEnum):
    """Why a walk shows less than there is; '' where it shows all."""

    NOWHERE = ""
    NODES = "nodes"
    DEPTH = "depth"


_COLUMNS = ", ".join(
    f"e.{name}"
    for name in (
        "id",
        "from_entity_id",
        "to_entity_id",
        "relation",
        "transform_type",
        "transform_implementation",
        "transform_version",
        "config_hash",
        "run_id",
    )
)


@dataclass(frozen=True, slots=True)
class Bounded:
    """The nearest nodes of a walk with their distance from the starts, nearest first; the starts have 0.

    `links` are all dependences between them. Where `cut` is DEPTH, all nodes up to that depth are there.
    """

    depths: dict[int, int]
    links: list[Link]
    cut: Cut

    @property
    def complete(self) -> bool:
        """True where nothing was left out."""
        return self.cut is Cut.NOWHERE


def nearest(
    *, starts: Sequence[int], direction: Direction, asker: Asker, most: int, depth: int | None = None
) -> Bounded:
    """At most `most` nodes nearest to the starts, the starts among them, of distance `depth` at most.

    Two statements, that cost by `most` and not by the graph (on SQLite also by the widest node on the way). The caller
    vouches that the asker may read the starts.
    """
    walk = Walk.of(starts, direction, asker)
    # Both databases give a recursion level by level and stop it at the limit. Distances do not lean on that: they are
    # counted anew along the edges.
    found = [node for (node,) in walks.rows(f"{walk.select} LIMIT %s", [*walk.parameters, most + 1])]
    kept = found[:most]
    links = links_among(kept)
    depths = distances(starts, ((link.dependent, link.other) for link in links), direction)
    is_deeper = depth is not None and any(one > depth for one in depths.values())
    if is_deeper:
        depths = {node: one for node, one in depths.items() if depth is None or one <= depth}
        links = [link for link in links if link.dependent in depths and link.other in depths]
    cut = Cut.DEPTH if is_deeper else Cut.NODES if len(found) > most else Cut.NOWHERE
    return Bounded(depths, links, cut)


def links_among(nodes: Sequence[int]) -> list[Link]:
    """The dependences that join two of these nodes, oldest first. One statement, and no row of the ORM an edge."""
    statement, parameters = walks.edges_among_sql(nodes=nodes, columns=_COLUMNS)
    return [
        Link(key, dependent, other, relation, Transform(*how), run_id)
        for key, dependent, other, relation, *how, run_id in sorted(walks.rows(statement, parameters))
    ]


def distances(starts: Iterable[int], edges: Iterable[tuple[int, int]], direction: Direction) -> dict[int, int]:
    """The distance of every node that is reached along `edges` (from, to), nearest first, then by key."""
    beyond: defaultdict[int, list[int]] = defaultdict(list)
    for dependent, other in edges:
        match direction:
            case Direction.UP:
                beyond[dependent].append(other)
            case Direction.DOWN:
                beyond[other].append(dependent)
    found = dict.fromkeys(starts, 0)
    level, depth = sorted(found), 0
    while level:
        depth += 1
        level = sorted({node for one in level for node in beyond[one]} - found.keys())
        found.update(dict.fromkeys(level, depth))
    return found


def steps_to(*, nodes: Sequence[int], start: int, direction: Direction, asker: Asker) -> dict[int, int]:
    """How many steps each of `nodes` is away from `start`, which was walked in this direction; those that are not
    reached are left out. For a page of them: two statements, linear in the edges above those nodes (down) or above the
    start (up)."""
    walk = Walk.of(nodes if direction is Direction.DOWN else [start], Direction.UP, asker)
    found = distances([start], walks.pairs_of(walk), direction)
    return {node: found[node] for node in nodes if node in found}


def reached_along(start: int, above: Mapping[int, Sequence[tuple[int, int]]]) -> set[int]:
    """The start and all that is reached from it along edges (from, to) by their dependents."""
    met, waiting = {start}, [start]
    while waiting:
        fresh = {other for _, other in above.get(waiting.pop(), ())} - met
        met |= fresh
        waiting += fresh
    return met


def path_of(*, dependent: int, origin: int, asker: Asker) -> list[int]:
    """The nodes of a shortest way from `dependent` up to `origin`, both included; [] where it does not rest on it.

    One statement, linear in the two walks; of ways of one length always the same.
    """
    edges = walks.between(dependents=[dependent], origins=[origin], asker=asker)
    to_go = distances([origin], edges, Direction.DOWN)
    if dependent == origin or dependent not in to_go:
        return []
    above: defaultdict[int, list[int]] = defaultdict(list)
    for node, other in edges:
        above[node].append(other)
    way = [dependent]
    while way[-1] != origin:
        here = way[-1]
        way.append(min(node for node in above[here] if to_go[node] == to_go[here] - 1))
    return way
