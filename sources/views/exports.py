"""Downloads."""

from uuid import UUID

from django.http import HttpResponse, HttpResponseBadRequest
from django.views.decorators.http import require_GET

from provenance_site.accounts.access import MemberRequest, needs_workspace
from sources.reports.master_sources import FILE_NAME, Layout
from sources.services.exporting import master_sources_file
from sources.views.lookups import project_for


@needs_workspace
@require_GET
def master_sources(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Master-Sources.md of the project, as a file; `?layout=memo` for the layout of memo pipelines."""
    project = project_for(request.user, uuid)
    wanted = request.GET.get("layout", Layout.VERDICT.value)
    if wanted not in set(Layout):
        return HttpResponseBadRequest(f"layout takes {' or '.join(Layout)}.", content_type="text/plain; charset=utf-8")
    text = master_sources_file(project=project, layout=Layout(wanted), by=request.user)
    return HttpResponse(
        text.encode(),
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{FILE_NAME}"', "X-Content-Type-Options": "nosniff"},
    )
