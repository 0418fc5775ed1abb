"""The services that are told of our lineage."""

from datetime import UTC, datetime

from django.contrib import messages
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from lineage.models import OutboxEvent, Relay
from lineage.services import outbox
from lineage.views.forms import RelayForm
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page


@needs_workspace
@require_http_methods(["GET", "POST"])
def listed(request: MemberRequest) -> HttpResponse:
    """The services that are told of our lineage, and how far each has it; a POST adds one."""
    check_role(request.user, request.workspace, Role.ADMIN)
    form = RelayForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = outbox.add(
                workspace_id=request.workspace.pk,
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
                **form.cleaned_data,
            )
        except outbox.RelayRefused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, f"{made.name} is told from now on.")
            return redirect("lineage-relays")
    newest = OutboxEvent.objects.filter(workspace=request.workspace).aggregate(last=Max("pk"))["last"] or 0
    relays = list(Relay.objects.filter(workspace=request.workspace).order_by("name"))
    behind = {
        relay.pk: OutboxEvent.objects.filter(workspace=request.workspace, pk__gt=relay.sent_through).count()
        if relay.sent_through < newest
        else 0
        for relay in relays
    }
    context = {"form": form, "relays": [(relay, behind[relay.pk]) for relay in relays]}
    return render_page(request, "lineage/relays.html", context, status=422 if form.errors else 200)


@needs_workspace
@require_POST
def remove(request: MemberRequest, pk: int) -> HttpResponse:
    """Tells a service no more."""
    check_role(request.user, request.workspace, Role.ADMIN)
    relay = get_object_or_404(Relay, workspace=request.workspace, pk=pk)
    outbox.remove(relay=relay, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(request, f"{relay.name} is told no more.")
    return redirect("lineage-relays")
