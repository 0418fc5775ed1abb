"""History: every deed in the workspace with who, when and why, and its undo."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet
from provenance_site.changes.registry import undo_function
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.views.lookups import change_set_for

WORDS = {
    "sources.import": "Import",
    "sources.edit": "Sources edited",
    "sources.retract": "Marked retracted",
    "sources.merge": "Sources merged",
    "sources.tell-apart": "Told apart",
    "sources.unretract": "Retraction mark taken off",
    "review.decide": "Decision",
    "observation.add": "Observation written",
    "observation.edit": "Observation edited",
    "observation.delete": "Observation deleted",
    "observation.link": "Observation linked",
    "observation.unlink": "Link taken away",
    "concept.edit": "Concept edited",
    "concept.delete": "Concept deleted",
    "source.add": "Source added",
    "source.remove": "Source removed",
    "source.remove-checked": "Source removed with its checks",
    "chunks.ingest": "Document taken into a store",
    "validation.own-publisher": "Own publisher",
    "validation.own-pattern": "Own pattern",
    "validation.provider-key": "Search provider",
    "lineage.declassify": "Label lowered",
    "lineage.reclassify": "Lowering of a label taken back",
    "lineage.hold": "Legal hold",
    "lineage.release-hold": "Legal hold released",
    "lineage.deidentify": "Personal data taken out",
    "lineage.policy": "Lineage policy",
    "lineage.relay": "Other lineage service",
    "changes.undo": "Taken back",
    "people.add": "Member added",
    "people.role": "Role changed",
    "people.remove": "Member removed",
}


@dataclass(frozen=True, slots=True)
class Deed:
    """A ChangeSet as the list shows it."""

    change_set: ChangeSet
    words: str
    can_be_undone: bool


@needs_workspace
@require_GET
def history(request: MemberRequest) -> HttpResponse:
    """The workspace's deeds, newest first."""
    found = (
        ChangeSet.objects.filter(workspace=request.workspace)
        .select_related("actor", "undoes", "undone_by")
        .annotate(change_count=Count("changes"))
        .order_by("-at", "-pk")
    )
    page = page_of(request, found, per_page=30)
    may_undo = permissions.can_curate(request.user, request.workspace.pk)
    deeds = [
        Deed(
            change_set=change_set,
            words=WORDS.get(change_set.kind, change_set.kind),
            can_be_undone=may_undo and undo_function(change_set.kind) is not None,
        )
        for change_set in page.object_list
    ]
    return render_page(request, "sources/history.html", {"page": page, "deeds": deeds})


@needs_workspace
@require_POST
def change_undo(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes a deed back and says what was left alone because someone changed it since."""
    change_set = change_set_for(request.user, uuid)
    try:
        result = changes.undo(change_set=change_set, by=request.user, at=datetime.now(UTC))
    except changes.NotUndoable as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Taken back: {counted(result.undone, 'change')}.")
        for left in result.skipped:
            messages.warning(request, f"Left alone: {left}.")
    back = request.POST.get("next", "")
    local = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return redirect(back if local else "history")
