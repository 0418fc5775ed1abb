"""A node with what it rests on and what rests on it, as a file for other tools."""

from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from lineage.queries import graph_rows
from lineage.reports.interchange import FORMATS
from lineage.views.asking import asked_ref, asker_for, finds_or_404
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.downloads import attachment


@needs_workspace
@require_GET
@finds_or_404
def graph_file(request: MemberRequest) -> HttpResponseBase:
    """`?format=` of `?ref=`, streamed: `?direction=` up, down, or both where none is given. 404 for others."""
    chosen = FORMATS.get(request.GET.get("format", ""))
    directions = graph_rows.DIRECTIONS.get(request.GET.get("direction", "") or "both")
    if chosen is None or directions is None:
        raise Http404
    graph = graph_rows.around(ref=asked_ref(request), directions=directions, asker=asker_for(request))
    return StreamingHttpResponse(
        chosen.write(graph), content_type=chosen.content_type, headers=attachment(f"lineage.{chosen.ending}")
    )
