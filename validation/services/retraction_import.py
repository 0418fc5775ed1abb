"""Takes in exports of Retraction Watch: from a file, or from the address that the operator has named.

A file is read twice: once to count and to judge, so that a wrong one changes nothing, and once to write. Both keep a
row at a time. Parts are written by `record`, to which the same twice is nothing, and how far it is stands in the
snapshot's row; so a broken import goes on where it was, and the same file again does nothing.
"""

import asyncio
import hashlib
import logging
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from sources.core.records import RowError
from sources.core.retraction_status import Nature, Provider
from sources.queries.retraction_evidence import holding
from sources.services import retraction_questions, retraction_records
from validation.adapters.retraction_world import download_export
from validation.core.ports import Unavailable
from validation.core.retraction_statements import Statement
from validation.core.retraction_watch import (
    LONGEST_ROW,
    NotASnapshot,
    WatchReader,
    WatchRow,
    check_size,
    statements_of,
)
from validation.models import RetractionFeed, RetractionSnapshot
from validation.queries.retractions import sources_resting_on
from validation.services import retraction_titles
from validation.services.retraction_words import facts_of

log = logging.getLogger(__name__)

# With their notices some 4,900 statements, which the registry writes in one transaction.
PART = 2_200
_CHUNK = 1024 * 1024
_SHOWN = 20
_VANISHED_SHOWN = 1_000
EVERY = timedelta(hours=20)
_RETRY = timedelta(hours=1)
_HELD = timedelta(minutes=30)
_REFUSALS_KEPT = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import. `is_known`: these very bytes were taken in before, and nothing was done.

    `new` statements were not known, `changed_sources` follow them. `vanished` counts Record IDs of the last export that
    are gone: what they said stays, since a row that is gone is no reinstatement, and the sources that rest on it wait
    for an editor, but for those of which somebody has decided.
    """

    snapshot: RetractionSnapshot
    is_known: bool = False
    new: int = 0
    seen_again: int = 0
    changed_sources: int = 0
    vanished: int = 0


@dataclass(slots=True)
class _Notes:
    """What is odd about the rows that were written, by and by."""

    natures: Counter[str] = field(default_factory=Counter)
    first: list[str] = field(default_factory=list)
    unusable: int = 0
    nameless: int = 0
    titles: dict[str, WatchRow] = field(default_factory=dict)

    def take(self, row: WatchRow) -> None:
        """Adds a row's."""
        if row.nature is Nature.UNKNOWN:
            self.natures[row.raw_nature[:100]] += 1
        self.nameless += not row.works
        retraction_titles.gather(row, self.titles)
        self.unusable += len(row.problems)
        self.first += [f"line {row.line}: {problem}"[:300] for problem in row.problems if len(self.first) < _SHOWN]


def import_export(*, path: Path, label: str, at: datetime, allow_shrink: bool = False) -> Imported:
    """Takes in the export at `path`. Raises NotASnapshot where it is none or has shrunk: nothing of it is taken in,
    and that it was refused is kept with the reason."""
    sha256, size = _digest(path)
    known = RetractionSnapshot.objects.filter(sha256=sha256).first()
    if known is not None and known.completed_at is not None:
        return Imported(known, is_known=True)
    try:
        snapshot, record_ids = _judged(path, known, sha256, size, label=label, at=at, allow_shrink=allow_shrink)
    except NotASnapshot as refused:
        _keep_refusal(str(refused), sha256=sha256, size=size, label=label, at=at)
        raise
    notes = _Notes()
    with path.open("rb") as file:
        every = (row for row in WatchReader(_lines(file)) if isinstance(row, WatchRow))
        done = _write(snapshot, every, notes, at=at)
    return _completed(snapshot, record_ids, notes, done, at=at)


def _keep_refusal(why: str, *, sha256: str, size: int, label: str, at: datetime) -> None:
    RetractionSnapshot.objects.filter(started_at__lt=at - _REFUSALS_KEPT).exclude(refused="").delete()
    RetractionSnapshot.objects.update_or_create(
        sha256=sha256, defaults={"label": label[:300], "byte_count": size, "rows": 0, "refused": why, "started_at": at}
    )


def _judged(
    path: Path,
    known: RetractionSnapshot | None,
    sha256: str,
    size: int,
    *,
    label: str,
    at: datetime,
    allow_shrink: bool,
) -> tuple[RetractionSnapshot, set[int]]:
    """The row of an export that may be taken in, and its Record IDs. Raises NotASnapshot."""
    with path.open("rb") as file:
        reader = WatchReader(_lines(file))
        read = list(reader.record_ids())
    record_ids = {one for one in read if not isinstance(one, RowError)}
    errors = [one for one in read if isinstance(one, RowError)]
    rows = len(read) - len(errors)
    before = _newest()
    check_size(rows=rows, before=None if allow_shrink or before is None else before.rows)
    if known is not None and not known.refused:
        return known, record_ids
    snapshot, _ = RetractionSnapshot.objects.update_or_create(
        sha256=sha256,
        defaults={
            "label": label[:300],
            "byte_count": size,
            "rows": rows,
            "refused": "",
            "started_at": at,
            "told": {
                "unreadable": len(errors),
                "unreadable_first": [f"line {one.line}: {one.message}" for one in errors[:_SHOWN]],
                "other_encoding": reader.other_encoding,
                "blank": reader.blank,
                "missing_columns": list(reader.missing),
                "new_columns": list(reader.added),
            },
        },
    )
    return snapshot, record_ids


def import_from_url(*, url: str, at: datetime, allow_shrink: bool = False) -> Imported | Unavailable:
    """Downloads the export and takes it in. Raises NotASnapshot as `import_export` does."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        if failed := asyncio.run(download_export(url, file)):
            return failed
        file.flush()
        return import_export(path=Path(file.name), label=url, at=at, allow_shrink=allow_shrink)


def import_when_due(*, at: datetime) -> Imported | None:
    """What the scheduler calls: takes in the export of the configured address once a day, an hour after a failure.

    None where nothing is due or it failed; why stands in the feed's row and the log.
    """
    url = settings.RETRACTION_WATCH_URL
    if not url or not claim(Provider.RETRACTION_WATCH, every=EVERY, held=_HELD, at=at):
        return None
    feed = RetractionFeed.objects.filter(provider=Provider.RETRACTION_WATCH)
    try:
        came = import_from_url(url=url, at=at)
        problem = came.reason if isinstance(came, Unavailable) else ""
    except NotASnapshot as refused:
        came, problem = None, str(refused)
    if problem or came is None or isinstance(came, Unavailable):
        log.warning("Retraction Watch's export was not taken in: %s", problem)
        wait = came.retry_after_s if isinstance(came, Unavailable) and came.retry_after_s else 0
        retry_at = at + max(_RETRY, timedelta(seconds=wait))
        feed.update(problem=problem[:300], retry_at=retry_at, held_until=None)
        return None
    feed.update(problem="", retry_at=None, succeeded_at=at, day=at.date().isoformat(), held_until=None)
    return came


def claim(provider: Provider, *, every: timedelta, held: timedelta, at: datetime) -> bool:
    """Takes the provider's feed into this worker's hands for `held`, where it is due; False where it is not, or another
    worker has it."""
    RetractionFeed.objects.get_or_create(provider=provider)
    due = Q(succeeded_at__isnull=True) | Q(succeeded_at__lte=at - every)
    free = Q(held_until__isnull=True) | Q(held_until__lte=at)
    waited = Q(retry_at__isnull=True) | Q(retry_at__lte=at)
    taken = RetractionFeed.objects.filter(due & free & waited, provider=provider)
    return taken.update(held_until=at + held, attempted_at=at) == 1


def _write(
    snapshot: RetractionSnapshot, rows: Iterator[WatchRow], notes: _Notes, *, at: datetime
) -> retraction_records.Recorded:
    total = retraction_records.Recorded()
    notices: set[str] = set()
    for row in islice(rows, snapshot.rows_done):
        notes.take(row)
    while part := list(islice(rows, PART)):
        for row in part:
            notes.take(row)
        told = [
            facts_of(one)
            for row in part
            for one in statements_of(row, snapshot=snapshot.sha256)
            if one.nature is not Nature.NOTICE or _is_first(one, notices)
        ]
        done = retraction_records.record(assertions=told, at=at)
        snapshot.rows_done += len(part)
        snapshot.statements += done.new
        snapshot.save(update_fields=["rows_done", "statements"])
        total = retraction_records.Recorded(
            total.new + done.new, total.seen_again + done.seen_again, total.changed_sources + done.changed_sources
        )
    return total


def _is_first(statement: Statement, notices: set[str]) -> bool:
    """A notice that covers hundreds of works is said to be one once."""
    name = str(statement.work)
    if name in notices:
        return False
    notices.add(name)
    return True


def _completed(
    snapshot: RetractionSnapshot,
    record_ids: set[int],
    notes: _Notes,
    done: retraction_records.Recorded,
    *,
    at: datetime,
) -> Imported:
    with transaction.atomic():
        before = _newest()
        _warn_of_new_natures(notes.natures, before)
        gone = sorted(_ids_of(before) - record_ids) if before is not None else []
        snapshot.vanished = [str(one) for one in gone[:_VANISHED_SHOWN]]
        snapshot.told = {
            **snapshot.told,
            "unknown_natures": dict(notes.natures.most_common(100)),
            "nameless": notes.nameless,
            "unusable": notes.unusable,
            "unusable_first": notes.first,
            "vanished": len(gone),
        }
        snapshot.record_ids = zlib.compress("\n".join(map(str, sorted(record_ids))).encode())
        snapshot.completed_at = at
        snapshot.save(update_fields=["vanished", "told", "record_ids", "completed_at"])
        RetractionSnapshot.objects.exclude(pk=snapshot.pk).exclude(record_ids=b"").update(record_ids=b"")
        resting = sources_resting_on(map(str, gone), provider=Provider.RETRACTION_WATCH)
        retraction_questions.ask(source_ids=resting - holding(resting).keys(), at=at)
        retraction_titles.hint(notes.titles, at=at)
    if gone:
        log.warning("%d records of the last export of Retraction Watch are gone from this one.", len(gone))
    return Imported(
        snapshot,
        new=done.new,
        seen_again=done.seen_again,
        changed_sources=done.changed_sources,
        vanished=len(gone),
    )


def _newest() -> RetractionSnapshot | None:
    return RetractionSnapshot.objects.filter(completed_at__isnull=False).order_by("-completed_at", "-pk").first()


def _ids_of(snapshot: RetractionSnapshot) -> set[int]:
    packed = bytes(snapshot.record_ids)
    return {int(one) for one in zlib.decompress(packed).split()} if packed else set()


def _warn_of_new_natures(natures: Counter[str], before: RetractionSnapshot | None) -> None:
    """Once a value: what the last export had already was told then."""
    known = before.told.get("unknown_natures", {}) if before is not None else {}
    for raw, number in natures.items():
        if raw not in known:
            log.warning("Retraction Watch has a nature that nobody has mapped: %r, in %d rows.", raw, number)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Lines, in pieces where one is so long that it is no line of an export."""
    return iter(lambda: file.readline(LONGEST_ROW + 2), b"")


def _digest(path: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size
