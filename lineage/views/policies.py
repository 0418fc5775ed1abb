"""What the workspace wants of each type of node."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from lineage.core.relations import EntityType
from lineage.services import policies
from lineage.views.forms import PolicyForm
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page


@needs_workspace
@require_http_methods(["GET", "POST"])
def listed(request: MemberRequest) -> HttpResponse:
    """What the workspace wants of each type; a POST with `type` sets one."""
    check_role(request.user, request.workspace, Role.ADMIN)
    held = policies.policies_of(workspace_id=request.workspace.pk)
    kind = request.POST.get("type", "") or request.GET.get("type", "")
    form: PolicyForm | None = None
    status = 200
    if kind in set(EntityType):
        entity_type = EntityType(kind)
        now = held[entity_type]
        initial = {name: getattr(now, name) for name in type(now).__dataclass_fields__}
        form = PolicyForm(request.POST if request.method == "POST" else None, initial=initial)
        if request.method == "POST" and form.is_valid():
            try:
                done = policies.set_policy(
                    workspace_id=request.workspace.pk,
                    entity_type=entity_type,
                    policy=form.policy,
                    by=request.user,
                    channel=Channel.PAGE,
                    at=datetime.now(UTC),
                )
            except policies.PolicyRefused as refused:
                form.add_error(None, str(refused))
            else:
                messages.success(
                    request, f"Set for {kind}. History has the undo." if done else f"Nothing changed for {kind}."
                )
                return redirect("lineage-policies")
        status = 422 if form.errors else 200
    rows = [(one, policy, policy != policies.Policy()) for one, policy in held.items()]
    context: dict[str, Any] = {"rows": rows, "form": form, "type": kind if form else ""}
    return render_page(request, "lineage/policies.html", context, status=status)
