"""Deciding about many works from a list: paste it, look at it before and after, do it. Works without scripting."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import dispatch, permissions
from sources.models import RetractionProposal
from sources.services import retraction_lists, retraction_policy
from sources.services.retraction_decisions import DecisionRefused
from sources.services.retraction_lists import ListChanged
from sources.services.retraction_policy import SecondPersonNeeded
from sources.views.retraction_forms import ListForm

SHOWN = 200
PROPOSED = "Proposed. Nothing is changed yet: another administrator approves or refuses it, and is told now."


@needs_workspace
@require_http_methods(["GET", "POST"])
def retraction_list(request: MemberRequest) -> HttpResponse:
    """The form of a list; a POST shows what it would do, and writes nothing."""
    permissions.check_can_retract(request.user, request.workspace.pk)
    if request.method == "GET":
        return render_page(request, "sources/retraction_list.html", {"form": ListForm()})
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        return render_page(request, "sources/retraction_list.html", {"form": form}, status=422)
    return _preview(request, form)


@needs_workspace
@require_POST
def retraction_list_apply(request: MemberRequest) -> HttpResponse:
    """Does what was looked at; 409 with the preview as it is now where sources changed since."""
    permissions.check_can_retract(request.user, request.workspace.pk)
    form = ListForm(request.POST)
    if not form.is_valid():
        return render_page(request, "sources/retraction_list.html", {"form": form}, status=422)
    try:
        done = dispatch.decide_about_list(
            workspace_id=request.workspace.pk,
            given=form.given,
            seen=request.POST.get("digest", ""),
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except ListChanged as news:
        return _preview(request, form, problem=str(news))
    except (DecisionRefused, SecondPersonNeeded) as refused:
        form.add_error("note", str(refused))
        return render_page(request, "sources/retraction_list.html", {"form": form}, status=422)
    if isinstance(done, RetractionProposal):
        messages.success(request, PROPOSED)
        return redirect("retraction-proposal", done.uuid)
    if done is None:
        messages.info(request, "Nothing was to change: see what was left alone and why.")
    else:
        messages.success(
            request, f"Decided about {counted(done.changes.count(), 'source')}. The History page can take it back."
        )
    return redirect("retractions")


def _preview(request: MemberRequest, form: ListForm, *, problem: str = "") -> HttpResponse:
    look = retraction_lists.look(workspace_id=request.workspace.pk, given=form.given)
    context = {
        "look": look,
        "planned": look.planned[:SHOWN],
        "skipped": look.skipped[:SHOWN],
        "errors": look.errors[:SHOWN],
        "carried": form.carried,
        "problem": problem,
        "two_persons": retraction_policy.needs_second_person(workspace_id=request.workspace.pk),
    }
    return render_page(request, "sources/retraction_list_preview.html", context, status=409 if problem else 200)
