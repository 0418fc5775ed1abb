"""Where lineage begins: finding a node by its ref or its words, and ways to the other pages."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from lineage import access
from lineage.core.asked import normal
from lineage.queries import words
from lineage.services import worklist
from lineage.views.asking import address, asker_for, is_admin, rows_of
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.partials import render_page

_NEWEST = 10


@needs_workspace
@require_GET
def start(request: MemberRequest) -> HttpResponse:
    """Finds nodes by `q`; a whole ref leads to its page at once. Without `q` the newest outputs."""
    asker = asker_for(request)
    text = request.GET.get("q", "").strip()[:2_100]
    if "://" in text:
        try:
            return redirect(address("lineage-entity", ref=access.entity_at(normal(text), asker=asker).ref))
        except access.NoSuchEntity:
            pass
    found = list(words.found(text=text, asker=asker)[: words.MOST_FOUND + 1]) if text else []
    context = {
        "q": text,
        "rows": rows_of(found[: words.MOST_FOUND]),
        "has_more": len(found) > words.MOST_FOUND,
        "most": words.MOST_FOUND,
        "newest": [] if text else rows_of(words.newest(asker=asker, number=_NEWEST)),
        "waiting": worklist.waiting(asker).count(),
        "is_admin": is_admin(request),
    }
    return render_page(request, "lineage/start.html", context, partial="lineage/_found.html")
