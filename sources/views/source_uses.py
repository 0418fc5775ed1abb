"""What rests on a source, and taking it out of the registry where nothing does."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.queries.chunks import documents_on
from sources.queries.observations import observations_of
from sources.services import removal
from sources.views.lookups import source_for

_SHOWN = 20


@needs_workspace
@require_GET
def source_knowledge(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The observations and stored documents that rest on the source; htmx gets the panel alone."""
    found = source_for(request.user, uuid)
    rows = observations_of(workspace_id=found.workspace_id).filter(source_links__source=found).distinct()
    documents = documents_on(found)
    context = {
        "source": found,
        "observations": list(rows[:_SHOWN]),
        "documents": list(documents[:_SHOWN]),
        "observation_count": rows.count(),
        "document_count": documents.count(),
    }
    return render_page(request, "sources/source_knowledge.html", context, partial="sources/_source_knowledge.html")


@needs_workspace
@require_http_methods(["GET", "POST"])
def source_remove(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A look at what holds the source; a POST removes it where nothing does, else 409 with what does.

    What was merged into another stays, so that its links go on working: its page leads there.
    """
    found = source_for(request.user, uuid)
    permissions.check_can_curate(request.user, found.workspace_id)
    if found.merged_into_id is not None:
        return redirect("source", found.uuid)
    status = 200
    holders: tuple[str, ...]
    if request.method == "POST":
        try:
            deed = removal.remove(source=found, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
        except removal.Held as held:
            holders, status = held.holders, 409
        else:
            back = "History has the undo." if deed.kind == removal.CHANGE_KIND else "This cannot be undone."
            messages.success(request, f"“{found}” is removed from the registry. {back}")
            return redirect("source-list")
    else:
        holders = tuple(removal.holders_of(found))
    context = {"source": found, "holders": holders, "can_be_undone": removal.can_be_undone(found)}
    return render_page(request, "sources/source_remove.html", context, status=status)
