"""Links of an import whose ends are not in the file: told in the preview, so that nobody misses them afterwards."""

from collections.abc import Iterator

from sources.core import entries
from sources.core.entries import LinkRecord
from sources.core.kinds import RowAction
from sources.models import ImportBatch, ImportRow

_BATCH = 500


def report(batch: ImportBatch) -> int:
    """Makes each link row of the batch an error whose end no row of the batch bears; gives how many there are.

    Only after all rows were written, since links may stand before what they link. Three queries per 500 links.
    """
    found = 0
    for rows in _link_rows(batch):
        ends = {row.pk: _ends(row) for row in rows}
        wanted = {ref for pair in ends.values() for ref in pair}
        there = set(ImportRow.objects.filter(batch=batch, ref__in=wanted).values_list("ref", flat=True))
        wrong = [row for row in rows if not there.issuperset(ends[row.pk])]
        for row in wrong:
            names = " and ".join(f"“{ref}”" for ref in ends[row.pk] if ref not in there)
            row.action = RowAction.ERROR
            row.message = f"Nothing in the file is called {names}, so nothing can be linked. Export the file whole."
        ImportRow.objects.bulk_update(wrong, ["action", "message"], batch_size=_BATCH)
        found += len(wrong)
    return found


def _ends(row: ImportRow) -> tuple[str, str]:
    link = entries.from_json(row.record or {})
    assert isinstance(link, LinkRecord)  # noqa: S101
    return link.from_ref, link.to_ref


def _link_rows(batch: ImportBatch) -> Iterator[list[ImportRow]]:
    last = 0
    while rows := list(batch.rows.filter(record_kind="link", position__gt=last).order_by("position")[:_BATCH]):
        yield rows
        last = rows[-1].position
