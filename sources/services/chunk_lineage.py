"""Chunks in the lineage graph: each passage rests on the version of the source, or on the bytes, it was cut from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.models import Entity
from provenance_site.accounts.models import User
from sources.core.chunking import hash_of
from sources.core.passages import RULE
from sources.models import Chunk, ChunkStore, Source, SourceVersion

_GONE = frozenset({EntityState.SUPERSEDED.value, EntityState.TOMBSTONED.value})


@dataclass(frozen=True, slots=True)
class Origin:
    """What passages were cut from: bytes by their hash, which are a version of a source where one is known."""

    store: ChunkStore
    path: str
    sha256: str
    version: SourceVersion | None


def write(*, rows: Sequence[Chunk], origin: Origin, instead_of: Sequence[Entity | None], at: datetime) -> None:
    """Writes an entity for each row and sets it; the row's earlier one, at the same place of `instead_of`, is
    superseded. A passage that was there before stands again. Must run inside the caller's transaction."""
    if not rows:
        return
    workspace_id = origin.store.workspace_id
    facts = [_facts(row) for row in rows]
    entities = capture.record_entities(workspace_id=workspace_id, entities=facts, at=at)
    returned: list[int] = []
    edges: list[capture.EdgeFacts] = []
    for row, fact, old in zip(rows, facts, instead_of, strict=True):
        row.entity = entities[str(fact.ref)]
        if row.entity.state in _GONE:
            # It supersedes nothing: what took its place rests on it as its predecessor already.
            returned.append(row.entity.pk)
        elif old is not None:
            entities[old.ref] = old
            edges.append(capture.EdgeFacts(fact.ref, Relation.SUPERSEDES, old.as_ref))
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=entities, at=at)
    capture.supersede(entity_ids=[old.pk for old in instead_of if old is not None], at=at)
    capture.stand_again(entity_ids=returned)
    join(rows=rows, origin=origin, at=at)


def join(*, rows: Sequence[Chunk], origin: Origin, at: datetime) -> None:
    """Writes that the rows were cut from `origin`. Idempotent; rows without an entity are left out."""
    chunks = {row.entity.ref: row.entity for row in rows if row.entity is not None}
    if not chunks:
        return
    root = _root(origin, at=at)
    capture.record_edges(
        workspace_id=origin.store.workspace_id,
        edges=[
            capture.EdgeFacts(
                chunk.as_ref,
                Relation.CHUNKED_FROM,
                root.as_ref,
                transform_type="chunk",
                transform_implementation="sources.core.passages",
                transform_version=RULE,
            )
            for chunk in chunks.values()
        ],
        entities={**chunks, root.ref: root},
        at=at,
    )


def bury(*, entities: Iterable[Entity | None], by: User | None, at: datetime) -> None:
    """Tombstones the entities of passages that vanished."""
    capture.tombstone(
        entity_ids=[entity.pk for entity in entities if entity is not None],
        why="Its document has this passage no more.",
        by=by,
        at=at,
    )


def write_version(*, version: SourceVersion, source: Source, at: datetime) -> None:
    """Writes the entity of a version that was taken in, with its edge to the source, and keeps it in the row."""
    if source.entity is None:
        return
    ref = refs.make(EntityType.SOURCE_VERSION, str(source.uuid), version.sha256)
    entities = capture.record_entities(
        workspace_id=source.workspace_id,
        entities=[
            capture.EntityFacts(
                ref=ref,
                content_hash=version.sha256,
                source_time=at,
                authority=source.authority,
                classification=Label.PUBLIC,  # of its own: it inherits the source's
            )
        ],
        at=at,
    )
    version.entity = entities[str(ref)]
    version.save(update_fields=["entity"])
    edge = capture.EdgeFacts(ref, Relation.FETCHED_FROM, source.entity.as_ref, transform_type="ingest")
    ends = {**entities, source.entity.ref: source.entity}
    capture.record_edges(workspace_id=source.workspace_id, edges=[edge], entities=ends, at=at)


def _root(origin: Origin, *, at: datetime) -> Entity:
    if origin.version is not None and origin.version.entity is not None:
        return origin.version.entity
    ref = refs.make(EntityType.ARTIFACT, f"store/{origin.store.pk}/{hash_of(origin.path)}", origin.sha256)
    fact = capture.EntityFacts(
        ref=ref,
        content_hash=origin.sha256,
        source_time=at,
        authority="user-provided",
        metadata={"store": origin.store.name, "path": origin.path},
    )
    return capture.record_entities(workspace_id=origin.store.workspace_id, entities=[fact], at=at)[str(ref)]


def _facts(row: Chunk) -> capture.EntityFacts:
    path = f"store/{row.store_id}/{row.path_key}"
    return capture.EntityFacts(
        ref=refs.make(EntityType.CHUNK, path, f"{row.content_hash}.{row.ordinal}"),
        content_hash=row.content_hash,
        source_time=row.indexed_at,
        authority="user-provided",
        classification=Label.PUBLIC,  # of its own: it inherits what it was cut from
        metadata={"path": row.path},
    )
