"""Whether an output may be handed on, and handing it on."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from lineage.services import release as services
from lineage.views.asking import address, asked_ref, asker_for, entity_for, finds_or_404, is_editor, row_of, rows_of
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.partials import render_page

# The check names every reason; a page so many of them.
_SHOWN = 500


@needs_workspace
@require_http_methods(["GET", "POST"])
@finds_or_404
def check(request: MemberRequest) -> HttpResponse:
    """Whether an output may be handed on; a POST hands it on, or tells (409) what keeps it back."""
    if request.method == "POST":
        check_role(request.user, request.workspace, Role.EDITOR)
    output = entity_for(request)
    asker, at = asker_for(request), datetime.now(UTC)
    status = 200
    try:
        if request.method == "POST":
            services.release(output=output, asker=asker, by=request.user, at=at)
            messages.success(request, "It is released; if something under it falls, it comes first.")
            return redirect(address("lineage-release", ref=asked_ref(request)))
        found = services.check(output=output, asker=asker, at=at)
    except services.NotReleasable as refused:
        found, status = refused.check, 409
    except services.NoOutput:
        raise Http404 from None
    shown = found.problems[:_SHOWN]
    context = {
        "start": row_of(output),
        "check": found,
        "problems": list(zip(shown, rows_of(one.node for one in shown), strict=True)),
        "more": max(0, len(found.problems) - _SHOWN),
        "is_editor": is_editor(request),
    }
    return render_page(request, "lineage/release.html", context, status=status)
