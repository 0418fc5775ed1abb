"""What a source's own page shows beside the evidence: versions, observations, chunks, edits."""

from dataclasses import dataclass

from django.db.models import Count, Max, Q, QuerySet

from provenance_site.changes.models import Change
from provenance_site.changes.queries import changes_of
from sources.models import Chunk, ObservationSource, Source, SourceVersion
from sources.queries.readable import readable


@dataclass(frozen=True, slots=True)
class StoreChunks:
    """How many passages of a store are of the source, and when the newest was indexed."""

    store_id: int
    store: str
    number: int
    indexed_at: object
    retracted: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """How much there is behind each part of the page."""

    versions: int
    observations: int
    chunks: int
    edits: int


def numbers_of(source: Source) -> Numbers:
    """Four counts, each from an index on the source."""
    return Numbers(
        versions=readable(SourceVersion.objects.all()).filter(source=source).count(),
        observations=readable(ObservationSource.objects.all())
        .filter(source=source)
        .values("observation_id")
        .distinct()
        .count(),
        chunks=readable(Chunk.objects.all()).filter(source=source).count(),
        edits=edits_of(source).count(),
    )


def versions_of(source: Source) -> QuerySet[SourceVersion]:
    """Every state that was fetched or imported, newest first."""
    return readable(SourceVersion.objects.all()).filter(source=source).order_by("-fetched_at", "-pk")


def observations_of(source: Source) -> QuerySet[ObservationSource]:
    """What observations say that rests on the source, newest first, with observation and project."""
    links = readable(ObservationSource.objects.all()).filter(source=source).select_related("observation__project")
    return links.order_by("-observation__created_at", "observation_id", "relationship")


def chunks_by_store(source: Source) -> list[StoreChunks]:
    """The stores that hold passages of the source. One query."""
    rows = (
        readable(Chunk.objects.all())
        .filter(source=source)
        .values_list("store_id", "store__name")
        .annotate(number=Count("pk"), newest=Max("indexed_at"), marked=Count("pk", filter=Q(retracted=True)))
        .order_by("store__name")
    )
    return [StoreChunks(*row) for row in rows]


def edits_of(source: Source) -> QuerySet[Change]:
    """The changes of the source by people, newest first, with their deeds."""
    return readable(changes_of(workspace_id=source.workspace_id, model=Source._meta.label_lower, object_id=source.pk))
