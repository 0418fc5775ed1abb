"""What is done with a draft: another version, the gate again, a reconciliation, another policy."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.core.citations import ChangeKind
from sources.core.decoding import NotText
from sources.models import Draft, DraftVersion
from sources.queries.drafts import version_of
from sources.services import drafts, gating
from sources.services.drafts import DraftChanged, DraftRefused
from sources.views.draft_forms import PolicyForm, TextForm
from sources.views.drafts import asked_version, draft_page
from sources.views.lookups import draft_for

_SHOWN = 500


@needs_workspace
@require_http_methods(["GET", "POST"])
def draft_new(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The form of another version, with the text of the newest in it. One that was opened before somebody gave a
    version is refused with 409 and keeps what was written."""
    found = draft_for(request.user, uuid)
    permissions.check_can_curate(request.user, found.project.workspace_id)
    newest = version_of(found)
    initial = {"text": newest.text if newest else "", "seen": newest.number if newest else 0}
    if request.method == "GET":
        return _form(request, found, TextForm(initial=initial))
    form = TextForm(request.POST, request.FILES, initial=initial)
    if not form.is_valid():
        return _form(request, found, form, status=422)
    try:
        given = form.given
        made = drafts.add_version(
            draft=found,
            text=given,
            seen=form.cleaned_data["seen"],
            by=request.user,
            at=datetime.now(UTC),
        )
    except DraftRefused as refused:
        form.add_error(form.field_of(refused.field), str(refused))
        return _form(request, found, form, status=422)
    except NotText as refused:
        form.add_error("file", str(refused))
        return _form(request, found, form, status=422)
    except DraftChanged:
        theirs = version_of(found)
        mine = TextForm(initial={"text": given, "seen": theirs.number if theirs else 0})
        return _form(request, found, mine, newest=theirs, status=409)
    _say(request, made, newest)
    return redirect("draft", found.uuid)


@needs_workspace
@require_POST
def draft_again(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Puts the newest text through the gate again: the corpus or the policy may have changed since."""
    found = draft_for(request.user, uuid)
    permissions.check_can_curate(request.user, found.project.workspace_id)
    newest = version_of(found)
    if newest is None:
        raise Http404
    made = drafts.add_version(draft=found, text=newest.text, note="gated again", by=request.user, at=datetime.now(UTC))
    _say(request, made, newest)
    return redirect("draft", found.uuid)


@needs_workspace
@require_http_methods(["GET", "POST"])
def draft_reconcile(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """What holding a version's own citations against the corpus would change; a POST makes it the next version."""
    found = draft_for(request.user, uuid)
    version = asked_version(request, found)
    if version is None:
        raise Http404
    at = datetime.now(UTC)
    if request.method == "POST":
        permissions.check_can_curate(request.user, found.project.workspace_id)
        seen = request.POST.get("seen", "")
        try:
            made = drafts.reconcile(
                version=version,
                by=request.user,
                at=at,
                seen=int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 10 else None,
            )
        except DraftChanged as changed:
            messages.error(request, str(changed))
        except DraftRefused as refused:
            messages.error(request, f"What is left cannot be kept: {refused}")
        else:
            _say(request, made, version)
        return redirect("draft", found.uuid)
    told = gating.reconciled(draft=found, text=version.text, at=at)
    newest = version_of(found)
    context = {
        "draft": found,
        "project": found.project,
        "version": version,
        "newest": newest.number if newest else 0,
        "changes": told.changes[:_SHOWN],
        "more": max(len(told.changes) - _SHOWN, 0),
        "counts": [(kind, told.counts.get(kind, 0)) for kind in ChangeKind],
        "changes_nothing": told.text == version.text,
        "can_curate": permissions.can_curate(request.user, found.project.workspace_id),
    }
    return render_page(request, "sources/draft_reconcile.html", context)


@needs_workspace
@require_POST
def draft_policy(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Puts the draft under another policy; what was gated before stays as it is."""
    found = draft_for(request.user, uuid)
    permissions.check_can_curate(request.user, found.project.workspace_id)
    form = PolicyForm(request.POST)
    if not form.is_valid():
        return draft_page(request, found, policy_form=form, status=422)
    drafts.set_policy(
        draft=found,
        mode=form.chosen_mode,
        policy=form.chosen_policy,
        by=request.user,
        channel=Channel.PAGE,
        at=datetime.now(UTC),
    )
    messages.success(request, "The policy is saved and holds from the next version on. Gate the text again to see it.")
    return redirect("draft", found.uuid)


def _say(request: MemberRequest, made: DraftVersion, before: DraftVersion | None) -> None:
    if before is not None and made.pk == before.pk:
        messages.info(request, f"Nothing changed: version {made.number} says the same.")
        return
    told = counted(len(made.problems), "problem") if made.problems else "no problem"
    messages.success(request, f"Version {made.number} went through the gate: {told}. History has the undo.")


def _form(
    request: MemberRequest, found: Draft, form: TextForm, *, newest: DraftVersion | None = None, status: int = 200
) -> HttpResponse:
    context = {"draft": found, "project": found.project, "form": form, "newest": newest, "is_stale": newest is not None}
    return render_page(request, "sources/draft_form.html", context, status=status)
