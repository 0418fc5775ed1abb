"""What rests on a source, and taking it out of the registry where nothing does."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_http_methods

from lineage.access import asker_of
from lineage.core.deletion import Fate
from lineage.reports import deletion_report
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import membership_of
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.models import ObservationSource
from sources.queries.chunks import documents_on
from sources.queries.observations import observations_of
from sources.queries.readable import readable
from sources.services import removal
from sources.views.lookups import source_for

_SHOWN = 20
_LISTED = 100
_LONGEST_REASON = 1_000


@needs_workspace
@require_GET
def source_knowledge(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The observations and stored documents that rest on the source; htmx gets the panel alone."""
    found = source_for(request.user, uuid)
    links = readable(ObservationSource.objects.all()).filter(source=found)
    rows = observations_of(workspace_id=found.workspace_id).filter(pk__in=links.values("observation"))
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
            deed = removal.remove(
                source=found,
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
                why=request.POST.get("why", "")[:_LONGEST_REASON],
                erasing="erase" in request.POST,
                reprocessing="reprocess" in request.POST,
            )
        except removal.Held as held:
            holders, status = held.holders, 409
        else:
            back = "History has the undo." if deed.kind == removal.CHANGE_KIND else "This cannot be undone."
            name = "The source" if deed.kind == removal.ERASED_KIND else f"“{found}”"
            messages.success(request, f"{name} is removed from the registry. {back}")
            return redirect("source-removed", deed.uuid)
    else:
        holders = tuple(removal.holders_of(found))
    context = {
        "source": found,
        "holders": holders,
        "can_be_undone": removal.can_be_undone(found),
        "can_erase": permissions.can_erase(request.user, found.workspace_id),
    }
    return render_page(request, "sources/source_remove.html", context, status=status)


@needs_workspace
@require_GET
def source_removed(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """What a removal did to all that rested on the source, as far as the person may read it now; `as=md` and `as=json`
    download it."""
    mine = readable(ChangeSet.objects.all()).filter(workspace__memberships__user=request.user, kind__in=removal.KINDS)
    deed = get_object_or_404(mine, uuid=uuid)
    membership = membership_of(request.user, deed.workspace_id)
    assert membership is not None  # noqa: S101
    report = removal.report_of(deed, asker=asker_of(membership))
    match request.GET.get("as"):
        case "md":
            text, media_type = "".join(deletion_report.markdown(report)), "text/markdown; charset=utf-8"
        case "json":
            text, media_type = deletion_report.as_json(report), "application/json"
        case _:
            groups = [(fate, [one for one in report.descendants if one.fate is fate][:_LISTED]) for fate in Fate]
            counted = [(fate, report.counts[fate], rows) for fate, rows in groups if rows]
            context = {"deed": deed, "report": report, "groups": counted}
            return render_page(request, "sources/source_removed.html", context)
    name = f"deletion-report.{'md' if media_type.startswith('text') else 'json'}"
    return HttpResponse(text, media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
