"""What became of all that rested on a node that was removed."""

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from lineage.reports import deletion_report as report_files
from lineage.services import deletion_report
from lineage.views.asking import asked_ref, asker_for, entity_for, finds_or_404, row_of
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.downloads import attachment
from provenance_site.kit.partials import render_page

# The files have the others.
_SHOWN = 500


@needs_workspace
@require_GET
@finds_or_404
def deletion(request: MemberRequest) -> HttpResponseBase:
    """What became of all that rested on a removed node; `as=md` and `as=json` are files."""
    entity = entity_for(request)
    found = deletion_report.report(entity_ids=[entity.pk], asker=asker_for(request))
    match request.GET.get("as", ""):
        case "md":
            headers = attachment("deletion-report.md")
            return StreamingHttpResponse(
                report_files.markdown(found), content_type="text/markdown; charset=utf-8", headers=headers
            )
        case "json":
            headers = attachment("deletion-report.json")
            return HttpResponse(report_files.as_json(found), content_type="application/json", headers=headers)
        case _:
            context = {
                "start": row_of(entity),
                "ref": asked_ref(request),
                "report": found,
                "counts": sorted(found.counts.items()),
                "descendants": found.descendants[:_SHOWN],
                "more": max(0, len(found.descendants) - _SHOWN),
            }
            return render_page(request, "lineage/deletion.html", context)
