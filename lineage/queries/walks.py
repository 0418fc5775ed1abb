"""Walks over dependences: what rests on given nodes, and what they rest on. Keys in, keys out, each node once.

One statement a walk, that costs by its answer and not by the graph (measured, see docs/lineage.md): UNION over keys
alone, an index for each direction, no depth in the row (with a depth, a node met at two depths is walked twice, and a
cap loses nodes). Depths are computed where a page shows them, see `queries.bounded`.

An edge joins nodes of one workspace only, so a walk never leaves the workspace of its starts. A node that the asker may
not read is not walked through; since labels only rise along dependences, that is the same as leaving it out afterwards.
A placeholder is walked through, and whoever lists nodes leaves it out.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from django.db import connection
from django.db.models.expressions import RawSQL

from lineage.core.asking import Asker


class Direction(StrEnum):
    """UP: what the node rests on. DOWN: what rests on it."""

    UP = "up"
    DOWN = "down"


# OFFSET 0 keeps PostgreSQL's planner from joining the whole edge table at every level of a small graph: 76 ms against
# 1.5 ms on a chain of a thousand.
_POSTGRESQL = """{name}(node) AS (
    {base}
    UNION
    SELECT step.node FROM {name} CROSS JOIN LATERAL (
        SELECT e.{there} AS node FROM lineage_edge e {join}
        WHERE e.{here} = {name}.node AND e.is_dependence {condition} OFFSET 0
    ) step
)"""
# After ANALYZE, SQLite builds a Bloom filter over a whole table for each question where a condition is on that table
# alone. So nodes come by LEFT JOIN (46 ms against 0.1 ms), and `is_dependence` is compared with something of the other
# side that is always true (70 ms against 0.1 ms), which also lets the index answer alone.
_SQLITE = """{name}(node) AS (
    {base}
    UNION
    SELECT e.{there} FROM {name} CROSS JOIN lineage_edge e
    ON e.{here} = {name}.node AND e.is_dependence = ({name}.node IS NOT NULL) {join} {condition}
)"""
# Both ends of a search are first asked for this many nodes: most writes add what nothing rests on yet.
_FIRST_LOOK = 1_000
_LOOK_FURTHER = 16


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk that was not run yet, as a part of a WITH RECURSIVE: `name`(node), the starts among its rows.

    `table` and `parameters` are made here alone: no text from outside ever stands in the SQL.
    """

    name: str
    table: str
    parameters: tuple[Any, ...]

    @classmethod
    def of(cls, starts: Sequence[int], direction: Direction, asker: Asker, *, name: str = "reached") -> Self:
        """The walk from nodes that the caller vouches the asker may read."""
        if connection.vendor == "sqlite":
            return cls._from("SELECT value FROM json_each(%s)", [json.dumps(list(starts))], direction, asker, name)
        return cls._from("SELECT unnest(%s::bigint[])", [list(starts)], direction, asker, name)

    @classmethod
    def from_rows(
        cls, select: str, parameters: Sequence[Any], direction: Direction, asker: Asker, *, name: str = "reached"
    ) -> Self:
        """The walk from what a SELECT of our own gives: one column of keys that the asker may read."""
        return cls._from(select, parameters, direction, asker, name)

    @classmethod
    def _from(cls, base: str, parameters: Sequence[Any], direction: Direction, asker: Asker, name: str) -> Self:
        is_sqlite = connection.vendor == "sqlite"
        here, there = _columns(direction)
        join = condition = ""
        if not asker.sees_everything:
            join = f"{'LEFT JOIN' if is_sqlite else 'JOIN'} lineage_entity x ON x.id = e.{there}"
            condition = "WHERE coalesce(x.level, 99) <= %s" if is_sqlite else "AND x.level <= %s"
            parameters = [*parameters, asker.level]
        table = (_SQLITE if is_sqlite else _POSTGRESQL).format(
            name=name, base=base, here=here, there=there, join=join, condition=condition
        )
        return cls(name, table, tuple(parameters))

    @property
    def select(self) -> str:
        """The whole statement: a row for each node, the starts included."""
        return f"WITH RECURSIVE {self.table} SELECT node FROM {self.name}"  # noqa: S608 (see the class)

    @property
    def nodes(self) -> RawSQL:
        """For `filter(pk__in=…)`: the walk runs inside that statement."""
        return RawSQL(self.select, self.parameters)  # noqa: S611 (see the class)


def descendant_ids(*, starts: Sequence[int], asker: Asker) -> list[int]:
    """Keys of all nodes that rest on any of `starts`, directly or not, without the starts themselves; no order.

    The caller vouches that the asker may read the starts. A node that they may not read is not walked through.
    Always complete. Placeholders are among them.
    """
    return _reached(starts=starts, direction=Direction.DOWN, asker=asker)


def ancestor_ids(*, starts: Sequence[int], asker: Asker) -> list[int]:
    """Keys of all nodes that any of `starts` rests on, directly or not; else like `descendant_ids`."""
    return _reached(starts=starts, direction=Direction.UP, asker=asker)


def _reached(*, starts: Sequence[int], direction: Direction, asker: Asker) -> list[int]:
    walk = Walk.of(starts, direction, asker)
    own = set(starts)
    return [node for (node,) in rows(walk.select, walk.parameters) if node not in own]


def rests_on(*, dependent: int, other: int, asker: Asker) -> bool:
    """Whether `dependent` rests on `other`, directly or not. A node does not rest on itself.

    Costs by the smaller of two walks, down from `other` and up from `dependent`: both are asked for a thousand nodes,
    then for ever more, until one of them ends. An edge from x to y would close a circle exactly where y rests on x.
    """
    if dependent == other:
        return False
    most = _FIRST_LOOK
    while True:
        for start, direction, wanted in ((other, Direction.DOWN, dependent), (dependent, Direction.UP, other)):
            number, is_met = _looked(start=start, direction=direction, wanted=wanted, most=most, asker=asker)
            if is_met or number < most:
                return is_met
        most *= _LOOK_FURTHER


def _looked(*, start: int, direction: Direction, wanted: int, most: int, asker: Asker) -> tuple[int, bool]:
    """How many nodes were met, at most `most`, and whether the wanted one was among them."""
    walk = Walk.of([start], direction, asker)
    statement = (
        f"WITH RECURSIVE {walk.table} SELECT count(*), coalesce(max(CASE WHEN node = %s THEN 1 ELSE 0 END), 0) "  # noqa: S608
        f"FROM (SELECT node FROM {walk.name} LIMIT %s) met"
    )
    ((number, met),) = rows(statement, [*walk.parameters, wanted, most])
    return number, bool(met)


def between(*, dependents: Sequence[int], origins: Sequence[int], asker: Asker) -> list[tuple[int, int]]:
    """All dependences (from, to) on any way from `dependents` up to `origins`; complete, each pair once, in key order.

    One statement, linear in the two walks that it intersects. Empty where none rests on any.
    """
    up = Walk.of(dependents, Direction.UP, asker, name="above")
    down = Walk.of(origins, Direction.DOWN, asker, name="below")
    return _pairs(
        f"WITH RECURSIVE {up.table}, {down.table}, "  # noqa: S608
        "way(node) AS MATERIALIZED (SELECT node FROM above INTERSECT SELECT node FROM below)",
        [*up.parameters, *down.parameters],
    )


def pairs_of(walk: Walk) -> list[tuple[int, int]]:
    """All dependences (from, to) between nodes of a walk; complete, each pair once, in key order."""
    return _pairs(
        f"WITH RECURSIVE {walk.table}, way(node) AS MATERIALIZED (SELECT node FROM {walk.name})",  # noqa: S608
        walk.parameters,
    )


def _pairs(way: str, parameters: Sequence[Any]) -> list[tuple[int, int]]:
    edges = _EDGES_AMONG[connection.vendor].format(columns="e.from_entity_id, e.to_entity_id")
    return sorted(set(rows(f"{way} {edges}", parameters)))


def edges_among_sql(*, nodes: Sequence[int], columns: str) -> tuple[str, list[Any]]:
    """The statement that gives these columns of the dependences `e` that join two of `nodes`, and its parameters.

    Whoever may read both ends may read the edge; the caller vouches for the nodes, and writes the columns themselves.
    """
    is_sqlite = connection.vendor == "sqlite"
    base = "SELECT value FROM json_each(%s)" if is_sqlite else "SELECT unnest(%s::bigint[])"
    statement = f"WITH way(node) AS MATERIALIZED ({base}) " + _EDGES_AMONG[connection.vendor].format(columns=columns)
    return statement, [json.dumps(list(nodes)) if is_sqlite else list(nodes)]


# From each node by the index, never over the table; the other end is looked up among the nodes. (`0 * way.node` for the
# reason that `is_dependence` is compared above.)
_EDGES_AMONG = {
    "postgresql": (
        "SELECT {columns} FROM way CROSS JOIN LATERAL (SELECT * FROM lineage_edge "
        "WHERE from_entity_id = way.node AND is_dependence OFFSET 0) e WHERE e.to_entity_id IN (SELECT node FROM way)"
    ),
    "sqlite": (
        "SELECT {columns} FROM way CROSS JOIN lineage_edge e ON e.from_entity_id = way.node "
        "AND e.is_dependence = (way.node IS NOT NULL) "
        "WHERE e.to_entity_id + 0 * way.node IN (SELECT node FROM way)"
    ),
}


def rows(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """What a statement made of walks gives, on the database that holds the graph."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _columns(direction: Direction) -> tuple[str, str]:
    match direction:
        case Direction.DOWN:
            return "to_entity_id", "from_entity_id"
        case Direction.UP:
            return "from_entity_id", "to_entity_id"
