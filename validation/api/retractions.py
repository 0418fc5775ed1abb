"""Retraction checks over JSON: ask for one, read what came of it, see how fresh the feeds are."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Query, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.reading import limited
from provenance_site.accounts.token_requests import Problem, token_of
from sources.core import retraction_status
from sources.core.retraction_status import Provider
from sources.models import Project, Source
from sources.queries.readable import readable
from validation import dispatch
from validation.adapters.retraction_world import absent_providers
from validation.models import RetractionFeed, RetractionRequest, RetractionSnapshot
from validation.queries.retractions import statuses_of
from validation.services.retraction_requests import NothingToAsk
from validation.services.retraction_words import work_named

router = Router(tags=["retractions"])


class RetractionCheckIn(Schema):
    """What to check: a text, else a project, else sources."""

    text: str = Field("", max_length=2_000_000, description="DOIs, PubMed ids and arXiv ids, one a line or in a text.")
    project: str = Field("", max_length=200, description="Name of a project: all its sources.")
    sources: list[UUID] = Field([], max_length=5_000)


class RetractionCheckMade(Schema):
    """The check waits for a worker. `absent` says, by provider, why it will not be asked."""

    check: UUID
    check_url: str
    works: int
    absent: dict[str, str]


class ProviderTally(Schema):
    """What one provider said: answered, does not hold the work, or could not be asked, and why."""

    answered: int
    unknown: int
    failed: int
    reason: str


class WorkOut(Schema):
    """Where one work stands by all that is said of it. `as_of` is null where nobody ever answered; `unchecked` names
    providers whose newest check failed."""

    work: str
    status: retraction_status.Status
    retracted: bool
    needs_editor: bool
    as_of: datetime | None
    unchecked: list[Provider]


class RetractionCheckOut(Schema):
    """How far a check is, and one page of its works in order. `unchecked` counts works that nobody answered for."""

    check: UUID
    is_done: bool
    asked: int
    of: int
    providers: dict[str, ProviderTally]
    absent: dict[str, str]
    unchecked: int
    unregistered: list[str] = Field(description="DOIs that no agency has registered: they may be made up.")
    works: list[WorkOut]
    next_offset: int | None


class PageIn(Schema):
    """Which works."""

    offset: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(100, ge=1, le=500)


class FeedOut(Schema):
    """How fresh one stream of changes is. `problem` says why the last attempt failed, '' where it did not."""

    provider: Provider
    succeeded_at: datetime | None
    problem: str
    retry_at: datetime | None


class FeedsOut(Schema):
    """All feeds, why other providers are not asked, and the export of Retraction Watch that was taken in last."""

    feeds: list[FeedOut]
    absent: dict[str, str]
    export_rows: int | None
    export_at: datetime | None
    export_notes: dict[str, Any]


@router.post(
    "/retractions/checks",
    response={202: RetractionCheckMade, 403: Problem, 404: Problem, 422: Problem},
    summary="Check for retractions",
    url_name="retraction-checks",
)
def make_check(request: HttpRequest, given: RetractionCheckIn) -> Status[Any]:
    """Asks the providers about works, known to the registry or not; nothing is registered.

    202 with the check's address; 422 where no work can be asked about. Needs the role curator. Twice asks twice.
    """
    token = token_of(request)
    project_id = None
    if given.project and not given.text:
        project_id = get_object_or_404(Project, workspace_id=token.workspace_id, name=given.project).pk
    mine = readable(Source.objects.all()).filter(workspace_id=token.workspace_id, uuid__in=given.sources)
    try:
        made = dispatch.check_retractions(
            workspace_id=token.workspace_id,
            text=given.text,
            project_id=project_id,
            source_ids=list(mine.values_list("pk", flat=True)),
            by=token.user,
            at=datetime.now(UTC),
        )
    except NothingToAsk as refused:
        return Status(422, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    url = reverse("api-1:retraction-check", args=[made.uuid])
    told = {"check": made.uuid, "check_url": url, "works": len(made.works), "absent": made.told["absent"]}
    return Status(202, told)


def _requests_for(token: ApiToken) -> QuerySet[RetractionRequest]:
    """Of the workspace; of their own, for whoever may not read everything: a check names all works that it asks of."""
    here = RetractionRequest.objects.filter(workspace_id=token.workspace_id)
    return here if limited() is None else here.filter(by=token.user)


@router.get(
    "/retractions/checks/{uuid}",
    response={200: RetractionCheckOut, 404: Problem},
    summary="Read a check for retractions",
    url_name="retraction-check",
)
def read_check(request: HttpRequest, uuid: UUID, page: Query[PageIn]) -> dict[str, Any]:
    """How far it is and where its works stand, by what is known now. Kept for 30 days."""
    token: ApiToken = token_of(request)
    made = get_object_or_404(_requests_for(token), uuid=uuid)
    end = page.offset + page.limit
    works = [work_named(one) for one in made.works[page.offset : end]]
    stand = statuses_of(works, at=datetime.now(UTC))
    return {
        "check": made.uuid,
        "is_done": made.finished_at is not None,
        "asked": made.done,
        "of": len(made.works),
        "providers": made.told["providers"],
        "absent": made.told["absent"],
        "unchecked": len(made.told.get("unchecked", ())),
        "unregistered": made.told.get("unregistered", []),
        "works": [
            {
                "work": str(work),
                "status": stand[work].status,
                "retracted": stand[work].is_retracted,
                "needs_editor": stand[work].needs_editor,
                "as_of": stand[work].as_of,
                "unchecked": list(stand[work].unchecked),
            }
            for work in works
        ],
        "next_offset": end if end < len(made.works) else None,
    }


@router.get(
    "/retractions/feeds", response=FeedsOut, summary="See how fresh retractions are", url_name="retraction-feeds"
)
def read_feeds(request: HttpRequest) -> dict[str, Any]:
    """When each feed was last read, and who is not asked."""
    token_of(request)
    newest = RetractionSnapshot.objects.filter(completed_at__isnull=False).order_by("-completed_at", "-pk").first()
    return {
        "feeds": list(RetractionFeed.objects.order_by("provider")),
        "absent": {name.value: why for name, why in absent_providers().items()},
        "export_rows": newest.rows if newest else None,
        "export_at": newest.completed_at if newest else None,
        "export_notes": newest.told if newest else {},
    }
