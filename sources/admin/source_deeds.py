"""Bulk deeds on sources in the admin, by the services of the pages: look, give the reason, do exactly that."""

import hashlib
from collections import defaultdict
from datetime import UTC, datetime
from typing import cast

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from provenance_site.accounts.models import User
from provenance_site.accounts.reading import reading_as
from provenance_site.changes.models import Channel
from provenance_site.kit.text import counted
from sources import dispatch
from sources.models import LongDeed, RetractionProposal, Source
from sources.services import bulk_deeds
from sources.services.bulk_deeds import Deed
from sources.services.bulk_edit import EditRefused, ListChanged
from sources.services.source_edits import Look

_TITLES = {
    Deed.DROP: "Drop",
    Deed.RETRACT: "Mark retracted",
    Deed.UNRETRACT: "Take the retraction mark off",
}
_SAYS = {
    Deed.DROP: "will be dropped",
    Deed.RETRACT: "will be marked retracted",
    Deed.UNRETRACT: "will no longer be marked retracted",
}
_ASKS = {
    Deed.RETRACT: "Note (where the retraction is announced; shown wherever the source is used)",
    Deed.DROP: "Reason (kept beside each decision)",
    Deed.UNRETRACT: "Note (why the retraction no longer holds; stays in the history)",
}

_MISSING = {
    Deed.DROP: "Write the reason: without one nothing is dropped.",
    Deed.RETRACT: "Write a note: it is shown wherever the source is used.",
    Deed.UNRETRACT: "Write why the retraction no longer holds: the note stays in the history.",
}


def do(
    admin: "ModelAdmin[Source]", request: HttpRequest, queryset: "QuerySet[Source]", *, action: str, deed: Deed
) -> HttpResponse | None:
    """First shows what would change and asks why; then does it, one ChangeSet per workspace. None when it is done.

    What was looked at is named by a digest: another selection, or another state of it, is shown anew.
    """
    by_workspace: dict[int, list[int]] = defaultdict(list)
    for workspace_id, pk in queryset.order_by("pk").values_list("workspace_id", "pk"):
        by_workspace[workspace_id].append(pk)
    note = request.POST.get("note", "").strip()
    over = request.POST.get("over_decisions") == "on"
    # The admin shows rows to those who read everything, so none of these is asked for again.
    with reading_as(None):
        looks = {
            workspace_id: bulk_deeds.look(
                workspace_id=workspace_id, source_ids=keys, deed=deed, note=note, over_decisions=over
            )
            for workspace_id, keys in sorted(by_workspace.items())
        }
    seen = [str(over), *(look.digest for look in looks.values())]
    expected = hashlib.sha256(",".join(seen).encode()).hexdigest()
    problem = ""
    if request.POST.get("confirm") and not request.POST.get("look_again"):
        if not note:
            problem = _MISSING[deed]
        elif request.POST.get("expected") != expected:
            problem = "The selection changed since you looked; look again before you confirm."
        else:
            for workspace_id, look in looks.items():
                _do_in(admin, request, workspace_id, by_workspace[workspace_id], look, deed=deed, note=note, over=over)
            return None
    context = {
        **admin.admin_site.each_context(request),
        "title": _TITLES[deed],
        "says": _SAYS[deed],
        "opts": admin.model._meta,
        "rows": [row.source for look in looks.values() for row in look.rows],
        "left": [left for look in looks.values() for left in look.left],
        "count": sum(look.changing for look in looks.values()),
        "asks": _ASKS[deed],
        "action": action,
        "expected": expected,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
        "checkbox_name": ACTION_CHECKBOX_NAME,
        "note": note,
        "over_decisions": over,
        "can_overrule": deed is not Deed.DROP,
        "problem": problem,
    }
    return TemplateResponse(request, "admin/sources/bulk_deed.html", context, status=422 if problem else 200)


def _do_in(
    admin: "ModelAdmin[Source]",
    request: HttpRequest,
    workspace_id: int,
    keys: list[int],
    look: Look,
    *,
    deed: Deed,
    note: str,
    over: bool,
) -> None:
    if not look.changing:
        return
    try:
        done = dispatch.do(
            workspace_id=workspace_id,
            source_ids=keys,
            deed=deed,
            note=note,
            over_decisions=over,
            seen=look.digest,
            query="",
            by=cast(User, request.user),
            channel=Channel.ADMIN,
            at=datetime.now(UTC),
        )
    except (PermissionDenied, EditRefused, ListChanged) as refused:  # SecondPersonNeeded is the first of them
        admin.message_user(request, str(refused), messages.ERROR)
        return
    if done is None:
        return
    if isinstance(done, RetractionProposal):
        page = reverse("retraction-proposal", args=[done.uuid])
        admin.message_user(request, f"Proposed to the other administrators: {page}. Nothing is changed yet.")
        return
    told = f"{_TITLES[deed]}: {counted(look.changing, 'source')}"
    if isinstance(done, LongDeed):
        page = reverse("long-deed", args=[done.job.uuid])
        admin.message_user(request, f"{told}. A worker does it; {page} shows how far it is.", messages.SUCCESS)
    else:
        admin.message_user(request, f"{told}. The History page of the workspace can take it back.", messages.SUCCESS)
