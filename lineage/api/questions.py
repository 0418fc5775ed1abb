"""The questions of lineage over JSON: what rests on what, how an output came to be, what a run made."""

from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from lineage.api.asking import AskedRef, ListingOut, NodeOut, OfNode, OnePage, OneRef, PageIn, asker_for
from lineage.queries import answers, questions
from provenance_site.accounts.token_requests import Problem

router = Router(tags=["lineage"])


class TransformOut(Schema):
    """What made something; all '' where nobody told."""

    type: str
    implementation: str
    version: str
    config_hash: str


class LinkOut(Schema):
    """How one node rests on the next."""

    relation: str
    transform: TransformOut
    run_id: str


class HopOut(Schema):
    """A node on a way; `link` is null at its end."""

    node: NodeOut
    link: LinkOut | None


class PathOut(Schema):
    """A shortest way from the dependent; no hops where neither rests on the other."""

    exists: bool
    hops: list[HopOut]


class GapOut(Schema):
    """What a step lacks to be done again."""

    missing: str
    ref: str
    explanation: str


class StepOut(Schema):
    """What one transform made in one run, by refs; steps come in an order in which they can be done."""

    type: str
    relations: list[str]
    transform: TransformOut
    run_id: str
    made: list[str]
    inputs: list[str]
    means: list[str]
    missing: list[GapOut] = []


class StoryOut(Schema):
    """How an output came to be; `complete` is false where the nearest nodes alone are told."""

    output: NodeOut
    complete: bool
    origins: list[NodeOut]
    steps: list[StepOut]


class PlanOut(Schema):
    """What would be done again, in order."""

    output: NodeOut
    complete: bool
    can_be_replayed: bool
    steps: list[StepOut]


class RunIn(PageIn):
    """A run by the id it was reported with."""

    run_id: str = Field(max_length=100)


class RecallIn(PageIn):
    """What made things; '' is any, one of them must be named."""

    transform: str = Field("", max_length=40)
    implementation: str = Field("", max_length=200)
    version: str = Field("", max_length=100)
    config_hash: str = Field("", max_length=64)


class PathIn(Schema):
    """Two nodes, in whichever order."""

    a: AskedRef
    b: AskedRef


class DiffIn(OnePage):
    """Two runs."""

    first: str = Field(max_length=100)
    second: str = Field(max_length=100)


class DifferenceCountOut(Schema):
    """How many things differ so."""

    role: str
    change: str
    number: int


class DifferenceOut(Schema):
    """A thing that differs, by the refs of its versions; null where one run has none."""

    role: str
    change: str
    first: str | None
    second: str | None
    same_content: bool


class ComparisonOut(Schema):
    """How two runs differ."""

    first: str
    second: str
    complete: bool
    total: int
    page: int
    pages: int
    counts: list[DifferenceCountOut]
    same: dict[str, int]
    only_first_used: list[TransformOut]
    only_second_used: list[TransformOut]
    differences: list[DifferenceOut]


@router.get(
    "/lineage/ancestors",
    response={200: ListingOut, 404: Problem},
    summary="What a node rests on",
    url_name="lineage-ancestors",
)
def ancestors(request: HttpRequest, wanted: Query[OfNode]) -> dict[str, Any]:
    """All that the node rests on, directly or not, each once."""
    return answers.listing(questions.ancestors(ref=wanted.ref, asker=asker_for(request), **wanted.paged))


@router.get(
    "/lineage/descendants",
    response={200: ListingOut, 404: Problem},
    summary="What rests on a node",
    url_name="lineage-descendants",
)
def descendants(request: HttpRequest, wanted: Query[OfNode]) -> dict[str, Any]:
    """All that rests on the node, directly or not, each once."""
    return answers.listing(questions.descendants(ref=wanted.ref, asker=asker_for(request), **wanted.paged))


@router.get("/lineage/outputs", response=ListingOut, summary="What a run made", url_name="lineage-outputs")
def outputs(request: HttpRequest, wanted: Query[RunIn]) -> dict[str, Any]:
    """What a run made; empty for a run of which you may see nothing."""
    return answers.listing(questions.outputs_for_run(run_id=wanted.run_id, asker=asker_for(request), **wanted.paged))


@router.get(
    "/lineage/recall",
    response={200: ListingOut, 422: Problem},
    summary="What a transform made, and all that rests on it",
    url_name="lineage-recall",
)
def recall(request: HttpRequest, wanted: Query[RecallIn]) -> Status[Any]:
    """What is to be looked at where a transform, its version or a configuration was faulty. Nothing is written."""
    try:
        found = questions.recall(
            asker=asker_for(request),
            transform=wanted.transform,
            implementation=wanted.implementation,
            version=wanted.version,
            config_hash=wanted.config_hash,
            **wanted.paged,
        )
    except questions.NothingToRecall as nothing:
        return Status(422, {"detail": str(nothing)})
    return Status(200, answers.listing(found))


@router.get(
    "/lineage/explain",
    response={200: StoryOut, 404: Problem},
    summary="How an output came to be",
    url_name="lineage-explain",
)
def explain(request: HttpRequest, wanted: Query[OneRef]) -> dict[str, Any]:
    """The steps from the sources to the output, with transforms, models, prompts and runs."""
    return answers.story(questions.explain(ref=wanted.ref, asker=asker_for(request)))


@router.get(
    "/lineage/replay-plan",
    response={200: PlanOut, 404: Problem},
    summary="What it takes to make an output again",
    url_name="lineage-replay-plan",
)
def replay_plan(request: HttpRequest, wanted: Query[OneRef]) -> dict[str, Any]:
    """What would be done again, in order, and what is missing for it. Nothing is run."""
    return answers.plan(questions.replay_plan(ref=wanted.ref, asker=asker_for(request)))


@router.get(
    "/lineage/path", response={200: PathOut, 404: Problem}, summary="How two nodes are joined", url_name="lineage-path"
)
def path(request: HttpRequest, wanted: Query[PathIn]) -> dict[str, Any]:
    """A shortest way between two nodes, whichever of them rests on the other."""
    return answers.way(questions.path(a=wanted.a, b=wanted.b, asker=asker_for(request)))


@router.get("/lineage/diff", response=ComparisonOut, summary="How two runs differ", url_name="lineage-diff")
def diff(request: HttpRequest, wanted: Query[DiffIn]) -> dict[str, Any]:
    """What the runs read, made and used, as far as it differs."""
    found = questions.diff(
        first=wanted.first,
        second=wanted.second,
        asker=asker_for(request),
        page=wanted.page,
        per_page=wanted.per_page,
    )
    return answers.comparison(found)
