"""The measures of the lineage, over JSON."""

from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from lineage.api.asking import asker_for
from lineage.core.measures import Measure
from lineage.queries import measures
from provenance_site.accounts.token_requests import Problem

router = Router(tags=["lineage"])


class FigureOut(Schema):
    """A measure: `part` of `whole`; `share` is null where there is nothing to measure."""

    measure: Measure
    title: str
    definition: str
    part: int
    whole: int
    share: float | None
    median_seconds: float | None
    high_is_good: bool


class BehindIn(Schema):
    """Which page of the list."""

    offset: int = Field(0, ge=0, le=10_000_000)
    limit: int = Field(100, ge=1, le=500)


class BehindOut(Schema):
    """The nodes behind a figure, oldest first; `next_offset` is null on the last page."""

    listed: str
    total: int
    refs: list[str]
    next_offset: int | None


@router.get(
    "/lineage/measures", response={200: list[FigureOut], 404: Problem}, summary="How far the lineage can be leaned on"
)
def read_measures(request: HttpRequest) -> Status[Any]:
    """Every measure with its definition, of what you may see."""
    found = measures.figures(asker=asker_for(request))
    return Status(
        200,
        [
            FigureOut(
                measure=one.measure,
                title=one.measure.label,
                definition=one.measure.definition,
                part=one.part,
                whole=one.whole,
                share=one.share,
                median_seconds=one.seconds,
                high_is_good=one.measure.high_is_good,
            )
            for one in found
        ],
    )


@router.get("/lineage/measures/{measure}", response={200: BehindOut, 404: Problem}, summary="The nodes behind a figure")
def read_behind(request: HttpRequest, measure: Measure, given: Query[BehindIn]) -> Status[Any]:
    """The nodes that lack what a figure measures."""
    rows = measures.behind(measure=measure, asker=asker_for(request))
    total = rows.count()
    end = given.offset + given.limit
    refs = list(rows.values_list("ref", flat=True)[given.offset : end])
    answer = BehindOut(listed=measure.listed, total=total, refs=refs, next_offset=end if end < total else None)
    return Status(200, answer)
