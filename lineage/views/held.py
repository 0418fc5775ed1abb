"""Edges that were told and wait for somebody who may read both their ends."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from lineage.ingest import held
from lineage.views import filters
from lineage.views.asking import asker_for, finds_or_404, is_editor, rows_of
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page


@needs_workspace
@require_GET
def waiting(request: MemberRequest) -> HttpResponse:
    """The edges that wait and both ends of which the person may read."""
    return _page(request)


@needs_workspace
@require_POST
@finds_or_404
def decide(request: MemberRequest) -> HttpResponse:
    """Joins one (`deed` is join) or lets it go."""
    check_role(request.user, request.workspace, Role.EDITOR)
    deed = held.join if request.POST.get("deed") == "join" else held.drop
    number = filters.whole(request.POST.get("edge", ""), 0)
    try:
        deed(pk=number, asker=asker_for(request), by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except held.NotJoined as refused:
        return _page(request, problem=str(refused), status=422)
    messages.success(request, "It is joined; what rests on it follows." if deed is held.join else "It is let go.")
    return redirect("lineage-held")


def _page(request: MemberRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    asker = asker_for(request)
    page = page_of(request, held.waiting(asker=asker))
    found = held.with_ends(list(page.object_list), asker=asker)
    rows = {row.entity.pk: row for row in rows_of(end for one in found for end in (one.dependent, one.rests_on))}
    context = {
        "lines": [(one, rows[one.dependent.pk], rows[one.rests_on.pk]) for one in found],
        "page": page,
        "problem": problem,
        "is_editor": is_editor(request),
    }
    return render_page(request, "lineage/held.html", context, status=status)
