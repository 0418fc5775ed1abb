"""The order of locks, which keeps writers of one workspace's graph from waiting for each other in a circle.

First rows of the objects that nodes are of, such as sources. Then the turn (`wait_for_turn`), which all take that
change what others follow from: labels, retractions, edges of older nodes. Then the rows of nodes, in the order of their
keys (`hold`): whoever only writes edges to them, or says that their object went or has a successor, holds those rows
alone (`joining.held_levels`), in the same order, and takes no turn after it. Then rows that hang on nodes: their
impact, what is kept apart.
"""

from collections.abc import Iterable

from django.db import connection

# Apart from other advisory locks of the database: “lineage” in the first of the two keys.
_SPACE = 0x11EA6E


def wait_for_turn(*, workspace_id: int) -> None:
    """Holds the workspace's graph until the end of the transaction; whoever asks for it too waits. Twice is safe.

    Two edges that close a ring together, each allowed alone, and a label that rises while an edge is written under it,
    are seen by neither of two transactions at once. SQLite has one writer anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_SPACE, workspace_id % 2**31])


def hold(entity_ids: Iterable[int]) -> None:
    """Holds the rows of these nodes until the end of the transaction, in the order of their keys: an UPDATE of many
    rows takes them in whatever order it finds them. SQLite has one writer anyway."""
    if connection.vendor == "postgresql" and (wanted := sorted(set(entity_ids))):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM lineage_entity WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
                [wanted],
            )
