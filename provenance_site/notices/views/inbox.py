"""The inbox, as a page and as a feed."""

import hashlib

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_POST, require_safe

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.notices import atom, feeds, queries, services


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


@login_not_required
@require_safe
@sensitive_variables("key")
def feed(request: HttpRequest) -> HttpResponse:
    """The notices of the person whose key stands in the address, as Atom; 304 where the reader has it already.

    Feed readers have no session. Nothing is looked at but the key: a cookie that came along opens no more.
    """
    found = feeds.membership_for(request.GET.get("key", ""), at=timezone.now())
    if found is None:
        raise Http404
    address, membership = found
    root = request.build_absolute_uri("/").rstrip("/")
    body = feeds.written(address=address, membership=membership, root=root)
    whole = HttpResponse(body, content_type=atom.CONTENT_TYPE)
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    whole["ETag"] = etag
    answer = get_conditional_response(request, etag=etag, response=whole) or whole
    answer["Cache-Control"] = "private, no-cache"
    answer["Referrer-Policy"] = "no-referrer"
    return answer
