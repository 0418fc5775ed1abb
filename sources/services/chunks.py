"""Taking documents into stores: what is new is added, what changed is replaced, what vanished leaves a tombstone."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from lineage.services import deletion
from lineage.services.in_turn import wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import insert_rows, update_rows
from provenance_site.kit.text import counted
from sources import permissions
from sources.core import chunking
from sources.core.chunking import Passage as Key
from sources.core.chunking import hash_of, store_name
from sources.core.decoding import NotText, decode
from sources.core.lines import one_line
from sources.core.passages import Passage, passages_of
from sources.models import Chunk, ChunkStore, Source
from sources.queries.readable import hidden_keys
from sources.services import chunk_lineage
from sources.services.chunk_descriptions import (
    About,
    Content,
    IngestRefused,
    completed,
    describe,
    path_of,
    source_of,
    told_of,
)

__all__ = [
    "CHANGE_KIND",
    "About",
    "Content",
    "IngestRefused",
    "Ingested",
    "ingest",
    "ingest_file",
    "remove_document",
    "take_in",
]

CHANGE_KIND = "chunks.ingest"
_CHUNK = Chunk._meta.label_lower
_BATCH = 500
_ABOUT = ("source_url", "source_doi", "source_title", "source_version", "rights")
_WRITTEN = (
    "content", "content_hash", "ordinal", "start_line", "end_line", "indexed_at", *_ABOUT, "retracted",
    "retraction_note", "embedding_hash", "embedding_dimension", "source", "version", "entity",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest did to the passages of one document. `described`: those whose metadata alone changed."""

    store: ChunkStore
    path: str
    source: Source | None
    unchanged: int
    added: int
    replaced: int
    removed: int
    described: int

    @property
    def warning(self) -> str:
        """A sentence where passages that others may have cached are old now, else ''."""
        stale = self.replaced + self.removed
        if not stale:
            return ""
        return (
            f"Cached chunks of {self.path} are stale: {counted(stale, 'passage')} changed or vanished since it was "
            "last taken in. Whoever keeps a copy must fetch them again."
        )


def ingest_file(
    *, workspace_id: int, store: str, name: str, data: bytes, about: About, by: User, channel: Channel, at: datetime
) -> Ingested:
    """Takes a text, Markdown or code file into a store, cut by the rule of `sources.core.passages`.

    `name` is its path or address; the title is the stem of its name unless `about` has one. Raises `IngestRefused`;
    twice changes nothing.
    """
    permissions.check_can_curate(by, workspace_id)
    if len(data) > settings.IMPORT_MAX_BYTES:
        raise IngestRefused(
            f"The file has {len(data):,} bytes, more than the {settings.IMPORT_MAX_BYTES:,} that are taken. Split it.",
            field="file",
        )
    try:
        passages = passages_of(decode(data), name=name)
    except NotText as refused:
        raise IngestRefused(str(refused), field="file") from None
    if not passages:
        raise IngestRefused("The file holds no text, so there is nothing to take in.", field="file")
    content = Content(passages, hashlib.sha256(data).hexdigest(), len(data))
    return ingest(
        workspace_id=workspace_id, store=store, path=name, content=content, about=about, by=by, channel=channel, at=at
    )


def ingest(
    *,
    workspace_id: int,
    store: str,
    path: str,
    content: Content,
    about: About,
    by: User,
    channel: Channel,
    at: datetime,
) -> Ingested:
    """Makes the passages of one document in a store those of `content`, in one ChangeSet; the store is made if needed.

    A passage of the same content is skipped (its lines, and what `about` says, are brought up to date); a changed one
    takes the place of an old one with a new `indexed_at`; a vanished one is removed. A DOI or address makes the source
    known to the registry, and what was taken in is a version of it. Twice changes nothing. Raises `IngestRefused`.
    """
    permissions.check_can_curate(by, workspace_id)
    path, told = path_of(path), told_of(about, path=path)
    name = store_name(one_line(store))
    if not 0 < len(name) <= 200:
        raise IngestRefused("A store's name has 1 to 200 characters.", field="store")
    wanted = _numbered(path, content.passages)
    with transaction.atomic():
        holder, _ = ChunkStore.objects.get_or_create(workspace_id=workspace_id, name=name, defaults={"created_at": at})
        # Locked, so that two people cannot take in one document at once.
        holder = ChunkStore.objects.select_for_update(no_key=True).get(pk=holder.pk)
        done, facts = _write(store=holder, path=path, content=content, wanted=wanted, told=told, by=by, at=at)
        if facts:
            changes.record(
                workspace_id=workspace_id,
                kind=CHANGE_KIND,
                actor=by,
                channel=channel,
                note=f"{path} in {holder.name}"[:200],
                at=at,
                changes=facts,
            )
    return done


def take_in(
    *, store: ChunkStore, path: str, content: Content, about: About, by: User | None, at: datetime
) -> tuple[Ingested, list[ChangeFacts]]:
    """`ingest` into a store that the caller has locked, for a deed of the caller's own, which the facts belong to."""
    path = path_of(path)
    wanted = _numbered(path, content.passages)
    return _write(store=store, path=path, content=content, wanted=wanted, told=told_of(about, path=path), by=by, at=at)


def remove_document(*, store: ChunkStore, path: str, by: User, channel: Channel, at: datetime) -> int:
    """Removes all passages of a document from a store; gives how many. Their lineage is tombstoned."""
    nothing = Content((), hash_of(""), 0)
    done = ingest(
        workspace_id=store.workspace_id, store=store.name, path=path, content=nothing, about=About(),
        by=by, channel=channel, at=at,
    )  # fmt: skip
    return done.removed


def _write(
    *,
    store: ChunkStore,
    path: str,
    content: Content,
    wanted: dict[Key, Passage],
    told: About,
    by: User | None,
    at: datetime,
) -> tuple[Ingested, list[ChangeFacts]]:
    rows = {
        _key(path, row.content_hash, row.ordinal): row
        for row in Chunk.objects.select_related("entity")
        .filter(store=store, path_key=hash_of(path))
        .order_by("start_line", "pk")
    }
    hidden = hidden_keys(Chunk, {row.pk for row in rows.values()})
    # Passages that the person may not read stay as they are; to them the same passage is one that was added.
    there = wanted.keys() & {key for key, row in rows.items() if row.pk in hidden}
    wanted = {key: passage for key, passage in wanted.items() if key not in there}
    rows = {key: row for key, row in rows.items() if row.pk not in hidden}
    before = {key: _facts(row) for key, row in rows.items()}
    told = completed(told, path=path, rows=rows.values())
    plan = chunking.ingest(rows, wanted, sources=[path])
    _refuse_held(rows[key] for key in plan.removed)
    if (told.doi or told.url) and any(rows[key].source_id is None for key in plan.unchanged):
        # They come to rest on a source that becomes known only now: before nodes are held.
        wait_for_turn(workspace_id=store.workspace_id)
    source, version = source_of(workspace_id=store.workspace_id, told=told, path=path, content=content, at=at)
    for key in plan.unchanged:
        describe(rows[key], wanted[key], told=told, source=source, version=version)
    described = [key for key in plan.unchanged if _facts(rows[key]) != before[key]]
    fresh = {key: Chunk(store=store, path=path, path_key=hash_of(path)) for key in plan.added}
    fresh |= {new: rows[old] for old, new in plan.replaced}
    instead_of = {new: rows[old].entity for old, new in plan.replaced}
    for key, row in fresh.items():
        row.content, (row.content_hash, row.ordinal) = wanted[key].content, _unkeyed(key)
        row.indexed_at, row.embedding_hash, row.embedding_dimension, row.version = at, "", None, None
        describe(row, wanted[key], told=told, source=source, version=version)
    origin = chunk_lineage.Origin(store=store, path=path, sha256=content.sha256, version=version)
    olds = [instead_of.get(key) for key in fresh]
    chunk_lineage.write(rows=list(fresh.values()), origin=origin, instead_of=olds, at=at)
    # A source that became known only now is one more thing that these rest on.
    newly = [rows[key] for key in described if rows[key].source_id != before[key]["source"]]
    chunk_lineage.join(rows=newly, origin=origin, at=at)
    chunk_lineage.bury(entities=[rows[key].entity for key in plan.removed], by=by, at=at)
    facts = [ChangeFacts(_CHUNK, rows[key].pk, before[key], {}) for key in plan.removed]
    for start in range(0, len(plan.removed), _BATCH):
        Chunk.objects.filter(pk__in=[rows[key].pk for key in plan.removed[start : start + _BATCH]]).delete()
    changed = [*(rows[key] for key in described), *(fresh[new] for _, new in plan.replaced)]
    update_rows(changed, _WRITTEN)
    insert_rows([fresh[key] for key in plan.added])
    facts += [ChangeFacts(_CHUNK, fresh[key].pk, {}, _facts(fresh[key])) for key in plan.added]
    facts += [ChangeFacts(_CHUNK, fresh[new].pk, before[old], _facts(fresh[new])) for old, new in plan.replaced]
    facts += [ChangeFacts(_CHUNK, rows[key].pk, before[key], _facts(rows[key])) for key in described]
    done = Ingested(
        store=store,
        path=path,
        source=None if source is None or hidden_keys(Source, {source.pk}) else source,
        unchanged=len(plan.unchanged),
        added=len(plan.added) + len(there),
        replaced=len(plan.replaced),
        removed=len(plan.removed),
        described=len(described),
    )
    return done, facts


def _refuse_held(rows: Iterable[Chunk]) -> None:
    try:
        deletion.check_not_held(entity_ids=[row.entity_id for row in rows if row.entity_id is not None])
    except deletion.OnHold as held:
        raise IngestRefused(str(held), field="path") from None


def _numbered(path: str, passages: Sequence[Passage]) -> dict[Key, Passage]:
    """Passages by path, hash and place among the equal ones: a text that is repeated is two chunks."""
    times: Counter[str] = Counter()
    found: dict[Key, Passage] = {}
    for passage in passages:
        if "\x00" in passage.content:
            raise IngestRefused(f"Line {passage.start_line} holds a NUL character; take it out.", field="file")
        content_hash = hash_of(passage.content)
        times[content_hash] += 1
        found[_key(path, content_hash, times[content_hash])] = passage
    return found


def _key(path: str, content_hash: str, ordinal: int) -> Key:
    return Key(path, f"{content_hash}.{ordinal}")


def _unkeyed(key: Key) -> tuple[str, int]:
    content_hash, _, ordinal = key.content_hash.partition(".")
    return content_hash, int(ordinal)


def _facts(row: Chunk) -> dict[str, object]:
    """The row as history keeps it: without its content, which its hash names."""
    return {
        "path": row.path,
        "content_hash": row.content_hash,
        "start_line": row.start_line,
        "end_line": row.end_line,
        "indexed_at": row.indexed_at,
        **{field: getattr(row, field) for field in _ABOUT},
        "retracted": row.retracted,
        "source": row.source_id,
        "version": row.version_id,
    }
