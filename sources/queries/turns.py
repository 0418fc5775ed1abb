"""Reads of sessions and turns: what a turn retrieved, and what could be linked to it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from sources.core.citing import ShownSource, offered
from sources.core.entries import Relationship, Retrieval, RetrievedSource, TurnRecord
from sources.models import Observation, ObservationSource, Project, Session, Turn, TurnSource
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell


@dataclass(frozen=True, slots=True)
class Offer:
    """One document that a turn retrieved, as it would be registered and linked."""

    row: TurnSource
    shown: ShownSource

    @property
    def place(self) -> str:
        """Its path with lines, as the note has it."""
        return f"{self.row.path}:{self.row.lines}" if self.row.lines else self.row.path


def sessions_of(project: Project) -> QuerySet[Session]:
    """The project's sessions with `turn_count`, newest import first."""
    return Session.objects.filter(project=project).annotate(turn_count=Count("turns")).order_by("-imported_at", "-pk")


def turns_of(session: Session) -> QuerySet[Turn]:
    """The session's turns with their observations, in order. One query more per page."""
    return (
        Turn.objects.filter(session=session)
        .prefetch_related(Prefetch("observations", readable(Observation.objects.all())))
        .order_by("started_at", "number")
    )


def offers_of(turn_ids: Iterable[int]) -> dict[int, list[Offer]]:
    """The documents of each turn, best first, each place once; turns that name none are missing. One query."""
    rows = (
        readable(TurnSource.objects.all())
        .filter(turn__in=list(turn_ids))
        .select_related("source")
        .order_by("turn", "position")
    )
    found: dict[int, list[Offer]] = defaultdict(list)
    seen: set[tuple[int, str, str, str]] = set()
    for row in rows:
        key = (row.turn_id, row.store, row.path, row.locator)
        if key not in seen and (row.path or row.locator or row.title):
            seen.add(key)
            found[row.turn_id].append(Offer(row, offered(_retrieved(row))))
    return dict(found)


def waiting(*, project: Project) -> QuerySet[Observation]:
    """The project's observations whose turn retrieved a document that they are not linked to yet, oldest first.

    A document that was never registered counts as not linked.
    """
    linked = readable(ObservationSource.objects.all()).filter(
        observation=OuterRef(OuterRef("pk")), relationship=Relationship.RETRIEVED, source=OuterRef("source")
    )
    documents = readable(TurnSource.objects.all()).filter(turn=OuterRef("turn")).exclude(path="", locator="", title="")
    return (
        readable(Observation.objects.all())
        .filter(project=project, turn__isnull=False)
        .filter(Exists(documents.filter(Q(source__isnull=True) | ~Exists(linked))))
        .order_by("created_at", "pk")
    )


def _retrieved(row: TurnSource) -> RetrievedSource:
    return RetrievedSource(source=row.path, lines=row.lines, title=row.title, locator=row.locator, score=row.score)


def record_of(turn: Turn) -> TurnRecord:
    """The turn as a session tells it: its retrievals in their order, each with its documents. Three queries."""
    found = readable(TurnSource.objects.all()).filter(turn=turn).select_related("source").order_by("position")
    rows = list(found)
    tell(row.source for row in rows)
    retrievals = []
    for (store, number, top), of_one in groupby(rows, key=lambda row: (row.store, row.chunk_count, row.top_score)):
        documents = tuple(
            RetrievedSource(source=row.path, lines=row.lines, title=_marked(row), locator=row.locator, score=row.score)
            for row in of_one
            if row.path or row.title or row.locator
        )
        retrievals.append(Retrieval(store=store, chunk_count=number, top_score=top, sources=documents))
    return TurnRecord(
        line=0,
        session=turn.session.name,
        number=turn.number,
        user=turn.user,
        started_at=f"{turn.started_at:%Y-%m-%d %H:%M:%S}",
        retrievals=tuple(retrievals),
    )


def _marked(row: TurnSource) -> str:
    """The title; of a work that warns with the word before it, since the form of a note has no other place."""
    title = row.title or (row.source.title if row.source else "")
    told = row.source.told if row.source is not None else None
    return f"{told.label}: {title}" if told is not None and told.warns and title else title
