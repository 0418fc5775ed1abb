"""Keeps what the newest check of each source read, for judging it again."""

from collections.abc import Sequence

from provenance_site.kit.rows import insert_rows
from sources.core.findings import SourceFinding
from sources.models import Check, Reading


def keep(*, findings: Sequence[SourceFinding], checks: Sequence[Check]) -> None:
    """Replaces the readings of these sources by those of their new `checks`. Two statements; the caller's transaction.

    After a check that read nothing the older reading stays, but it answers for its own check only.
    """
    read = {told.source_id: told.finding.evidence.reading for told in findings if told.finding.evidence.reading}
    if not read:
        return
    Reading.objects.filter(source_id__in=read).delete()
    insert_rows(
        [
            Reading(source_id=check.source_id, check_made=check, content=read[check.source_id])
            for check in checks
            if check.source_id in read
        ]
    )
