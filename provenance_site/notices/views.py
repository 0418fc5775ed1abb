"""The inbox."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.notices import queries, services


@needs_workspace
@require_GET
def inbox(request: MemberRequest) -> HttpResponse:
    """What the person was told, newest first, unread above read."""
    return render(request, "notices/inbox.html", {"lines": queries.inbox(membership=request.membership)})


@needs_workspace
@require_POST
def read(request: MemberRequest, pk: int | None = None) -> HttpResponse:
    """Marks one notice, or all, as read."""
    services.mark_read(membership=request.membership, notice_id=pk, at=timezone.now())
    return redirect("notices")
