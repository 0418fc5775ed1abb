"""Reads of stores: their documents, the chunks of one, and the provenance that must travel with a chunk."""

from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet

from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.payload import Provenance
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.models import Chunk, ChunkStore, RetractionStanding, Source
from sources.queries.parts import fallen_wholes
from sources.queries.readable import readable, readable_at
from sources.queries.retraction_evidence import evidence_of, holding, statuses_of


def stores_of(workspace_id: int) -> QuerySet[ChunkStore]:
    """The workspace's stores by name, with `chunk_count` and `document_count`."""
    return (
        ChunkStore.objects.filter(workspace_id=workspace_id)
        .annotate(
            chunk_count=Count("chunks", filter=readable_at(Chunk, "chunks__")),
            document_count=Count("chunks__path_key", distinct=True, filter=readable_at(Chunk, "chunks__")),
        )
        .order_by("name")
    )


def documents_of(store: ChunkStore, *, words: str = "") -> QuerySet[Any, Any]:
    """The store's documents, by path: dicts with path, path_key, title, chunks, retracted (how many of the chunks) and
    indexed_at. `words` (at most ten) must all stand in the path, the title or the DOI."""
    rows = readable(Chunk.objects.all()).filter(store=store)
    for word in words.split()[:10]:
        rows = rows.filter(Q(path__icontains=word) | Q(source_title__icontains=word) | Q(source_doi__icontains=word))
    return (
        rows.order_by()
        .values("path_key")
        .annotate(
            path=Min("path"),
            title=Max("source_title"),
            chunks=Count("pk"),
            retracted=Count("pk", filter=Q(retracted=True) | Q(source__retracted=True)),
            indexed_at=Max("indexed_at"),
        )
        .order_by("path", "path_key")
    )


def documents_on(source: Source) -> QuerySet[Any, Any]:
    """The stored documents that are this source: dicts with store, store__name, path_key, path and chunks."""
    return (
        readable(Chunk.objects.all())
        .filter(source=source)
        .order_by()
        .values("store", "store__name", "path_key")
        .annotate(path=Min("path"), chunks=Count("pk"))
        .order_by("store__name", "path", "path_key")
    )


def chunks_of(store: ChunkStore, *, path_key: str) -> QuerySet[Chunk]:
    """The chunks of one document in its order, with source and version."""
    return (
        readable(Chunk.objects.all())
        .filter(store=store, path_key=path_key)
        .select_related("source", "version", "entity", "store")
        .order_by("start_line", "pk")
    )


def provenance_of(chunk: Chunk) -> Provenance:
    """What is known of a chunk: what the store says, and what the registry knows of its source by now.

    Needs `store`, `source`, `version` and `entity` loaded. `status` is '' where no provider ever answered and nobody
    decided.
    """
    source, version = chunk.source, chunk.version
    told = statuses_of({source.pk: source.retracted})[source.pk] if source is not None else RetractionStatus.UNKNOWN
    standing = readable(RetractionStanding.objects.all()).filter(source=source).first() if source is not None else None
    retracted = chunk.retracted or (source is not None and source.retracted)
    note = source.retraction_note if source is not None and source.retracted else chunk.retraction_note
    return Provenance(
        store=chunk.store.name,
        source=chunk.path,
        content_hash=chunk.content_hash,
        identities=_identities(chunk),
        title=chunk.source_title or (source.title if source else ""),
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        indexed_at=chunk.indexed_at.isoformat(),
        published_date=source.published_date if source else "",
        fetched_at=version.fetched_at.isoformat() if version else "",
        version=chunk.source_version or (version.sha256 if version else ""),
        rights=chunk.rights or (source.rights if source else ""),
        status=_status_word(told, retracted=retracted),
        expression_of_concern=told is RetractionStatus.CONCERN,
        status_at=standing.as_of.isoformat() if standing is not None and standing.as_of else "",
        retracted=retracted,
        retraction_note=note if retracted else "",
        status_from=_status_from(source, told=told, retracted=retracted),
        entity=chunk.entity.ref if chunk.entity else "",
    )


def _status_word(told: RetractionStatus, *, retracted: bool) -> str:
    """A store's own mark says no more than that; UNKNOWN is '': never looked up is not the same as none."""
    if retracted and not told.is_retracted:
        return RetractionStatus.RETRACTED.value
    return "" if told is RetractionStatus.UNKNOWN else told.value


def _status_from(source: Source | None, *, told: RetractionStatus, retracted: bool) -> tuple[str, ...]:
    """Who says so: a person where one decided, else the providers that say anything, else whoever set the mark."""
    if source is None or told is RetractionStatus.UNKNOWN:
        return ("the store",) if retracted else ()
    if told is RetractionStatus.AFFECTED:
        return tuple(f"the retraction of {whole}" for whole in fallen_wholes([source.pk])[source.pk])
    if source.pk not in holding([source.pk]):
        rows = evidence_of([source])[source.pk][1]
        if rows:
            return tuple(dict.fromkeys(row.as_provider.label for row in rows))
    return ("a person of this desk",) if source.retracted or not retracted else ("the store",)


def _identities(chunk: Chunk) -> tuple[Identity, ...]:
    """Every identifier of the chunk and of its source, each once, the source's first."""
    found: dict[str, Identity] = {}
    source = chunk.source
    if source is not None and source.identifier_type != IdentifierType.NONE:
        own = Identity(IdentifierType(source.identifier_type), source.identifier_value, source.request_url)
        found[own.key] = own
    for named in (chunk.source_doi, chunk.source_url):
        try:
            told = identify(named) if named else None
        except (BadIdentifier, UnusableUrl):
            continue
        if told is not None:
            found.setdefault(told.key, told)
    return tuple(found.values())
