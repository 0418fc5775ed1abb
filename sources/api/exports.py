"""Exports over JSON: build a file, read what it is, fetch its bytes."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.kit.downloads import file_answer
from sources import dispatch, permissions
from sources.core.export_formats import ExportFormat
from sources.models import Export, ExportOrder, Project
from sources.queries.exports import making_of
from sources.queries.readable import readable
from sources.services import exporting
from sources.services.export_writing import Wanted
from sources.views.chosen import Chosen, chosen_by

router = Router(tags=["exports"])


class ExportIn(Schema):
    """What is to be handed on: a project by its name, or the sources that a filter of the sources list finds."""

    format: ExportFormat = Field(description="Which file.")
    project: str = Field("", max_length=200, description="Name of the project; empty for a list of sources.")
    section: str = Field("", max_length=100, description="Section, for the two formats that are of one.")
    query: str = Field(
        "", max_length=4000, description="Query string of the sources list, such as `q=harbour&verdict=thin`."
    )
    internal: bool = Field(
        False, description="Internal sources go in, and the file is not for others. Needs the role curator."
    )


class ExportOut(Schema):
    """A file that was handed on. `left_out` counts internal sources that stand in none of it."""

    uuid: UUID
    format: ExportFormat
    project: str
    section: str
    query: str
    file_name: str
    media_type: str
    sha256: str
    byte_count: int
    source_count: int
    left_out: int
    is_external: bool
    created_at: datetime
    created_by: str
    url: str
    file_url: str


class OrderOut(Schema):
    """A large file that a worker makes. Read it until `is_running` is false: then `export` is the file, or `problem`
    says why there is none. An archive reads each source many times."""

    uuid: UUID
    format: ExportFormat
    is_running: bool
    read: int
    expected: int
    problem: str
    export: ExportOut | None
    status_url: str
    created_at: datetime


@router.post(
    "/exports",
    response={201: ExportOut, 202: OrderOut, 403: Problem, 404: Problem, 422: Problem},
    summary="Make a file",
    url_name="export-make",
)
def make_export(request: HttpRequest, given: ExportIn) -> Status[Any]:
    """Builds the file at the present state, keeps it under its hash and records what it rests on.

    202 where the file is large and a worker makes it: read `status_url` until it is there. Same state, same bytes. 422
    says what is missing (a project, a section, a value of the filter).
    """
    token = token_of(request)
    project, chosen = _of(given, token)
    if isinstance(chosen, str):
        return Status(422, {"detail": chosen})
    wanted = Wanted(
        workspace_id=token.workspace_id,
        format=given.format,
        project=project,
        section=given.section,
        chosen=chosen.sources if chosen else None,
        query=chosen.query if chosen else "",
        is_external=not given.internal,
    )
    try:
        made = dispatch.make_export(wanted=wanted, by=token.user, at=datetime.now(UTC))
    except exporting.ExportRefused as refused:
        return Status(422, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return Status(201, _told(made)) if isinstance(made, Export) else Status(202, _order_told(made))


@router.get(
    "/export-orders/{uuid}",
    response={200: OrderOut, 403: Problem, 404: Problem},
    summary="Read how far a large file is",
    url_name="export-order",
)
def read_order(request: HttpRequest, uuid: UUID) -> Any:
    """How far the worker is, and the file when it is made."""
    orders = readable(ExportOrder.objects.all()).filter(workspace_id=token_of(request).workspace_id)
    joined = orders.select_related("job", "export__project", "export__created_by")
    order = get_object_or_404(joined, uuid=uuid)
    if _is_kept_from(order, token_of(request)):
        return Status(403, {"detail": "Internal sources stand in this file; this needs the role curator."})
    return _order_told(order)


@router.get(
    "/exports/{uuid}",
    response={200: ExportOut, 403: Problem, 404: Problem},
    summary="Read what a file is",
    url_name="export",
)
def read_export(request: HttpRequest, uuid: UUID) -> Any:
    """What the file holds, leaves out, and its hash."""
    export = _export_for(request, uuid)
    if _is_kept_from(export, token_of(request)):
        return Status(403, {"detail": "Internal sources stand in this file; this needs the role curator."})
    return _told(export)


@router.get(
    "/exports/{uuid}/file",
    response={200: None, 403: Problem, 404: Problem, 410: Problem},
    summary="Fetch a file",
    url_name="export-file",
    openapi_extra={
        "responses": {
            200: {
                "description": "The file as it was made.",
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
)
def read_file(request: HttpRequest, uuid: UUID) -> HttpResponseBase | Status[Any]:
    """The bytes as they were made; 410 where they are no longer in the data folder."""
    export = _export_for(request, uuid)
    try:
        place = exporting.file_for(export, by=token_of(request).user)
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    except exporting.FileGone as gone:
        return Status(410, {"detail": str(gone)})
    return file_answer(place, name=export.file_name, media_type=export.media_type)


def _of(given: ExportIn, token: ApiToken) -> tuple[Project | None, Chosen | str | None]:
    """The project and the list that are meant; a sentence in place of the list where that cannot be told."""
    project = None
    if given.project:
        project = get_object_or_404(Project, workspace_id=token.workspace_id, name=given.project)
    if not given.query and project:
        return project, None
    chosen = chosen_by(token.workspace, QueryDict(given.query.removeprefix("?")))
    if chosen is None:
        return project, "The query asks for a value that is not known here; take it from the address of a list."
    if project and chosen.project and chosen.project != project:
        return project, "The query names another project than `project` does; leave one of them away."
    return project or chosen.project, chosen


def _export_for(request: HttpRequest, uuid: UUID) -> Export:
    rows = readable(Export.objects.all()).filter(workspace_id=token_of(request).workspace_id)
    return get_object_or_404(rows.select_related("project", "created_by"), uuid=uuid)


def _is_kept_from(export: Export | ExportOrder, token: ApiToken) -> bool:
    return not export.is_external and not permissions.can_export_internal(token.user, export.workspace_id)


def _order_told(order: ExportOrder) -> dict[str, Any]:
    making = making_of(order)
    return {
        "uuid": order.uuid,
        "format": order.format,
        "is_running": making.is_running,
        "read": making.read,
        "expected": making.expected,
        "problem": order.problem or ("Nobody makes this file any more; ask for it again." if making.is_stuck else ""),
        "export": _told(order.export) if order.export else None,
        "status_url": reverse("api-1:export-order", args=[order.uuid]),
        "created_at": order.created_at,
    }


def _told(export: Export) -> dict[str, Any]:
    columns = ("uuid", "format", "section", "query", "file_name", "media_type", "sha256", "byte_count", "source_count",
               "left_out", "is_external", "created_at")  # fmt: skip
    return {name: getattr(export, name) for name in columns} | {
        "project": export.project.name if export.project else "",
        "created_by": export.created_by.get_username() if export.created_by else "",
        "url": reverse("export", args=[export.uuid]),
        "file_url": reverse("api-1:export-file", args=[export.uuid]),
    }
