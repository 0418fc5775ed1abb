"""Writers of one workspace's graph that must not overlap, one after the other."""

from django.db import connections, router

from lineage.models import Entity

# Apart from other advisory locks of the database: “lineage” in the first of the two keys.
_SPACE = 0x11EA6E


def wait_for_turn(*, workspace_id: int) -> None:
    """Holds the workspace's graph until the end of the transaction; whoever asks for it too waits. Twice is safe.

    Two edges that close a ring together, each allowed alone, and a label that rises while an edge is written under it,
    are seen by neither of two transactions at once. SQLite has one writer anyway.
    """
    connection = connections[router.db_for_write(Entity) or "default"]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_SPACE, workspace_id % 2**31])
