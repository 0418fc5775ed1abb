"""The page of a deed that a worker does: how far it is, what came of it, its end and its undo."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.models import LongDeed
from sources.queries.long_deeds import progress_of
from sources.services import long_deeds
from sources.views.lookups import long_deed_for


@needs_workspace
@require_GET
def long_deed(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """What is being done, and how far it is."""
    return render_page(request, "sources/long_deed.html", _context(request, long_deed_for(request.user, uuid)))


@needs_workspace
@require_GET
def long_deed_progress(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The part of a page that polls; without a trigger at the end, so that polling stops."""
    return render_page(
        request, "sources/_long_deed_progress.html", _context(request, long_deed_for(request.user, uuid))
    )


@needs_workspace
@require_POST
def long_deed_stop(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Stops it after the part in hand, and goes back to its page."""
    deed = long_deed_for(request.user, uuid)
    try:
        stopped = long_deeds.stop(deed=deed, by=request.user, at=datetime.now(UTC))
    except long_deeds.InTheWorks as refused:
        messages.error(request, str(refused))
    else:
        if not stopped:
            messages.info(request, "It had ended already.")
    return redirect("long-deed", uuid)


def _context(request: MemberRequest, deed: LongDeed) -> dict[str, Any]:
    return {
        "deed": deed,
        "job": deed.job,
        "progress": progress_of(deed),
        "can_curate": permissions.can_curate(request.user, deed.job.workspace_id),
        "is_undone": deed.change_set is not None and hasattr(deed.change_set, "undone_by"),
    }
