"""Rows of a batch as those who write them need them: their records, and what other rows of the batch became."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from provenance_site.kit.rows import in_parts
from sources.core.entries import Record
from sources.models import ImportBatch, ImportRow
from sources.services.staged_rows import record_of

T = TypeVar("T", bound=Record)


def records_of(rows: Sequence[ImportRow], kind: type[T]) -> dict[int, T]:
    """The records behind rows of one kind, by the rows' keys."""
    found: dict[int, T] = {}
    for row in rows:
        record = record_of(row)
        assert isinstance(record, kind)  # noqa: S101
        found[row.pk] = record
    return found


def objects_of(batch: ImportBatch, refs: Iterable[str], *, kind: str = "") -> Mapping[str, int]:
    """What rows of the batch became, by the refs that other rows call them by; of one `kind` where that is given.

    The first row of a ref counts. One query per 500.
    """
    found: dict[str, int] = {}
    for part in in_parts(sorted(set(refs) - {""})):
        rows = ImportRow.objects.filter(batch=batch, ref__in=part, object_id__isnull=False)
        rows = rows.filter(record_kind=kind) if kind else rows
        for ref, object_id in rows.order_by("-position").values_list("ref", "object_id"):
            found[ref] = object_id or 0
    return found
