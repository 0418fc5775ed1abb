"""Walks over dependences: what rests on given nodes, and what they rest on. Keys in, keys out, each node once.

One statement a walk, that costs by its answer and not by the graph (measured, see docs/lineage.md): UNION over keys
alone, an index for each direction, no depth in the row (with a depth, a node met at two depths is walked twice, and a
cap loses nodes). Depths are computed where a page shows them.
"""

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from django.db import connections, router

from lineage.core.asking import Asker
from lineage.models import Edge


class Direction(StrEnum):
    """UP: what the node rests on. DOWN: what rests on it."""

    UP = "up"
    DOWN = "down"


# OFFSET 0 keeps PostgreSQL's planner from joining the whole edge table at every level of a small graph: 76 ms against
# 1.5 ms on a chain of a thousand.
_POSTGRESQL = """
WITH RECURSIVE reached(node) AS (
    SELECT unnest(%s::bigint[])
    UNION
    SELECT step.node FROM reached CROSS JOIN LATERAL (
        SELECT e.{there} AS node FROM lineage_edge e {join}
        WHERE e.{here} = reached.node AND e.is_dependence {condition} OFFSET 0
    ) step
)
SELECT node FROM reached
"""
# LEFT JOIN keeps SQLite from building a filter over the whole table of nodes for each question: 46 ms against 0.1 ms.
_SQLITE = """
WITH RECURSIVE reached(node) AS (
    SELECT value FROM json_each(%s)
    UNION
    SELECT e.{there} FROM reached CROSS JOIN lineage_edge e ON e.{here} = reached.node AND e.is_dependence {join}
    {condition}
)
SELECT node FROM reached
"""


def descendant_ids(*, starts: Sequence[int], asker: Asker) -> list[int]:
    """Keys of all nodes that rest on any of `starts`, directly or not, without the starts themselves; no order.

    The caller vouches that the asker may read the starts. A node that they may not read is not walked through.
    """
    return _reached(starts=starts, direction=Direction.DOWN, asker=asker)


def ancestor_ids(*, starts: Sequence[int], asker: Asker) -> list[int]:
    """Keys of all nodes that any of `starts` rests on, directly or not; else like `descendant_ids`."""
    return _reached(starts=starts, direction=Direction.UP, asker=asker)


def _reached(*, starts: Sequence[int], direction: Direction, asker: Asker) -> list[int]:
    here, there = {
        Direction.DOWN: ("to_entity_id", "from_entity_id"),
        Direction.UP: ("from_entity_id", "to_entity_id"),
    }[direction]
    connection = connections[router.db_for_read(Edge) or "default"]
    is_sqlite = connection.vendor == "sqlite"
    join = condition = ""
    parameters: list[Any] = [json.dumps(list(starts)) if is_sqlite else list(starts)]
    if not asker.sees_everything:
        join = f"{'LEFT JOIN' if is_sqlite else 'JOIN'} lineage_entity x ON x.id = e.{there}"
        condition = "WHERE coalesce(x.level, 99) <= %s" if is_sqlite else "AND x.level <= %s"
        parameters.append(asker.level)
    statement = (_SQLITE if is_sqlite else _POSTGRESQL).format(here=here, there=there, join=join, condition=condition)
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found = [node for (node,) in cursor.fetchall()]
    own = set(starts)
    return [node for node in found if node not in own]
