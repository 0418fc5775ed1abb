"""recovery-log.json as a download."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from provenance_site.accounts.access import MemberRequest, needs_workspace
from sources.models import Project
from validation.queries.recoveries import recoveries_of
from validation.reports.recovery_log import FILE_NAME, recovery_log


@needs_workspace
@require_GET
def project_recovery_log(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The project's recoveries as a file; an empty list where nothing was replaced."""
    project = get_object_or_404(Project.objects.visible_to(request.user), uuid=uuid)
    return HttpResponse(
        recovery_log(recoveries_of(project)).encode(),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{FILE_NAME}"', "X-Content-Type-Options": "nosniff"},
    )
