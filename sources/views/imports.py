"""Import in three steps: paste or choose, look, write."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.reading import limited
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import dispatch, permissions
from sources.core.kinds import RowAction
from sources.formats.readers import format_label
from sources.models import Project
from sources.queries.imports import preview_of, progress_of
from sources.services import importing, staging
from sources.views.forms import ImportForm
from sources.views.lookups import batch_for, project_for


@needs_workspace
@require_http_methods(["GET", "POST"])
def import_new(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The form for a pasted list or a file; a good one leads to its preview, nothing is written to the registry."""
    project = project_for(request.user, uuid)
    permissions.check_can_curate(request.user, project.workspace_id)
    if request.method == "GET":
        return _form(request, project=project, form=ImportForm())
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, project=project, form=form, status=422)
    data, label = form.given
    try:
        batch = staging.stage(
            project=project, data=data, label=label, name=form.file_name, by=request.user, at=datetime.now(UTC)
        )
    except staging.ImportRefused as refused:
        form.add_error("file" if form.cleaned_data["file"] else "text", str(refused))
        return _form(request, project=project, form=form, status=422)
    return redirect("import-preview", batch.uuid)


@needs_workspace
@require_GET
def import_preview(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """What the list would do, in counts and rows; after the commit, what it did."""
    batch = batch_for(request.user, uuid)
    wanted = request.GET.get("show", "")
    action = RowAction(wanted) if wanted in set(RowAction) else None
    preview = preview_of(batch, action=action)
    return render_page(
        request,
        "sources/import_preview.html",
        {
            "batch": batch,
            "project": batch.project,
            "preview": preview,
            "progress": progress_of(batch),
            "format": format_label(batch.format),
            "action": action,
            "page": page_of(request, preview.rows),
            "can_curate": permissions.can_curate(request.user, batch.project.workspace_id),
        },
        partial="sources/_import_rows.html",
    )


@needs_workspace
@require_POST
def import_commit(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Writes the batch and goes to the project; a long one is written by a worker, and its page shows how far it is."""
    batch = batch_for(request.user, uuid)
    try:
        result = dispatch.commit_import(batch=batch, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except (importing.AlreadyDone, importing.Overtaken) as done:
        messages.warning(request, str(done))
        return redirect("import-preview", uuid)
    if result is None:
        return redirect("import-preview", uuid)
    if result.not_rejected:
        messages.warning(
            request,
            f"{counted(result.not_rejected, 'source')} that the file rejects is left out; an editor can drop it.",
        )
    messages.success(request, _done(batch.project.name, result))
    return redirect("project", batch.project.uuid)


@needs_workspace
@require_GET
def import_progress(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The part of the page that polls while a worker writes; without a trigger at the end, so that polling stops."""
    batch = batch_for(request.user, uuid)
    return render_page(request, "sources/_import_progress.html", {"batch": batch, "progress": progress_of(batch)})


@needs_workspace
@require_POST
def import_discard(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Throws the batch away and goes back to the form."""
    batch = batch_for(request.user, uuid)
    staging.discard(batch=batch, by=request.user)
    messages.info(request, "The list was thrown away; nothing was written.")
    return redirect("project", batch.project.uuid)


def _done(project: str, result: importing.ImportResult) -> str:
    if limited() is not None:
        # How many of them were known already would tell of sources that the person may not read.
        return f"Imported into {project}."
    new = f"{result.new_sources} of them new to the registry"
    return f"Imported {counted(result.new_entries, 'source')} into {project}, {new}."


def _form(request: MemberRequest, *, project: Project, form: ImportForm, status: int = 200) -> HttpResponse:
    return render_page(request, "sources/import_new.html", {"project": project, "form": form}, status=status)
