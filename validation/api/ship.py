"""The ship gate over JSON: have a finished text checked, read the report, keep what a person says of drawn links."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.token_requests import Problem, token_of
from sources.core.gate import GateDecision
from sources.core.lines import one_line
from sources.models import Draft, Project
from sources.queries.readable import readable
from validation import dispatch
from validation.core.shipping import SpotResult
from validation.models import ShipCheck, SpotCheck
from validation.queries.readable_work import readable_work
from validation.queries.ship import report_of, spots_of
from validation.reports.ship_json import ShipReportOut, ship_document
from validation.services import ship_gate
from validation.services.ship_gate import Document

router = Router(tags=["ship gate"])


class ShipIn(Schema):
    """A finished text, or a draft of the project whose newest version is checked."""

    project: str = Field(min_length=1, max_length=200, description="Name of the project whose corpus may be cited.")
    draft: str = Field("", max_length=200, description="Name of a draft of the project; then no text is given.")
    text: str = Field("", max_length=2_000_000, description="Markdown.")
    name: str = Field("text.md", min_length=1, max_length=300, description="Name of the text's file, for annotations.")


class ShipMade(Schema):
    """The check was begun; it is over when its report has a decision."""

    check: UUID
    check_url: str
    decision: GateDecision | None


class DrawnOut(Schema):
    """One link drawn for a person's look; `result` is null before."""

    position: int
    url: str
    address: str
    line: int
    result: SpotResult | None
    note: str
    by: str
    at: datetime | None


class ShipCheckOut(Schema):
    """A check: its report, and the drawn links in the order to look at them. `seed` decides the draw."""

    check: UUID
    seed: str
    report: ShipReportOut
    spot_checks: list[DrawnOut]


class SpotIn(Schema):
    """What a person says of one drawn link; “wrong” needs a note."""

    position: int = Field(ge=1)
    result: SpotResult
    note: str = Field("", max_length=2000)


@router.post(
    "/ship-checks",
    response={202: ShipMade, 403: Problem, 404: Problem, 422: Problem},
    summary="Have a finished text checked",
    url_name="ship-checks",
)
def begin(request: HttpRequest, given: ShipIn) -> Status[Any]:
    """Begins a check: every link is fetched anew, whatever is known. Each call makes another check.

    Needs the role curator. 422 for a text that is empty, and for a draft without a version.
    """
    token, at = token_of(request), datetime.now(UTC)
    project = get_object_or_404(Project, workspace_id=token.workspace_id, name=one_line(given.project))
    if bool(given.draft) == bool(given.text.strip()):
        return Status(422, {"detail": "Give a text, or the name of a draft: one of the two."})
    try:
        if given.draft:
            draft = get_object_or_404(readable(Draft.objects.all()), project=project, name=one_line(given.draft))
            document = ship_gate.document_of(ship_gate.newest_version(draft))
        else:
            document = Document(name=given.name, path=given.name, text=given.text)
        check = dispatch.start_ship_check(project=project, document=document, by=token.user, at=at)
    except ship_gate.ShipRefused as refused:
        return Status(422, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    made = {
        "check": check.job.uuid,
        "check_url": reverse("api-1:ship-check", args=[check.job.uuid]),
        "decision": check.as_decision,
    }
    return Status(202, made)


@router.get(
    "/ship-checks/{uuid}",
    response={200: ShipCheckOut, 404: Problem},
    summary="Read a ship check",
    url_name="ship-check",
)
def read(request: HttpRequest, uuid: UUID) -> dict[str, Any]:
    """What was found so far. `report.decision` is null while links are still being fetched."""
    return _told(_check_for(token_of(request), uuid))


@router.post(
    "/ship-checks/{uuid}/cancel",
    response={200: ShipCheckOut, 403: Problem, 404: Problem},
    summary="Stop a ship check",
    url_name="ship-cancel",
)
def cancel(request: HttpRequest, uuid: UUID) -> Any:
    """Stops a check; it decides nothing. One that has ended stays as it is. Needs the role curator."""
    token = token_of(request)
    try:
        ship_gate.cancel(check=_check_for(token, uuid), by=token.user, at=datetime.now(UTC))
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return _told(_check_for(token, uuid))


@router.post(
    "/ship-checks/{uuid}/spot-checks",
    response={200: ShipCheckOut, 403: Problem, 404: Problem, 422: Problem},
    summary="Say what a drawn link is worth",
    url_name="ship-spot-checks",
)
def look(request: HttpRequest, uuid: UUID, given: SpotIn) -> Any:
    """Keeps what the token's person found at one drawn link; the last word counts. Needs the role editor."""
    token = token_of(request)
    check = _check_for(token, uuid)
    spots = SpotCheck.objects.select_related("check_made__project")
    spot = get_object_or_404(spots, check_made=check, position=given.position)
    try:
        ship_gate.look(spot=spot, result=given.result, note=given.note, by=token.user, at=datetime.now(UTC))
    except ship_gate.ShipRefused as refused:
        return Status(422, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return _told(_check_for(token, uuid))


def _check_for(token: ApiToken, uuid: UUID) -> ShipCheck:
    mine = (
        readable_work(ShipCheck.objects.all())
        .filter(project__workspace_id=token.workspace_id)
        .select_related("job", "project")
    )
    return get_object_or_404(mine, job__uuid=uuid)


def _told(check: ShipCheck) -> dict[str, Any]:
    return {
        "check": check.job.uuid,
        "seed": check.seed,
        "report": ship_document(report_of(check)),
        "spot_checks": [
            {
                "position": spot.position,
                "url": spot.link.request_url,
                "address": spot.link.address,
                "line": spot.link.line,
                "result": spot.as_result,
                "note": spot.note,
                "by": str(spot.by or ""),
                "at": spot.at,
            }
            for spot in spots_of(check)
        ],
    }
