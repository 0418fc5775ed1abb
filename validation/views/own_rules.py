"""A workspace's own publishers and patterns on screen: enter, look at what it would match, save."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from sources import permissions
from validation.core.own_entries import EntryRefused
from validation.core.publishers import gated_publisher
from validation.models import OwnEntry, OwnPattern, OwnPublisher
from validation.queries.own_entries import Trial, built_in, own_patterns, own_publishers
from validation.services import own_entries
from validation.views.own_rule_forms import OwnEntryForm, PatternForm, PublisherForm

_BUTTON_SAVE = "save"
_BUTTON_BACK = "change"


@needs_workspace
@require_GET
def own_rules(request: MemberRequest) -> HttpResponse:
    """The workspace's own entries, and the built-in ones that `q` finds."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    wanted = request.GET.get("q", "").strip()[:100]
    context = {
        "publishers": own_publishers(request.workspace),
        "patterns": own_patterns(request.workspace),
        "built_in": built_in(wanted),
        "q": wanted,
        "room": own_entries.room_left(request.workspace),
        "most": own_entries.MOST_ENTRIES,
    }
    return render_page(request, "validation/own_rules.html", context)


@needs_workspace
@require_http_methods(["GET", "POST"])
def publisher(request: MemberRequest, uuid: UUID | None = None) -> HttpResponse:
    """A publisher's form; `step=try` shows what it would match, `step=save` writes it."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    row = get_object_or_404(own_publishers(request.workspace), uuid=uuid) if uuid else None
    if request.method == "GET":
        return _form_page(
            request, PublisherForm(initial=PublisherForm.values_of(row) if row else None), row, "publisher"
        )
    form = PublisherForm(request.POST)
    if not form.is_valid() or request.POST.get("step") == _BUTTON_BACK:
        return _form_page(request, form, row, "publisher")
    try:
        if request.POST.get("step") == _BUTTON_SAVE:
            saved = own_entries.save_publisher(
                workspace=request.workspace,
                entry=form.entry,
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
                row=row,
                seen_version=form.cleaned_data["row_version"],
            )
            return _saved(request, saved)
        entry, trial = own_entries.try_publisher(
            workspace=request.workspace, entry=form.entry, by=request.user, row=row
        )
    except EntryRefused as refused:
        form.show(refused.problems)
        return _form_page(request, form, row, "publisher")
    except own_entries.EditedMeanwhile as edited:
        return _stale(request, edited)
    overlaps = [(domain, known.name) for domain in entry.domains if (known := gated_publisher(domain)) is not None]
    return _preview_page(request, form, row, "publisher", entry=entry, trial=trial, overlaps=overlaps)


@needs_workspace
@require_http_methods(["GET", "POST"])
def pattern(request: MemberRequest, uuid: UUID | None = None) -> HttpResponse:
    """A pattern's form, as `publisher`; one that hits verified sources is saved with a tick only."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    row = get_object_or_404(own_patterns(request.workspace), uuid=uuid) if uuid else None
    if request.method == "GET":
        blank = PatternForm(initial=PatternForm.values_of(row) if row else None)
        return _form_page(request, blank, row, "pattern")
    form = PatternForm(request.POST)
    if not form.is_valid() or request.POST.get("step") == _BUTTON_BACK:
        return _form_page(request, form, row, "pattern")
    unticked = ""
    try:
        if request.POST.get("step") == _BUTTON_SAVE:
            saved = own_entries.save_pattern(
                workspace=request.workspace,
                entry=form.entry,
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
                also_verified=request.POST.get("also_verified") == "yes",
                row=row,
                seen_version=form.cleaned_data["row_version"],
            )
            return _saved(request, saved)
        entry, trial = own_entries.try_pattern(workspace=request.workspace, entry=form.entry, by=request.user, row=row)
    except EntryRefused as refused:
        form.show(refused.problems)
        return _form_page(request, form, row, "pattern")
    except own_entries.EditedMeanwhile as edited:
        return _stale(request, edited)
    except own_entries.HitsVerified as hits:
        entry, trial, unticked = form.entry, hits.trial, str(hits)
    return _preview_page(request, form, row, "pattern", entry=entry, trial=trial, unticked=unticked)


@needs_workspace
@require_POST
def publisher_turn(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Turns a publisher on (`on=yes`) or off."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    return _turn(request, get_object_or_404(own_publishers(request.workspace), uuid=uuid))


@needs_workspace
@require_POST
def pattern_turn(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Turns a pattern on (`on=yes`) or off."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    return _turn(request, get_object_or_404(own_patterns(request.workspace), uuid=uuid))


@needs_workspace
@require_POST
def publisher_delete(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Deletes a publisher."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    return _delete(request, get_object_or_404(own_publishers(request.workspace), uuid=uuid))


@needs_workspace
@require_POST
def pattern_delete(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Deletes a pattern."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    return _delete(request, get_object_or_404(own_patterns(request.workspace), uuid=uuid))


def _turn(request: MemberRequest, row: OwnPublisher | OwnPattern) -> HttpResponse:
    on = request.POST.get("on") == "yes"
    try:
        own_entries.turn(row=row, on=on, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except own_entries.HitsVerified:
        messages.warning(request, f"“{row.name}” matches verified sources now. Look at them, then save it again.")
        return redirect("own-pattern", row.uuid)
    except EntryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"“{row.name}” is turned {'on' if on else 'off'}. Checks go by it from now on.")
    return redirect("own-rules")


def _delete(request: MemberRequest, row: OwnPublisher | OwnPattern) -> HttpResponse:
    own_entries.delete(row=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(request, f"“{row.name}” is deleted. History has the undo.")
    return redirect("own-rules")


def _saved(request: MemberRequest, row: OwnEntry) -> HttpResponse:
    messages.success(request, f"“{row.name}” is saved. Checks go by it from now on; History has the undo.")
    return redirect("own-rules")


def _stale(request: MemberRequest, edited: own_entries.EditedMeanwhile) -> HttpResponse:
    messages.warning(request, str(edited))
    return redirect("own-rules")


def _form_page(request: MemberRequest, form: OwnEntryForm, row: OwnEntry | None, noun: str) -> HttpResponse:
    # Going back from the preview is no mistake: a bound form without errors is shown with 200.
    status = 422 if form.is_bound and form.errors else 200
    return render_page(request, "validation/own_rule_form.html", _context(form, row, noun), status=status)


def _preview_page(
    request: MemberRequest, form: OwnEntryForm, row: OwnEntry | None, noun: str, *, trial: Trial, **more: Any
) -> HttpResponse:
    context = {**_context(form, row, noun), "trial": trial, "rest": trial.matching - len(trial.shown), **more}
    return render_page(
        request, "validation/own_rule_preview.html", context, status=422 if more.get("unticked") else 200
    )


def _context(form: OwnEntryForm, row: OwnEntry | None, noun: str) -> Mapping[str, Any]:
    here = reverse(f"own-{noun}", args=[row.uuid]) if row else reverse(f"own-{noun}-new")
    return {"form": form, "row": row, "noun": noun, "here": here}
