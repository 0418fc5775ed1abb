"""What a merge does to retractions: what people decided and meant comes along, marks and evidence become one work's.

What providers said needs no moving: it is of identifiers, and those lead to the source that stays.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from provenance_site.kit.rows import in_parts
from sources.core.kinds import ReviewReason
from sources.models import (
    RetractionAcknowledgement,
    RetractionDecision,
    RetractionHint,
    RetractionStanding,
    ReviewItem,
    Source,
    SourcePart,
)
from sources.queries.retraction_evidence import holding
from sources.services import chunk_marks, retraction_standings
from sources.services.chunk_marks import Mark
from sources.services.merge_cases import Case
from sources.services.merge_rows import Row, whole


def rows_to_move(into: Mapping[int, int], *, at: datetime) -> list[Row]:
    """The decisions and acknowledgements that go to the sources that stay; `into` as in `merge_plan.rows_to_move`.

    Where the one that stays has a decision of its own it holds, and those of the others stay where they were made. If
    they say otherwise, it is to be affirmed, and a person is asked.
    """
    held = holding({*into, *into.values()})
    own = {pk: held[pk] for pk in set(into.values()) if pk in held}
    rows: list[Row] = []
    for part in in_parts(sorted(pk for pk, stays in into.items() if stays not in own)):
        decided = RetractionDecision.objects.filter(source__in=part).order_by("pk").values_list("pk", "source_id")
        rows += [
            Row(RetractionDecision, pk, {"source_id": merged}, {"source_id": into[merged]}, merged)
            for pk, merged in decided
        ]
    dissent: dict[int, int] = {}
    for merged, stays in sorted(into.items()):
        if stays in own and merged in held and held[merged].as_status is not own[stays].as_status:
            dissent.setdefault(stays, merged)
    return [
        *rows,
        *_affirm(own, dissent),
        *_asked(own, dissent, into, at=at),
        *_meant(into, at=at),
        *_hinted(into),
        *_parts(into),
    ]


def join(cases: Sequence[Case], *, before: Mapping[int, Mark], at: datetime) -> None:
    """Has passages carry the mark of the source that stays, and it follow what is said of any of its identifiers.

    After the rows have moved and the sources are written; `before` has the marks of those that stay, as they were.
    """
    marks: dict[int, set[Mark]] = {
        case.kept.pk: {before[case.kept.pk], *((one.retracted, one.retraction_note) for one in case.going)}
        for case in cases
    }
    chunk_marks.follow_any(earlier=marks)
    spoken = _spoken_of([pk for case in cases for pk in case.wanted.everyone])
    follows = [case.kept.pk for case in cases if spoken.intersection(case.wanted.everyone)]
    retraction_standings.follow(source_ids=follows, at=at)


def part(kept_of: Mapping[int, int], *, before: Mapping[int, Mark], at: datetime) -> None:
    """Gives each of the parted sources (`kept_of` leads from those that went to those that stayed) its own again.

    After rows and sources are put back; `before` has the marks of those that stayed, as they were until then. A
    decision is stale only if it is on its own evidence.
    """
    marks: dict[int, set[Mark]] = defaultdict(set)
    for merged, kept in kept_of.items():
        marks[merged].add(before[kept])
        marks[kept].add(before[kept])
    chunk_marks.follow_any(earlier=marks)
    retraction_standings.follow(source_ids=_spoken_of(marks), at=at)
    retraction_standings.settle(source_ids=list(marks), at=at)


def marks_of(sources: Sequence[Source]) -> dict[int, Mark]:
    """The marks of these sources as their rows say them now."""
    return {source.pk: (source.retracted, source.retraction_note) for source in sources}


def _spoken_of(source_ids: Collection[int]) -> set[int]:
    """Those that anybody has asked or said something about."""
    found: set[int] = set()
    for some in in_parts(sorted(source_ids)):
        found.update(RetractionStanding.objects.filter(source__in=some).values_list("source_id", flat=True))
    return found


def _affirm(own: Mapping[int, RetractionDecision], dissent: Mapping[int, int]) -> list[Row]:
    return [
        Row(RetractionDecision, own[stays].pk, {"is_stale": False}, {"is_stale": True}, merged)
        for stays, merged in dissent.items()
        if not own[stays].is_stale
    ]


def _asked(
    own: Mapping[int, RetractionDecision], dissent: Mapping[int, int], into: Mapping[int, int], *, at: datetime
) -> list[Row]:
    """What was asked about one that goes is asked about the one that stays, unless somebody decided about that."""
    asked: set[int] = set()
    for some in in_parts(sorted({*into, *into.values()})):
        rows = ReviewItem.objects.filter(source__in=some, reason=ReviewReason.RETRACTION, closed_at__isnull=True)
        asked.update(rows.values_list("source_id", flat=True))
    wanted = dict(dissent)
    for merged, stays in sorted(into.items()):
        if merged in asked and stays not in own:
            wanted.setdefault(stays, merged)
    return [
        Row(
            ReviewItem,
            None,
            {},
            whole(ReviewItem(source_id=stays, reason=ReviewReason.RETRACTION, opened_at=at)),
            merged,
        )
        for stays, merged in wanted.items()
        if stays not in asked
    ]


def _hinted(into: Mapping[int, int]) -> list[Row]:
    """What people were asked to look at is looked at on what stays."""
    told: list[RetractionHint] = []
    for some in in_parts(sorted({*into, *into.values()})):
        told += RetractionHint.objects.filter(source__in=some).order_by("pk")
    there = {(row.source_id, row.kind, row.provider, row.record_id) for row in told if row.source_id not in into}
    rows: list[Row] = []
    for row in told:
        merged = row.source_id
        if merged in into and (place := (into[merged], row.kind, row.provider, row.record_id)) not in there:
            there.add(place)
            rows.append(Row(RetractionHint, row.pk, {"source_id": merged}, {"source_id": into[merged]}, merged))
    return rows


def _parts(into: Mapping[int, int]) -> list[Row]:
    """What is a part, or has parts, is so in the place of the one that goes; told twice or of itself it is dropped."""
    told: dict[int, SourcePart] = {}
    for some in in_parts(sorted({*into, *into.values()})):
        near = SourcePart.objects.filter(part__in=some) | SourcePart.objects.filter(whole__in=some)
        told |= {row.pk: row for row in near}
    moves = {pk: (into.get(row.part_id, row.part_id), into.get(row.whole_id, row.whole_id)) for pk, row in told.items()}
    taken = {(row.part_id, row.whole_id) for pk, row in told.items() if moves[pk] == (row.part_id, row.whole_id)}
    rows: list[Row] = []
    for pk, row in sorted(told.items()):
        part_id, whole_id = place = moves[pk]
        before = (row.part_id, row.whole_id)
        if place == before:
            continue
        merged = row.part_id if row.part_id in into else row.whole_id
        if place in taken or part_id == whole_id:
            rows.append(Row(SourcePart, pk, whole(row), {}, merged))
            continue
        taken.add(place)
        columns = ("part_id", "whole_id")
        rows.append(
            Row(SourcePart, pk, dict(zip(columns, before, strict=True)), dict(zip(columns, place, strict=True)), merged)
        )
    return rows


def _meant(into: Mapping[int, int], *, at: datetime) -> list[Row]:
    """Uses move, and what was said of them with them; said twice of one use, the word about what stays holds."""
    meant: list[RetractionAcknowledgement] = []
    for part_of in in_parts(sorted({*into, *into.values()})):
        rows = RetractionAcknowledgement.objects.filter(source__in=part_of, withdrawn_at__isnull=True)
        meant += rows.order_by("pk")
    said = {(row.source_id, row.use_kind, row.use_id) for row in meant if row.source_id not in into}
    moved: list[Row] = []
    for row in meant:
        merged = row.source_id
        if merged not in into:
            continue
        use = (into[merged], row.use_kind, row.use_id)
        if use in said:
            before, after = {"withdrawn_at": None}, {"withdrawn_at": at.isoformat()}
            moved.append(Row(RetractionAcknowledgement, row.pk, before, after, merged))
        else:
            said.add(use)
            moved.append(
                Row(RetractionAcknowledgement, row.pk, {"source_id": merged}, {"source_id": into[merged]}, merged)
            )
    return moved
