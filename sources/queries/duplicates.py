"""Which sources may be one work: open pairs, joined to groups."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from provenance_site.kit.rows import in_parts
from sources.core.kinds import PairReason, PairState
from sources.models import CatalogEntry, Chunk, Citation, DuplicatePair, ObservationSource
from sources.queries.readable import readable


@dataclass(frozen=True, slots=True)
class Group:
    """Sources that open pairs connect, in the order of their keys, and the reasons of those pairs.

    `told_apart` are pairs of them that a person called distinct, which came together again through a third.
    """

    source_ids: tuple[int, ...]
    reasons: tuple[PairReason, ...]
    told_apart: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Uses:
    """How many places hold a source."""

    entries: int = 0
    citations: int = 0
    observations: int = 0
    chunks: int = 0


def pairs_of(*, workspace_id: int) -> QuerySet[DuplicatePair]:
    """The pairs of sources that both still stand."""
    return readable(DuplicatePair.objects.all()).filter(
        workspace_id=workspace_id, first__merged_into__isnull=True, second__merged_into__isnull=True
    )


def open_count(*, workspace_id: int) -> int:
    """How many pairs wait for a person. One query."""
    return pairs_of(workspace_id=workspace_id).filter(state=PairState.OPEN).count()


@dataclass(frozen=True, slots=True)
class Board:
    """The workspace's open pairs and those that people told apart."""

    rows: Sequence[tuple[int, int, str]]
    apart: frozenset[tuple[int, int]]

    def groups(self, reason: PairReason | None = None) -> list[Group]:
        """The groups, the one with the oldest source first; with `reason` only by pairs of that reason."""
        rows = [row for row in self.rows if reason is None or row[2] == reason]
        return _grouped(rows, apart=self.apart)


def board_of(*, workspace_id: int) -> Board:
    """All pairs that still matter. Two queries: a group is known only when all pairs are; a pair is three values."""
    pairs = pairs_of(workspace_id=workspace_id)
    rows = list(pairs.filter(state=PairState.OPEN).order_by("pk").values_list("first_id", "second_id", "reason"))
    apart = pairs.filter(state=PairState.DISTINCT).values_list("first_id", "second_id") if rows else ()
    return Board(rows=rows, apart=frozenset(apart))


def told_apart_among(source_ids: Sequence[int]) -> set[tuple[int, int]]:
    """The pairs among these sources that a person called distinct, the smaller key first. One query per 500."""
    wanted = set(source_ids)
    found: set[tuple[int, int]] = set()
    for part in in_parts(sorted(wanted)):
        pairs = DuplicatePair.objects.filter(first__in=part, state=PairState.DISTINCT)
        found.update(pair for pair in pairs.values_list("first_id", "second_id") if pair[1] in wanted)
    return found


def uses_of(source_ids: Iterable[int]) -> Mapping[int, Uses]:
    """What holds each of these sources. Four queries."""
    wanted = list(source_ids)
    entries = _counted(readable(CatalogEntry.objects.all()).filter(source__in=wanted).values_list("source_id"))
    citations = _counted(
        readable(Citation.objects.all()).filter(entry__source__in=wanted).values_list("entry__source_id")
    )
    observations = _counted(
        readable(ObservationSource.objects.all()).filter(source__in=wanted).values_list("source_id")
    )
    chunks = _counted(readable(Chunk.objects.all()).filter(source__in=wanted).values_list("source_id"))
    return {
        pk: Uses(
            entries=entries.get(pk, 0),
            citations=citations.get(pk, 0),
            observations=observations.get(pk, 0),
            chunks=chunks.get(pk, 0),
        )
        for pk in wanted
    }


def _counted(rows: QuerySet[Any, Any]) -> dict[int, int]:
    return dict(rows.order_by().annotate(number=Count("pk")))


def _grouped(rows: Sequence[tuple[int, int, str]], *, apart: frozenset[tuple[int, int]]) -> list[Group]:
    leader: dict[int, int] = {}

    def lead(one: int) -> int:
        while leader.setdefault(one, one) != one:
            leader[one] = leader[leader[one]]
            one = leader[one]
        return one

    for first, second, _ in rows:
        low, high = sorted((lead(first), lead(second)))
        leader[high] = low
    members: dict[int, list[int]] = defaultdict(list)
    reasons: dict[int, set[str]] = defaultdict(set)
    for one in sorted(leader):
        members[lead(one)].append(one)
    for first, _, reason in rows:
        reasons[lead(first)].add(reason)
    inside: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for first, second in apart:
        if first in leader and second in leader and lead(first) == lead(second):
            inside[lead(first)].add((first, second))
    return [
        Group(
            source_ids=tuple(ids),
            reasons=tuple(reason for reason in PairReason if reason in reasons[low]),
            told_apart=frozenset(inside[low]),
        )
        for low, ids in sorted(members.items())
    ]
