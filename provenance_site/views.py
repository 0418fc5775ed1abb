"""What machines and browsers ask the site itself."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from provenance_site import readiness


@login_not_required
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Where browsers look on pages that name no icon: the admin and the description of the JSON interface."""
    return HttpResponseRedirect(static("desk/favicon.svg"))


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while this process answers. Asks nobody: a supervisor that restarts us would not cure a broken database."""
    return JsonResponse({"status": "ok"})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 where database, migrations and queue are fine, else 503; says which part is not, and nothing more."""
    found = readiness.look()
    status = "ok" if found.ready else "not ready"
    body = {"status": status, "parts": found.parts, "notes": found.notes}
    return JsonResponse(body, status=200 if found.ready else 503)
