"""Exports: choosing a file, what was handed on, downloading it; and the table of a list."""

from datetime import UTC, datetime
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_http_methods

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.downloads import attachment, file_answer
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import dispatch, permissions
from sources.core.export_formats import ExportFormat
from sources.models import Export, ExportOrder, Project
from sources.queries.exports import exports_of, making_of
from sources.queries.readable import readable
from sources.reports import csv_table
from sources.reports.master_sources import FILE_NAME, Layout
from sources.services import exporting
from sources.services.export_files import place_of
from sources.services.export_writing import Wanted
from sources.services.exporting import master_sources_file
from sources.views.chosen import Chosen, chosen_by
from sources.views.export_forms import ExportForm
from sources.views.lookups import project_for

_OF_A_LIST = tuple(one for one in ExportFormat if not one.needs_project)
_PER_PAGE = 50


@needs_workspace
@require_GET
def exports(request: MemberRequest) -> HttpResponse:
    """What the workspace has handed on, newest first."""
    found = _exports(request, request.workspace.pk)
    return render_page(request, "sources/exports.html", {"page": page_of(request, found, per_page=_PER_PAGE)})


@needs_workspace
@require_http_methods(["GET", "POST"])
def project_exports(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A project's files: choose one, build it (POST), and what was handed on before."""
    project = project_for(request.user, uuid)
    form = ExportForm(
        request.POST if request.method == "POST" else None,
        formats=ExportFormat,
        sections=exporting.sections_of(project),
        may_internal=permissions.can_export_internal(request.user, project.workspace_id),
    )
    if request.method == "POST":
        made = _built(request, form, project=project)
        if made:
            return _to(made)
    found = _exports(request, project.workspace_id, project)
    wanted = Wanted(workspace_id=project.workspace_id, project=project, format=ExportFormat.CSV)
    stays, left_out = exporting.counts_of(wanted)
    context = {
        "project": project,
        "form": form,
        "page": page_of(request, found, per_page=_PER_PAGE),
        "stays": stays,
        "left_out": left_out,
    }
    return render_page(request, "sources/exports.html", context, status=422 if form.errors else 200)


@needs_workspace
@require_http_methods(["GET", "POST"])
def view_export(request: MemberRequest) -> HttpResponse:
    """The sources that the filter in the query string finds, as a file: choose one, build it (POST)."""
    chosen = chosen_by(request.workspace, request.GET)
    if chosen is None:
        return HttpResponseBadRequest("The address asks for a value that is not known here.", content_type="text/plain")
    form = ExportForm(
        request.POST if request.method == "POST" else None,
        formats=_OF_A_LIST,
        may_internal=permissions.can_export_internal(request.user, request.workspace.pk),
    )
    if request.method == "POST":
        made = _built(request, form, project=chosen.project, chosen=chosen)
        if made:
            return _to(made)
    stays, left_out = exporting.counts_of(_wanted(request, ExportFormat.CSV, chosen))
    context = {"form": form, "chosen": chosen, "stays": stays, "left_out": left_out}
    return render_page(request, "sources/export_view.html", context, status=422 if form.errors else 200)


@needs_workspace
@require_GET
def view_csv(request: MemberRequest) -> HttpResponseBase:
    """The sources that the filter in the query string finds, as a table that is sent while it is read; records nothing.

    `?bom=1` begins with a byte order mark, for Excel; `?internal=1` takes internal sources along, for curators.
    """
    chosen = chosen_by(request.workspace, request.GET)
    if chosen is None:
        return HttpResponseBadRequest("The address asks for a value that is not known here.", content_type="text/plain")
    wanted = _wanted(request, ExportFormat.CSV, chosen, internal=request.GET.get("internal") == "1")
    pieces = exporting.table_of(wanted, by=request.user, bom=request.GET.get("bom") == "1")
    return StreamingHttpResponse(
        pieces, content_type=ExportFormat.CSV.media_type, headers=attachment(csv_table.FILE_NAME)
    )


@needs_workspace
@require_GET
def export(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """One export: what it holds and leaves out, its hash, and the way to the file."""
    found = _export_for(request, uuid)
    context = {
        "export": found,
        "is_there": place_of(found.sha256).is_file(),
        "same": _exports(request, found.workspace_id)
        .filter(sha256=found.sha256, created_at__lt=found.created_at)
        .first(),
    }
    return render_page(request, "sources/export.html", context)


@needs_workspace
@require_GET
def export_file(request: MemberRequest, uuid: UUID) -> HttpResponseBase:
    """The export's bytes as they were built. Where they are gone, its page, which says so."""
    found = _export_for(request, uuid)
    try:
        place = exporting.file_for(found, by=request.user)
    except exporting.FileGone:
        return redirect("export", found.uuid)
    return file_answer(place, name=found.file_name, media_type=found.media_type)


@needs_workspace
@require_GET
def export_order(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A large file that a worker makes: how far it is, then the way to it. A part that polls asks for itself alone."""
    order = _order_for(request, uuid)
    context = {"order": order, "making": making_of(order)}
    return render_page(request, "sources/export_order.html", context, partial="sources/_export_making.html")


@needs_workspace
@require_GET
def master_sources(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Master-Sources.md as it would be now; `?layout=memo` for the layout of memo pipelines. Records nothing."""
    project = project_for(request.user, uuid)
    wanted = request.GET.get("layout", Layout.VERDICT.value)
    if wanted not in set(Layout):
        return HttpResponseBadRequest(f"layout takes {' or '.join(Layout)}.", content_type="text/plain; charset=utf-8")
    text = master_sources_file(project=project, layout=Layout(wanted), by=request.user)
    return HttpResponse(
        text.encode(), content_type=ExportFormat.MASTER_VERDICT.media_type, headers=attachment(FILE_NAME)
    )


def _exports(request: MemberRequest, workspace_id: int, project: Project | None = None) -> "QuerySet[Export]":
    internal = permissions.can_export_internal(request.user, workspace_id)
    return exports_of(user=request.user, workspace_id=workspace_id, internal=internal, project=project)


def _export_for(request: MemberRequest, uuid: UUID) -> Export:
    """The export; 404 for a stranger, 403 for a reader where internal sources stand in it."""
    rows = readable(Export.objects.all()).visible_to(request.user).select_related("project", "created_by", "workspace")
    found = get_object_or_404(rows, uuid=uuid)
    if not found.is_external and not permissions.can_export_internal(request.user, found.workspace_id):
        raise PermissionDenied("Internal sources stand in this file; curators may download it.")
    return found


def _order_for(request: MemberRequest, uuid: UUID) -> ExportOrder:
    rows = (
        readable(ExportOrder.objects.all())
        .visible_to(request.user)
        .select_related("project", "export", "job", "created_by")
    )
    found = get_object_or_404(rows, uuid=uuid)
    if not found.is_external and not permissions.can_export_internal(request.user, found.workspace_id):
        raise PermissionDenied("Internal sources stand in this file; curators may download it.")
    return found


def _to(made: Export | ExportOrder) -> HttpResponse:
    return redirect("export" if isinstance(made, Export) else "export-order", made.uuid)


def _built(
    request: MemberRequest, form: ExportForm, *, project: Project | None, chosen: Chosen | None = None
) -> Export | ExportOrder | None:
    """The new export, the order of a large one, or None where the form says what is wrong. A reader's wish for internal
    sources is refused."""
    if request.POST.get("internal") and "internal" not in form.fields:
        raise PermissionDenied("Files with internal sources are for curators.")
    if not form.is_valid():
        return None
    wanted = Wanted(
        workspace_id=project.workspace_id if project else request.workspace.pk,
        format=ExportFormat(form.cleaned_data["format"]),
        project=project,
        section=form.cleaned_data.get("section", ""),
        chosen=chosen.sources if chosen else None,
        query=chosen.query if chosen else "",
        is_external=not form.cleaned_data.get("internal", False),
    )
    try:
        return dispatch.make_export(wanted=wanted, by=request.user, at=datetime.now(UTC))
    except exporting.ExportRefused as refused:
        form.add_error(None, str(refused))
        return None


def _wanted(request: MemberRequest, format_: ExportFormat, chosen: Chosen, *, internal: bool = False) -> Wanted:
    return Wanted(
        workspace_id=request.workspace.pk,
        format=format_,
        project=chosen.project,
        chosen=chosen.sources,
        query=chosen.query,
        is_external=not internal,
    )
