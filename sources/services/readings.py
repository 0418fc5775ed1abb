"""Keeps what the newest check of each source read, for judging it again."""

from collections.abc import Mapping

from provenance_site.kit.values import insert_values
from sources.models import Reading


def keep(read: Mapping[int, tuple[int, str]]) -> None:
    """Replaces the readings of these sources; `read` has the key of the new check and the reading as JSON, by source.

    One statement; the caller's transaction. After a check that read nothing the older reading stays, but it answers for
    its own check only.
    """
    rows = [(source_id, check_id, content) for source_id, (check_id, content) in read.items()]
    insert_values(Reading, ("source_id", "check_made_id", "content"), rows, replacing="source_id")
