"""Deciding about a list of works in the admin, by the service of the Retractions screen: look first, then do it."""

from datetime import UTC, datetime
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.text import counted
from sources import dispatch
from sources.models import RetractionDecision, RetractionProposal
from sources.services import retraction_lists
from sources.services.retraction_decisions import DecisionRefused
from sources.services.retraction_lists import ListChanged
from sources.services.retraction_policy import SecondPersonNeeded
from sources.views.retraction_forms import ListForm

_SHOWN = 200


class WorkspaceListForm(ListForm):
    """A list, and in which workspace it is decided: one of those in which the person is an administrator."""

    workspace = forms.ModelChoiceField(queryset=Workspace.objects.none())
    field_order = ["workspace", "text", "file", "status", "note", "over_decisions"]

    def __init__(self, *args: Any, person: User, **options: Any) -> None:
        super().__init__(*args, **options)
        mine = Workspace.objects.filter(memberships__user=person, memberships__role=Role.ADMIN)
        cast(Any, self.fields["workspace"]).queryset = mine.order_by("name")


def answer(admin: "ModelAdmin[RetractionDecision]", request: HttpRequest) -> HttpResponse:
    """The form; a POST shows what the list would do, one with the look's digest does it. 409 where sources changed."""
    person = cast(User, request.user)
    if request.method != "POST":
        return _page(admin, request, {"form": WorkspaceListForm(person=person)})
    form = WorkspaceListForm(request.POST, request.FILES, person=person)
    if not form.is_valid():
        return _page(admin, request, {"form": form}, status=422)
    workspace_id, problem = form.cleaned_data["workspace"].pk, ""
    if request.POST.get("digest"):
        try:
            done = dispatch.decide_about_list(
                workspace_id=workspace_id,
                given=form.given,
                seen=request.POST["digest"],
                by=person,
                channel=Channel.ADMIN,
                at=datetime.now(UTC),
            )
        except (DecisionRefused, SecondPersonNeeded) as refused:
            form.add_error("note", str(refused))
            return _page(admin, request, {"form": form}, status=422)
        except ListChanged as news:
            problem = str(news)
        else:
            messages.success(request, _told(done))
            return redirect("admin:sources_retractiondecision_changelist")
    look = retraction_lists.look(workspace_id=workspace_id, given=form.given)
    context = {
        "look": look,
        "planned": look.planned[:_SHOWN],
        "skipped": look.skipped[:_SHOWN],
        "errors": look.errors[:_SHOWN],
        "carried": [*form.carried, ("workspace", workspace_id)],
        "problem": problem,
    }
    return _page(admin, request, context, status=409 if problem else 200)


def _told(done: ChangeSet | RetractionProposal | None) -> str:
    if isinstance(done, RetractionProposal):
        page = reverse("retraction-proposal", args=[done.uuid])
        return f"Proposed to the other administrators: {page}. Nothing is changed yet."
    number = done.changes.count() if done else 0
    return f"Decided about {counted(number, 'source')}. The History page can take it back."


def _page(
    admin: "ModelAdmin[RetractionDecision]", request: HttpRequest, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    about = {**admin.admin_site.each_context(request), "title": "Decide about a list", "opts": admin.model._meta}
    return TemplateResponse(request, "admin/sources/retraction_list.html", about | context, status=status)
