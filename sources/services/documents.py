"""Documents that a session or a store names, as sources of the registry: by identifier, by place, else by title."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Label
from sources.core.chunking import hash_of, store_name
from sources.core.records import Identity
from sources.models import Chunk, Source, TurnSource
from sources.queries import known
from sources.services import registry

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Document:
    """One document: what it is called, what identifies it (may be of the type `none`), and its path in a store."""

    title: str
    identity: Identity
    store: str = ""
    path: str = ""


def register(*, workspace_id: int, documents: Iterable[Document], at: datetime) -> dict[Document, Source]:
    """The source of each document, made where there is none; must run inside the caller's transaction. Idempotent.

    An identifier decides. Without one, the source is the one that the same path of the same store is known as (its
    chunks know it, or an earlier turn does); a title alone never joins two documents. A source that was merged into
    another stands for that one.
    """
    wanted = list(dict.fromkeys(documents))
    identified = [one for one in wanted if one.identity.key]
    by_key = registry.register_many(
        workspace_id=workspace_id,
        sources=[registry.NewSource(identity=one.identity, title=one.title) for one in reversed(identified)],
        at=at,
    ).by_key
    found = {one: by_key[one.identity.key] for one in identified}
    nameless = [one for one in wanted if one not in found]
    places = _places(workspace_id=workspace_id, documents=nameless)
    fresh: dict[tuple[str, str] | Document, list[Document]] = {}
    for one in nameless:
        place = _place(one)
        if place in places:
            found[one] = places[place]
        else:
            fresh.setdefault(place if one.path else one, []).append(one)
    made = _insert(workspace_id=workspace_id, titles=[same[0].title for same in fresh.values()], at=at)
    for same, source in zip(fresh.values(), made, strict=True):
        found |= dict.fromkeys(same, source)
    return found


def _place(document: Document) -> tuple[str, str]:
    return store_name(document.store), document.path


def _places(*, workspace_id: int, documents: Sequence[Document]) -> dict[tuple[str, str], Source]:
    """What paths of stores are known as; what a chunk says comes before what a turn said."""
    paths = sorted({one.path for one in documents if one.path})
    wanted = {_place(one) for one in documents if one.path}
    found: dict[tuple[str, str], Source] = {}
    for start in range(0, len(paths), _BATCH):
        part = paths[start : start + _BATCH]
        turns = (
            TurnSource.objects.filter(
                turn__session__project__workspace_id=workspace_id, path__in=part, source__isnull=False
            )
            .select_related("source__entity")
            .order_by("-pk")
        )
        chunks = (
            Chunk.objects.filter(
                store__workspace_id=workspace_id, path_key__in=[hash_of(path) for path in part], source__isnull=False
            )
            .select_related("store", "source__entity")
            .only("path", "store__name", "source")
            .order_by("-pk")
        )
        told = [(store_name(row.store), row.path, row.source) for row in turns]
        told += [(store_name(row.store.name), row.path, row.source) for row in chunks]
        for store, path, source in told:
            if source is not None and (store, path) in wanted:
                found[(store, path)] = source
    return known.standing_for(found)


def _insert(*, workspace_id: int, titles: Sequence[str], at: datetime) -> list[Source]:
    rows = [Source(workspace_id=workspace_id, title=title, first_seen_at=at) for title in titles]
    facts = [
        capture.EntityFacts(
            ref=refs.make(EntityType.SOURCE, str(row.uuid), "v1"),
            source_time=at,
            authority=row.authority,
            classification=Label(row.classification),
            metadata={"identifier": "none"},
        )
        for row in rows
    ]
    entities = capture.record_entities(workspace_id=workspace_id, entities=facts, at=at)
    for row, fact in zip(rows, facts, strict=True):
        row.entity = entities[str(fact.ref)]
    return Source.objects.bulk_create(rows, batch_size=_BATCH)
