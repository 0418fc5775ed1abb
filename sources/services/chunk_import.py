"""The passages of an imported store: each document is taken in whole, by the rule of `services.chunks`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from provenance_site.accounts.models import User
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import update_rows
from sources.core.chunking import document_key, hash_of, store_name
from sources.core.entries import ChunkRecord
from sources.core.kinds import RowAction
from sources.core.lines import one_line
from sources.core.passages import Passage
from sources.core.retraction_status import Nature
from sources.models import Chunk, ChunkStore, ImportBatch, ImportRow
from sources.queries.readable import hidden_keys
from sources.services import chunks, imported_marks
from sources.services.chunk_descriptions import About, Content, IngestRefused, path_of
from sources.services.imported_marks import FileWord
from sources.services.staged_rows import record_of

_BATCH = 500
_EXTRA = ("embedding_hash", "embedding_dimension", "retracted", "retraction_note")


def write(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> list[ChangeFacts]:
    """Takes in the documents that these rows are passages of, each with all its rows of the batch; in the caller's
    transaction. Rows beyond the given ones are marked as written too.

    A document that cannot be taken in becomes errors that say why.
    """
    facts: list[ChangeFacts] = []
    fallen: dict[int, FileWord] = {}
    documents = _documents(batch, rows)
    stores = _held_stores(batch, {_store_of(batch, of_document[0]) for of_document in documents.values()}, at=at)
    for key, of_document in documents.items():
        records = {row.pk: _record(row) for row in of_document}
        first = records[of_document[0].pk]
        name = _store_of(batch, of_document[0])
        try:
            facts += _take_in(stores[name], first.source, list(records.values()), fallen, by=by, at=at)
        except IngestRefused as refused:
            wrong = ImportRow.objects.filter(batch=batch, canonical_key=key)
            wrong.update(action=RowAction.ERROR, message=str(refused))
        ImportRow.objects.filter(batch=batch, canonical_key=key, record_kind="chunk").update(is_written=True)
    imported_marks.take_in(batch=batch, words=fallen, marks=False, at=at)
    return facts


def _store_of(batch: ImportBatch, row: ImportRow) -> str:
    return store_name(one_line(_record(row).store))[:200] or batch.label


def _held_stores(batch: ImportBatch, names: Iterable[str], *, at: datetime) -> dict[str, ChunkStore]:
    """The stores by name, made where they are missing, and held: all in one order before any of their documents."""
    workspace_id = batch.project.workspace_id
    held: dict[str, ChunkStore] = {}
    for name in sorted(names):
        made, _ = ChunkStore.objects.get_or_create(workspace_id=workspace_id, name=name, defaults={"created_at": at})
        held[name] = ChunkStore.objects.select_for_update(no_key=True).get(pk=made.pk)
    return held


def _documents(batch: ImportBatch, rows: Iterable[ImportRow]) -> Mapping[str, list[ImportRow]]:
    """All rows of the batch that belong to the documents of these, by document, in their order."""
    keys = list(dict.fromkeys(row.canonical_key for row in rows))
    found: dict[str, list[ImportRow]] = defaultdict(list)
    for start in range(0, len(keys), _BATCH):
        of_part = ImportRow.objects.filter(
            batch=batch, canonical_key__in=keys[start : start + _BATCH], record_kind="chunk"
        )
        for row in of_part.exclude(action=RowAction.ERROR).order_by("position"):
            found[row.canonical_key].append(row)
    return found


def _record(row: ImportRow) -> ChunkRecord:
    record = record_of(row)
    assert isinstance(record, ChunkRecord)  # noqa: S101
    assert row.canonical_key == document_key(record.store, record.source)  # noqa: S101
    return record


def _take_in(
    store: ChunkStore,
    path: str,
    records: Sequence[ChunkRecord],
    fallen: dict[int, FileWord],
    *,
    by: User,
    at: datetime,
) -> list[ChangeFacts]:
    passages = [Passage(record.content, record.start_line, record.end_line) for record in records]
    whole = "\n".join(record.content for record in records)
    _, facts = chunks.take_in(
        store=store,
        path=path,
        content=Content(passages, hash_of(whole), len(whole.encode("utf-8", "replace"))),
        about=_about(records),
        by=by,
        at=at,
    )
    fallen |= _add_what_only_a_store_says(store, path_of(path), records, at=at)
    return facts


def _about(records: Sequence[ChunkRecord]) -> About:
    """What the passages say of their document, the first one that says it."""

    def first(name: str) -> str:
        return next((value for record in records if (value := getattr(record, name))), "")

    return About(
        title=first("source_title"),
        doi=first("source_doi"),
        url=first("source_url"),
        version=first("source_version"),
        rights=first("rights"),
    )


def _add_what_only_a_store_says(
    store: ChunkStore, path: str, records: Sequence[ChunkRecord], *, at: datetime
) -> dict[int, FileWord]:
    """The hash of each passage's vector, and the retraction that the store has marked, but for passages of works of
    which an editor decided that they hold, and for what was there before and is hidden from whoever gave it. Gives
    what the store says of works that way."""
    times: Counter[str] = Counter()
    told: dict[tuple[str, int], ChunkRecord] = {}
    for record in records:
        times[record.content_hash] += 1
        told[record.content_hash, times[record.content_hash]] = record
    rows = list(Chunk.objects.filter(store=store, path_key=hash_of(path)))
    fallen: dict[int, FileWord] = {}
    if any(record.retracted for record in records):
        overruled = imported_marks.overruled(row.source_id for row in rows if row.source_id is not None)
    else:
        overruled = set()
    changed = []
    hidden = hidden_keys(Chunk, {row.pk for row in rows if row.indexed_at != at})
    for row in rows:
        if row.pk in hidden:
            continue
        mine = told.get((row.content_hash, row.ordinal))
        if mine is not None and mine.retracted and row.source_id is not None:
            fallen.setdefault(row.source_id, FileWord(Nature.RETRACTED, mine.retraction_note))
            if row.source_id in overruled:
                mine = replace(mine, retracted=False, retraction_note="")
        values = {name: value for name in _EXTRA if mine is not None and (value := getattr(mine, name))}
        if any(getattr(row, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(row, name, value)
            changed.append(row)
    update_rows(changed, _EXTRA)
    return fallen
