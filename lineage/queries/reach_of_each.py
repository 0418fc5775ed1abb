"""What rests on each of many nodes, told apart: one statement for all of them."""

import json
from collections.abc import Sequence

from django.db import connection

from lineage.queries import walks

_POSTGRESQL = """
WITH RECURSIVE reached(start, node) AS (
    SELECT one, one FROM unnest(%s::bigint[]) AS starts(one)
    UNION
    SELECT reached.start, step.node FROM reached CROSS JOIN LATERAL (
        SELECT e.from_entity_id AS node FROM lineage_edge e
        WHERE e.to_entity_id = reached.node AND e.is_dependence OFFSET 0
    ) step
)
SELECT start, node FROM reached WHERE start <> node
"""
_SQLITE = """
WITH RECURSIVE reached(start, node) AS (
    SELECT value, value FROM json_each(%s)
    UNION
    SELECT reached.start, e.from_entity_id FROM reached CROSS JOIN lineage_edge e
    ON e.to_entity_id = reached.node AND e.is_dependence = (reached.node IS NOT NULL)
)
SELECT start, node FROM reached WHERE start <> node
"""


def descendants_of_each(*, starts: Sequence[int]) -> list[tuple[int, int]]:
    """(start, node) for every node that rests on a start, directly or not; complete, in no order.

    For the desk itself: it looks at everything. Costs by the sum of the answers of all starts.
    """
    if connection.vendor == "sqlite":
        return [(start, node) for start, node in walks.rows(_SQLITE, [json.dumps(list(starts))])]
    return [(start, node) for start, node in walks.rows(_POSTGRESQL, [list(starts)])]
