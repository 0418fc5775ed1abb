"""A workspace's own publishers and patterns on screen: enter, look at what it would match, save."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.models import Workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from sources import permissions
from validation.core.own_entries import EntryRefused, PatternEntry, PublisherEntry
from validation.core.publishers import gated_publisher
from validation.models import OwnEntry
from validation.queries.own_entries import Trial, built_in, own_patterns, own_publishers
from validation.services import own_entries
from validation.views.own_rule_forms import OwnEntryForm, PatternForm, PublisherForm

_BUTTON_SAVE = "save"
_BUTTON_BACK = "change"


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the two kinds of entries: what it is called in addresses and pages, its form, its rows and its services.

    `tick` names the field by which a person agrees that verified sources match, '' where none has to.
    """

    noun: str
    form: type[PublisherForm] | type[PatternForm]
    rows: Callable[[Workspace], QuerySet[Any]]
    try_entry: Callable[..., tuple[Any, Trial]]
    save_entry: Callable[..., OwnEntry]
    tick: str = ""


PUBLISHER = Kind("publisher", PublisherForm, own_publishers, own_entries.try_publisher, own_entries.save_publisher)
PATTERN = Kind(
    "pattern", PatternForm, own_patterns, own_entries.try_pattern, own_entries.save_pattern, tick="also_verified"
)


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
def own_rule(request: MemberRequest, kind: Kind, uuid: UUID | None = None) -> HttpResponse:
    """An entry's form; `step=try` shows what it would match, `step=save` writes it.

    A pattern that hits verified sources is saved with a tick only.
    """
    permissions.check_can_decide(request.user, request.workspace.pk)
    row = get_object_or_404(kind.rows(request.workspace), uuid=uuid) if uuid else None
    if request.method == "GET":
        return _form_page(request, kind.form(initial=kind.form.values_of(row) if row else None), row, kind)
    form = kind.form(request.POST)
    if not form.is_valid() or request.POST.get("step") == _BUTTON_BACK:
        return _form_page(request, form, row, kind)
    unticked = ""
    try:
        if request.POST.get("step") == _BUTTON_SAVE:
            return _saved(request, _save(request, kind, form, row))
        entry, trial = kind.try_entry(workspace=request.workspace, entry=form.entry, by=request.user, row=row)
    except EntryRefused as refused:
        form.show(refused.problems)
        return _form_page(request, form, row, kind)
    except own_entries.EditedMeanwhile as edited:
        messages.warning(request, str(edited))
        return redirect("own-rules")
    except own_entries.HitsVerified as hits:
        entry, trial, unticked = form.entry, hits.trial, str(hits)
    return _preview_page(request, form, row, kind, entry=entry, trial=trial, unticked=unticked)


@needs_workspace
@require_POST
def own_rule_turn(request: MemberRequest, kind: Kind, uuid: UUID) -> HttpResponse:
    """Turns an entry on (`on=yes`) or off."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    row = get_object_or_404(kind.rows(request.workspace), uuid=uuid)
    on = request.POST.get("on") == "yes"
    try:
        own_entries.turn(row=row, on=on, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except own_entries.HitsVerified:
        messages.warning(request, f"“{row.name}” matches verified sources now. Look at them, then save it again.")
        return redirect(f"own-{kind.noun}", row.uuid)
    except (EntryRefused, own_entries.EditedMeanwhile) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"“{row.name}” is turned {'on' if on else 'off'}. Checks go by it from now on.")
    return redirect("own-rules")


@needs_workspace
@require_POST
def own_rule_delete(request: MemberRequest, kind: Kind, uuid: UUID) -> HttpResponse:
    """Deletes an entry."""
    permissions.check_can_decide(request.user, request.workspace.pk)
    row = get_object_or_404(kind.rows(request.workspace), uuid=uuid)
    try:
        own_entries.delete(row=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except own_entries.EditedMeanwhile as edited:
        messages.warning(request, str(edited))
    else:
        messages.success(request, f"“{row.name}” is deleted. History has the undo.")
    return redirect("own-rules")


def _save(request: MemberRequest, kind: Kind, form: PublisherForm | PatternForm, row: OwnEntry | None) -> OwnEntry:
    ticked = {kind.tick: request.POST.get(kind.tick) == "yes"} if kind.tick else {}
    return kind.save_entry(
        workspace=request.workspace,
        entry=form.entry,
        by=request.user,
        channel=Channel.PAGE,
        at=datetime.now(UTC),
        row=row,
        seen_version=form.cleaned_data["row_version"],
        **ticked,
    )


def _saved(request: MemberRequest, row: OwnEntry) -> HttpResponse:
    messages.success(request, f"“{row.name}” is saved. Checks go by it from now on; History has the undo.")
    return redirect("own-rules")


def _form_page(request: MemberRequest, form: OwnEntryForm, row: OwnEntry | None, kind: Kind) -> HttpResponse:
    # Going back from the preview is no mistake: a bound form without errors is shown with 200.
    status = 422 if form.is_bound and form.errors else 200
    return render_page(request, "validation/own_rule_form.html", _context(form, row, kind), status=status)


def _preview_page(
    request: MemberRequest,
    form: OwnEntryForm,
    row: OwnEntry | None,
    kind: Kind,
    *,
    entry: PublisherEntry | PatternEntry,
    trial: Trial,
    unticked: str,
) -> HttpResponse:
    domains = entry.domains if isinstance(entry, PublisherEntry) else ()
    context = {
        **_context(form, row, kind),
        "entry": entry,
        "trial": trial,
        "rest": trial.matching - len(trial.shown),
        "overlaps": [(domain, known.name) for domain in domains if (known := gated_publisher(domain)) is not None],
        "unticked": unticked,
    }
    return render_page(request, "validation/own_rule_preview.html", context, status=422 if unticked else 200)


def _context(form: OwnEntryForm, row: OwnEntry | None, kind: Kind) -> Mapping[str, Any]:
    here = reverse(f"own-{kind.noun}", args=[row.uuid]) if row else reverse(f"own-{kind.noun}-new")
    return {"form": form, "row": row, "noun": kind.noun, "here": here}
