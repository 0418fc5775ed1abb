"""Editing many sources: choose what to do, look at it before and after, do it. Works without scripting."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import dispatch, permissions
from sources.models import LongDeed, RetractionProposal
from sources.queries.recent_edits import edited_since
from sources.services import bulk_deeds, bulk_edit, retraction_policy, retractions, review, source_edits
from sources.services.bulk_deeds import Deed
from sources.services.retraction_policy import SecondPersonNeeded
from sources.services.source_edits import MOST_AT_ONCE, Look
from sources.views.bulk_forms import EditForm, MarkForm, NoteForm
from sources.views.retraction_lists import PROPOSED
from sources.views.selection import Selection
from sources.views.words import shown_value, words_of

_EDIT = "edit"
_TITLES = {
    _EDIT: "Edit fields",
    Deed.DROP: "Drop",
    Deed.RETRACT: "Mark retracted",
    Deed.UNRETRACT: "Take the retraction mark off",
}
_NOTES: dict[Deed, type[NoteForm]] = {Deed.DROP: NoteForm, Deed.RETRACT: MarkForm, Deed.UNRETRACT: MarkForm}
_DONE = {
    _EDIT: "Edited {}.",
    Deed.DROP: "Dropped {}.",
    Deed.RETRACT: "Marked {} retracted.",
    Deed.UNRETRACT: "Took the retraction mark off {}.",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One POST: the sources, what is to be done, and its form (None before anything was chosen)."""

    selection: Selection
    source_ids: list[int]
    deed: str
    form: EditForm | NoteForm | None


@needs_workspace
@require_POST
def edit(request: MemberRequest) -> HttpResponse:
    """Without `deed` the ways to edit what was chosen; with it the preview of one. Writes nothing."""
    wanted = _wanted(request)
    problem = unusable(wanted.source_ids)
    if problem:
        messages.warning(request, problem)
        return redirect(_back(wanted.selection))
    if wanted.form is None or not wanted.form.is_valid():
        return _choose(request, wanted)
    return _preview(request, wanted)


@needs_workspace
@require_POST
def edit_apply(request: MemberRequest) -> HttpResponse:
    """Does what was looked at; 409 with the preview as it is now where the sources changed since.

    Many sources are a worker's, and the page of that deed follows.
    """
    wanted = _wanted(request)
    if wanted.form is None or not wanted.form.is_valid():
        return _choose(request, wanted)
    try:
        done = _do(request, wanted)
    except bulk_edit.ListChanged:
        return _preview(request, wanted, changed_since=request.POST.get("looked_at", "") or "unknown")
    except (
        bulk_edit.EditRefused, review.DecisionRefused, retractions.NoteMissing, SecondPersonNeeded
    ) as refused:  # fmt: skip
        wanted.form.add_error(None, str(refused))
        return _choose(request, wanted)
    if isinstance(done, RetractionProposal):
        messages.success(request, PROPOSED)
        return redirect("retraction-proposal", done.uuid)
    if isinstance(done, LongDeed):
        return redirect("long-deed", done.job.uuid)
    if done is None:
        messages.info(request, "Nothing was to change: all chosen sources are so already.")
    else:
        touched = done.changes.filter(model=bulk_edit.SOURCE).count() or done.changes.count()
        words = _DONE[wanted.deed].format(counted(touched, "source"))
        messages.success(request, f"{words} The History page can take it back.")
    return redirect(_back(wanted.selection))


def unusable(source_ids: list[int]) -> str:
    """Why a selection cannot be worked on and the way out; '' where it can."""
    if not source_ids:
        return "No source is chosen. Tick some, or choose all that match."
    if len(source_ids) > MOST_AT_ONCE:
        return f"More than {MOST_AT_ONCE:,} sources are chosen, the most that go at once. Narrow the list first."
    return ""


def _back(selection: Selection) -> str:
    return f"{reverse('source-list')}?{selection.query}"


def _wanted(request: MemberRequest) -> Wanted:
    workspace_id = request.workspace.pk
    permissions.check_can_curate(request.user, workspace_id)
    selection = Selection.of(request.POST)
    deed = request.POST.get("deed", "")
    form: EditForm | NoteForm | None = None
    if deed == _EDIT:
        form = EditForm(request.POST, workspace_id=workspace_id)
    elif deed in set(Deed):
        check = permissions.check_can_decide if deed == Deed.DROP else permissions.check_can_retract
        check(request.user, workspace_id)
        form = _NOTES[Deed(deed)](request.POST, auto_id=f"id_{deed}_%s")
    elif deed:
        raise PermissionDenied("This is nothing that can be done to sources.")
    return Wanted(selection, selection.source_ids(workspace_id=workspace_id), deed, form)


def _choose(request: MemberRequest, wanted: Wanted) -> HttpResponse:
    workspace_id = request.workspace.pk
    notes: dict[str, forms.Form] = {deed: _NOTES[deed](auto_id=f"id_{deed}_%s") for deed in Deed}
    edit_form: forms.Form = EditForm(workspace_id=workspace_id)
    match wanted.form:
        case EditForm():
            edit_form = wanted.form
        case NoteForm():
            notes[wanted.deed] = wanted.form
    context = {
        "number": len(wanted.source_ids),
        "selection": wanted.selection,
        "edit_form": edit_form,
        "drop_form": notes[Deed.DROP],
        "retract_form": notes[Deed.RETRACT],
        "unretract_form": notes[Deed.UNRETRACT],
        "can_decide": permissions.can_decide(request.user, workspace_id),
        "can_retract": permissions.can_retract(request.user, workspace_id),
    }
    return render_page(request, "sources/bulk_edit.html", context, status=422 if wanted.form is not None else 200)


def _preview(request: MemberRequest, wanted: Wanted, *, changed_since: str = "") -> HttpResponse:
    look = _look(request, wanted)
    context: dict[str, Any] = {
        "title": _TITLES[wanted.deed],
        "deed": wanted.deed,
        "selection": wanted.selection,
        "look": look,
        "rows": [(row.source, list(_changes(row))) for row in look.rows],
        "untouched": look.total - look.changing,
        "carried": list(_carried(request, wanted)),
        "looked_at": datetime.now(UTC).isoformat(),
        "difference": _difference(wanted, look),
        "is_stale": bool(changed_since),
        "two_persons": wanted.deed in {Deed.RETRACT, Deed.UNRETRACT}
        and retraction_policy.needs_second_person(workspace_id=request.workspace.pk),
        "edited_since": (
            edited_since(workspace_id=request.workspace.pk, source_ids=wanted.source_ids, moment=changed_since)
            if changed_since
            else []
        ),
    }
    return render_page(request, "sources/bulk_preview.html", context, status=409 if changed_since else 200)


def _look(request: MemberRequest, wanted: Wanted) -> Look:
    workspace_id = request.workspace.pk
    if isinstance(wanted.form, EditForm):
        return source_edits.look(workspace_id=workspace_id, source_ids=wanted.source_ids, edit=wanted.form.given)
    given = _given(wanted)
    return bulk_deeds.look(workspace_id=workspace_id, source_ids=wanted.source_ids, deed=Deed(wanted.deed), **given)


def _do(request: MemberRequest, wanted: Wanted) -> ChangeSet | LongDeed | RetractionProposal | None:
    common: dict[str, Any] = {
        "query": wanted.selection.query,
        "workspace_id": request.workspace.pk,
        "source_ids": wanted.source_ids,
        "seen": request.POST.get("digest", ""),
        "by": request.user,
        "channel": Channel.PAGE,
        "at": datetime.now(UTC),
    }
    if isinstance(wanted.form, EditForm):
        return dispatch.edit(change=wanted.form.given, **common)
    return dispatch.do(deed=Deed(wanted.deed), **_given(wanted), **common)


def _given(wanted: Wanted) -> dict[str, Any]:
    told = wanted.form.cleaned_data if wanted.form else {}
    return {"note": told.get("note", ""), "over_decisions": told.get("over_decisions", False)}


def _difference(wanted: Wanted, look: Look) -> str:
    """What became of the list since the person chose from it, '' where it has as many as then."""
    expected = wanted.selection.expected
    if expected is None or expected == look.total:
        return ""
    change = counted(abs(look.total - expected), "source") + (" more" if look.total > expected else " fewer")
    return f"When you chose, {counted(expected, 'source')} were meant; now {look.total:,} are, {change}."


def _changes(row: source_edits.RowPlan) -> Iterator[tuple[str, str, str]]:
    """Field, before and after of one row, in words."""
    for name, after in row.after.items():
        if name != "fingerprint":
            yield words_of(name), shown_value(name, row.before.get(name, "")), shown_value(name, after)


def _carried(request: MemberRequest, wanted: Wanted) -> Iterator[tuple[str, str]]:
    """The form's own fields as they were given, for the confirmation."""
    for name in wanted.form.fields if wanted.form else ():
        value = request.POST.get(name, "")
        if value:
            yield name, value
