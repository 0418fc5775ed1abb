"""Merging many groups by one rule: first the look, then the deed."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.services import merge_rows, merging
from sources.services.merge_cases import MergeRefused, Wanted, all_by
from sources.views.duplicate_forms import BulkForm
from sources.views.duplicate_rows import field_choices

_SHOWN = 10


@needs_workspace
@require_http_methods(["GET", "POST"])
def duplicate_bulk(request: MemberRequest) -> HttpResponse:
    """What merging all groups by the rules would do, with the first ten; a POST does exactly that, or shows it anew."""
    workspace_id = request.workspace.pk
    permissions.check_can_curate(request.user, workspace_id)
    data = request.GET if request.method == "GET" else request.POST
    form = BulkForm(data)
    if not form.is_valid():
        messages.error(request, "The address asks for a rule that is not known here. Choose one from the list.")
        return redirect("duplicates")
    by_rule = all_by(workspace_id=workspace_id, reason=form.reason_wanted, keep=form.keep, fields=form.rule)
    wanted, at = by_rule.wanted, datetime.now(UTC)
    if not wanted:
        messages.info(request, "No group can be merged by a rule. Look at those that are left one by one.")
        return redirect("duplicates")
    problem = ""
    if request.method == "POST":
        problem = _merge(request, wanted=wanted, at=at)
        if not problem:
            return redirect("duplicates")
    looks = merging.preview(workspace_id=workspace_id, wanted=wanted, by=request.user, at=at)
    moving = sum((Counter(look.moving) for look in looks), Counter())
    return render_page(
        request,
        "sources/merge_bulk.html",
        {
            "form": form,
            "shown": [(look, [one for one in field_choices(look) if one.changes]) for look in looks[:_SHOWN]],
            "groups": len(looks),
            "going": sum(len(look.going) for look in looks),
            "moving": merge_rows.counted_words(moving),
            "former_ids": sum(len(look.former_ids) for look in looks),
            "retracted": [source for look in looks for source in look.retracted],
            "dissent": sum(look.dissent for look in looks),
            "later": by_rule.later,
            "left_out": by_rule.left_out,
            "expected": _digest(wanted),
            "problem": problem,
        },
        status=422 if problem else 200,
    )


def _merge(request: MemberRequest, *, wanted: Sequence[Wanted], at: datetime) -> str:
    """Merges what was looked at; gives what stands in the way, '' where it was done."""
    if request.POST.get("expected") != _digest(wanted):
        return "The groups changed since you looked. Nothing was merged; look again and confirm."
    try:
        merging.merge(
            workspace_id=request.workspace.pk,
            wanted=wanted,
            carry_retractions=request.POST.get("also_retracted") == "yes",
            by=request.user,
            channel=Channel.PAGE,
            at=at,
        )
    except MergeRefused as refused:
        return str(refused)
    messages.success(request, f"Merged {counted(len(wanted), 'group')}. The undo is below and in History.")
    return ""


def _digest(wanted: Sequence[Wanted]) -> str:
    """Names what was looked at, so that a confirmation never merges anything else."""
    told = ";".join(",".join(str(pk) for pk in one.everyone) + one.fields for one in wanted)
    return hashlib.sha256(told.encode()).hexdigest()
