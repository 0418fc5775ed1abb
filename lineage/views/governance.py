"""What is handed on, what was removed, what is wanted of each type, and who else is told."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from lineage.core.relations import EntityType
from lineage.models import OutboxEvent, Relay
from lineage.reports import deletion_report as report_files
from lineage.services import deletion_report, outbox, policies, release
from lineage.views.asking import address, asked_ref, asker_for, entity_for, finds_or_404, is_editor, row_of
from lineage.views.forms import PolicyForm, RelayForm
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.kit.downloads import attachment
from provenance_site.kit.partials import render_page

_SHOWN = 500


@needs_workspace
@require_http_methods(["GET", "POST"])
@finds_or_404
def release_check(request: MemberRequest) -> HttpResponse:
    """Whether an output may be handed on; a POST hands it on, or tells (409) what keeps it back."""
    if request.method == "POST":
        check_role(request.user, request.workspace, Role.EDITOR)
    output = entity_for(request)
    asker, at = asker_for(request), datetime.now(UTC)
    status = 200
    try:
        if request.method == "POST":
            release.release(output=output, asker=asker, by=request.user, at=at)
            messages.success(request, "It is released; if something under it falls, it comes first.")
            return redirect(address("lineage-release", ref=asked_ref(request)))
        found = release.check(output=output, asker=asker, at=at)
    except release.NotReleasable as refused:
        found, status = refused.check, 409
    except release.NoOutput:
        raise Http404 from None
    context = {
        "start": row_of(output),
        "check": found,
        "problems": found.problems[:_SHOWN],
        "more": max(0, len(found.problems) - _SHOWN),
        "is_editor": is_editor(request),
    }
    return render_page(request, "lineage/release.html", context, status=status)


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


@needs_workspace
@require_http_methods(["GET", "POST"])
def policy_list(request: MemberRequest) -> HttpResponse:
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


@needs_workspace
@require_http_methods(["GET", "POST"])
def relay_list(request: MemberRequest) -> HttpResponse:
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
def relay_remove(request: MemberRequest, pk: int) -> HttpResponse:
    """Tells a service no more."""
    check_role(request.user, request.workspace, Role.ADMIN)
    relay = get_object_or_404(Relay, workspace=request.workspace, pk=pk)
    outbox.remove(relay=relay, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(request, f"{relay.name} is told no more.")
    return redirect("lineage-relays")
