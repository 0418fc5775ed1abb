"""What admins decide about a node: its label, a legal hold, and taking personal data out of it."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from lineage.core.relations import Label
from lineage.services import deletion, labels
from lineage.views.asking import address, asked_ref, entity_for, finds_or_404
from lineage.views.entity import page
from lineage.views.forms import LowerForm, ReasonForm
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel

_DEEDS = {
    "hold": (deletion.hold, "A legal hold stands on it."),
    "release": (deletion.release, "The hold is released."),
    "deidentify": (deletion.deidentify, "Owner, metadata and text are taken out, for good."),
}


@needs_workspace
@require_POST
@finds_or_404
def label(request: MemberRequest) -> HttpResponse:
    """Lowers the node's label on purpose, or (`revoke`) ends that."""
    check_role(request.user, request.workspace, Role.ADMIN)
    entity_for(request)
    return _revoked(request) if "revoke" in request.POST else _lowered(request)


@needs_workspace
@require_POST
@finds_or_404
def keep(request: MemberRequest) -> HttpResponse:
    """Puts a legal hold on the node, releases it, or takes personal data out, as `deed` says."""
    check_role(request.user, request.workspace, Role.ADMIN)
    entity_for(request)
    form = ReasonForm(request.POST, prefix="keep")
    deed, said = _DEEDS.get(request.POST.get("deed", ""), (None, ""))
    if form.is_valid() and deed is not None:
        try:
            deed(
                workspace_id=request.workspace.pk,
                ref=asked_ref(request),
                reason=form.cleaned_data["reason"],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except (deletion.NoHold, deletion.OnHold) as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, said)
            return redirect(address("lineage-entity", ref=asked_ref(request)))
    return page(request, keep_form=form, status=422)


def _lowered(request: MemberRequest) -> HttpResponse:
    form = LowerForm(request.POST)
    if form.is_valid():
        try:
            labels.declassify(
                workspace_id=request.workspace.pk,
                ref=asked_ref(request),
                to=Label(form.cleaned_data["to"]),
                reason=form.cleaned_data["reason"],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except labels.NotLowered as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, "The label is lowered, with that of all that rests on it. History has the undo.")
            return redirect(address("lineage-entity", ref=asked_ref(request)))
    return page(request, lower_form=form, status=422)


def _revoked(request: MemberRequest) -> HttpResponse:
    form = ReasonForm(request.POST, prefix="revoke")
    if form.is_valid():
        try:
            labels.revoke(
                workspace_id=request.workspace.pk,
                ref=asked_ref(request),
                reason=form.cleaned_data["reason"],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except labels.NotLowered as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, "The label follows again from what it rests on.")
            # With its old label back, the node may be one that the person reads no more.
            return redirect("lineage")
    return page(request, revoke_form=form, status=422)
