"""Reads of observations: lists, one with all that it rests on, and the words that a terminal prints."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from sources.core.citing import ShownSource, shown
from sources.core.entries import ObservationKind, Relationship
from sources.core.kinds import IdentifierType, UseKind
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus, gravest
from sources.models import Concept, Observation, ObservationSource, Source
from sources.queries.readable import readable, readable_at
from sources.queries.retraction_evidence import meant, tell

_MOMENT = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True, slots=True)
class ObservationFilter:
    """How a list is narrowed; '' and None do not narrow it. `words` (at most ten) must all stand in the text."""

    words: str = ""
    project: UUID | None = None
    kind: str = ""
    concept: str = ""
    retracted: bool = False


def observations_of(*, workspace_id: int, by: ObservationFilter | None = None) -> QuerySet[Observation]:
    """The workspace's observations, newest first, with project. What stands beside them in lists tells `tell_of`."""
    narrowing = by or ObservationFilter()
    rows = readable(Observation.objects.all()).filter(project__workspace_id=workspace_id)
    for word in narrowing.words.split()[:10]:
        rows = rows.filter(body__icontains=word)
    if narrowing.project:
        rows = rows.filter(project__uuid=narrowing.project)
    if narrowing.kind:
        rows = rows.filter(kind=narrowing.kind)
    if narrowing.concept:
        rows = rows.filter(concepts__name__iexact=narrowing.concept)
    if narrowing.retracted:
        links = readable(ObservationSource.objects.all()).filter(observation=OuterRef("pk"))
        rows = rows.filter(Exists(links.filter(source__retracted=True)))
    return rows.select_related("project").order_by("-created_at", "-pk")


def whole(rows: QuerySet[Observation]) -> QuerySet[Observation]:
    """`rows` with project, turn, author, concepts and links with their sources; two queries more."""
    links = readable(ObservationSource.objects.all()).select_related("source").order_by("pk")
    return rows.select_related("project__workspace", "turn__session", "created_by", "entity").prefetch_related(
        Prefetch("source_links", links), Prefetch("concepts", Concept.objects.order_by("name"))
    )


def tell_of(rows: Iterable[Observation]) -> None:
    """Looks up for lists on how many sources each rests (`Observation.source_count`), the gravest that is told of them
    (`told`), and whether all such uses are meant (`is_meant`). Four queries for all rows."""
    shown_rows = list(rows)
    rests_on = readable(ObservationSource.objects.all()).filter(observation__in=shown_rows)
    links = list(rests_on.select_related("source").order_by("pk"))
    tell({link.source_id: link.source for link in links}.values())
    told = statuses_told(links)
    numbers = Counter(link.observation_id for link in links)
    acknowledged = meant(use_kind=UseKind.OBSERVATION, use_ids=[row.pk for row in shown_rows])
    for row in shown_rows:
        grave = {source_id: status for source_id, status in told[row.pk].items() if status.warns}
        row.source_count = numbers[row.pk]
        row.told = gravest(told[row.pk].values())
        row.is_meant = bool(grave) and all((source_id, row.pk) in acknowledged for source_id in grave)


def statuses_told(links: Iterable[ObservationSource]) -> dict[int, dict[int, RetractionStatus]]:
    """What is told of the sources of each observation, by the keys of observation and source. After `tell`."""
    told: dict[int, dict[int, RetractionStatus]] = defaultdict(dict)
    by_source = {link.source_id: link.source.told for link in links if link.source.told is not None}
    for link in links:
        if link.source_id in by_source:
            told[link.observation_id][link.source_id] = by_source[link.source_id]
    return told


def newest(*, workspace_id: int) -> Observation | None:
    """The observation that was written last in the workspace, None where there is none."""
    rows = readable(Observation.objects.all()).filter(project__workspace_id=workspace_id).select_related("project")
    return rows.order_by("-created_at", "-pk").first()


def concepts_of(workspace_id: int) -> QuerySet[Concept]:
    """The workspace's concepts by name, with `observation_count`."""
    # A count for each row that is shown: grouped, the observations of all concepts would be counted for each page.
    about: QuerySet[Any, Any] = Concept.observations.through.objects.filter(concept=OuterRef("pk"))
    seen = readable_at(Observation, "observation__")
    about = about if seen is None else about.filter(seen)
    number = Subquery(about.order_by().values("concept").annotate(number=Count("pk")).values("number"))
    return (
        Concept.objects.filter(workspace_id=workspace_id)
        .annotate(observation_count=Coalesce(number, 0))
        .order_by("name")
    )


def sources_matching(*, workspace_id: int, words: str, limit: int = 10) -> list[Source]:
    """Standing sources in whose title, identifier or authors every word stands, at most `limit`; [] for no word."""
    if not words.split():
        return []
    rows = readable(Source.objects.all()).standing().filter(workspace_id=workspace_id)
    for word in words.split()[:10]:
        rows = rows.filter(Q(title__icontains=word) | Q(identifier_value__icontains=word) | Q(authors__icontains=word))
    return list(rows.order_by("title", "pk")[:limit])


def identity_of(source: Source) -> Identity:
    """The identity of a source; of the type `none` where only a title is known."""
    return Identity(IdentifierType(source.identifier_type), source.identifier_value, source.request_url)


def shown_sources(links: list[ObservationSource]) -> list[ShownSource]:
    """Links as a terminal shows them, in their order. Two queries for what is told of their retraction."""
    tell(link.source for link in links)
    return [
        ShownSource(
            title=link.source.title,
            identity=identity_of(link.source),
            relationship=Relationship(link.relationship),
            retraction=link.source.told or RetractionStatus.UNKNOWN,
            retraction_note=link.source.retraction_note,
        )
        for link in links
    ]


def as_text(observation: Observation) -> str:
    """The observation as `show` prints it, its moment in UTC. Needs what `whole` loads."""
    return shown(
        number=observation.pk,
        kind=ObservationKind(observation.kind),
        created_at=observation.created_at.astimezone(UTC).strftime(_MOMENT),
        body=observation.body,
        sources=shown_sources(list(observation.source_links.all())),
    )
