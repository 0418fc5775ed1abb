"""Imports over JSON: give a file, read what would happen, write it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, File, Form, Query, Router, Schema, Status
from ninja.files import UploadedFile

from provenance_site.accounts.reading import limited
from provenance_site.accounts.token_requests import Problem, token_of
from provenance_site.changes.models import Channel
from sources import dispatch
from sources.core.kinds import BatchState, RowAction
from sources.models import ImportBatch, ImportRow, Project
from sources.queries.imports import preview_of
from sources.queries.readable import readable
from sources.services import importing, projects, staging

router = Router(tags=["imports"])


class ImportIn(Schema):
    """Where a file goes and what it is called."""

    project: str = Field(min_length=1, max_length=200, description="Name of the project; made where there is none.")
    label: str = Field("", max_length=200, description="Name of this version; by default the file's name.")


class RowOut(Schema):
    """One entry of the file, or a line that could not be read, with what happens to it."""

    line: int
    action: RowAction
    message: str
    kind: str
    spelling: str
    title: str
    source: UUID | None


class ImportOut(Schema):
    """An import: what was found, and how far it is. `counted` is the format's own second count of entries; `doubt` says
    that the rows do not come to it, and is '' where they do. `written` is empty for whoever may not read everything."""

    uuid: UUID
    project: str
    label: str
    format: str
    state: BatchState
    counted: int | None
    doubt: str
    by_action: dict[RowAction, int]
    written: dict[str, int]
    rows: list[RowOut]
    next_offset: int | None


class PageIn(Schema):
    """Which rows."""

    offset: int = Field(0, ge=0, le=10_000_000)
    limit: int = Field(100, ge=1, le=500)
    action: RowAction | None = None


@router.post(
    "/imports",
    response={201: ImportOut, 403: Problem, 422: Problem},
    summary="Give a file",
    url_name="import-give",
)
def give(request: HttpRequest, given: Form[ImportIn], file: File[UploadedFile]) -> Status[Any]:
    """Reads the file, whatever its format, and keeps what would happen. Nothing enters the registry yet.

    Needs the role curator. 422 says why the file cannot be read; lines that cannot are rows of their own.
    """
    token, at = token_of(request), datetime.now(UTC)
    name = file.name or "file"
    here = Project.objects.filter(workspace_id=token.workspace_id)
    before = set(here.values_list("pk", flat=True))
    try:
        project = projects.named(workspace_id=token.workspace_id, name=given.project, by=token.user, at=at)
        batch = staging.stage(
            project=project, data=file.read(), label=given.label or name, name=name, by=token.user, at=at
        )
    except (projects.NameRefused, staging.ImportRefused) as refused:
        # Reading a file takes too long for one transaction, so a project that was made for it is taken away by hand.
        here.exclude(pk__in=before).filter(created_by=token.user, created_at=at, imports__isnull=True).delete()
        return Status(422, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    return Status(201, _told(batch, PageIn(offset=0, limit=100)))


@router.get("/imports/{uuid}", response={200: ImportOut, 404: Problem}, summary="Read an import", url_name="import")
def read(request: HttpRequest, uuid: UUID, page: Query[PageIn]) -> Any:
    """What was found, what was written so far, and a page of the rows, in the order of the file."""
    return _told(_batch_for(request, uuid), page)


@router.post(
    "/imports/{uuid}/commit",
    response={200: ImportOut, 202: ImportOut, 403: Problem, 404: Problem, 409: Problem},
    summary="Write an import",
    url_name="import-commit",
)
def commit(request: HttpRequest, uuid: UUID) -> Status[Any]:
    """Writes what was staged. 202 where a worker does it: read the import until its state is `committed`.

    409 where it was written or thrown away before, or the registry changed at the same moment.
    """
    token, batch = token_of(request), _batch_for(request, uuid)
    try:
        result = dispatch.commit_import(batch=batch, by=token.user, channel=Channel.API, at=datetime.now(UTC))
    except (importing.AlreadyDone, importing.Overtaken) as refused:
        return Status(409, {"detail": str(refused)})
    except PermissionDenied as refused:
        return Status(403, {"detail": str(refused)})
    batch.refresh_from_db()
    return Status(202 if result is None else 200, _told(batch, PageIn(offset=0, limit=100)))


def _batch_for(request: HttpRequest, uuid: UUID) -> ImportBatch:
    batches = readable(ImportBatch.objects.all()).filter(project__workspace_id=token_of(request).workspace_id)
    return get_object_or_404(batches.select_related("project"), uuid=uuid)


def _told(batch: ImportBatch, page: PageIn) -> dict[str, Any]:
    preview = preview_of(batch, action=page.action)
    rows = list(preview.rows[page.offset : page.offset + page.limit + 1])
    return {
        "uuid": batch.uuid,
        "project": batch.project.name,
        "label": batch.label,
        "format": batch.format,
        "state": batch.state,
        "counted": batch.counted,
        "doubt": preview.doubt,
        "by_action": {action: number for action, number in preview.counts.items() if number},
        "written": batch.tally if limited() is None else {},
        "rows": [_row(row) for row in rows[: page.limit]],
        "next_offset": page.offset + page.limit if len(rows) > page.limit else None,
    }


def _row(row: ImportRow) -> dict[str, Any]:
    return {
        "line": row.line,
        "action": row.action,
        "message": row.message,
        "kind": row.record_kind,
        "spelling": row.spelling,
        "title": row.title,
        "source": row.source.uuid if row.source else None,
    }
