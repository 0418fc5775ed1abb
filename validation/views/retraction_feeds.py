"""How fresh retractions are on screen, and the export that an operator brings as a file."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from validation.adapters.retraction_world import absent_providers
from validation.core.retraction_watch import NotASnapshot
from validation.queries.retraction_feeds import newest_snapshots, provider_states, without_identifier
from validation.services import retraction_checks
from validation.services.retraction_import import Imported, import_export
from validation.views.retraction_forms import ExportForm


@needs_workspace
@require_GET
def retraction_feeds(request: MemberRequest) -> HttpResponse:
    """Each provider with its last success, what stays unchecked, and the newest exports."""
    return _page(request, ExportForm())


@needs_workspace
@require_POST
def retraction_export(request: MemberRequest) -> HttpResponse:
    """Takes in an export; 422 with the reason where it is refused. For operators: what it says holds everywhere."""
    if not request.user.is_staff:
        raise PermissionDenied("What an export says holds in all workspaces, so only an operator brings one.")
    form = ExportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=422)
    file, at = form.cleaned_data["file"], datetime.now(UTC)
    with tempfile.NamedTemporaryFile(suffix=".csv") as spooled:
        for chunk in file.chunks():
            spooled.write(chunk)
        spooled.flush()
        try:
            came = import_export(
                path=Path(spooled.name),
                label=Path(file.name).name,
                at=at,
                allow_shrink=form.cleaned_data["allow_shrink"],
            )
        except NotASnapshot as refused:
            form.add_error("file", str(refused))
            return _page(request, form, status=422)
    retraction_checks.match(at=at)
    messages.success(request, _told(came))
    return redirect("retraction-feeds")


def _told(came: Imported) -> str:
    if came.is_known:
        return "This very export was taken in before; nothing was done."
    return (
        f"{counted(came.snapshot.rows, 'row')}: {counted(came.new, 'statement')} are new, "
        f"{counted(came.changed_sources, 'source')} changed."
    )


def _page(request: MemberRequest, form: ExportForm, *, status: int = 200) -> HttpResponse:
    workspace_id, absent = request.workspace.pk, absent_providers()
    states = provider_states(workspace_id=workspace_id, absent=absent)
    context: dict[str, Any] = {
        "states": states,
        "asks_nobody": all(state.absent or not state.kind for state in states),
        "failing": [state for state in states if state.feed and state.feed.problem],
        "nameless": without_identifier(workspace_id=workspace_id),
        "snapshots": newest_snapshots(),
        "has_address": bool(settings.RETRACTION_WATCH_URL),
        "form": form if request.user.is_staff else None,
    }
    return render_page(request, "validation/retraction_feeds.html", context, status=status)
