"""Possible duplicates: looked for, laid side by side, merged one group at a time or told apart."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import dispatch, permissions
from sources.core.kinds import FieldRule, PairReason, Survivor
from sources.core.merging import FIELDS
from sources.models import LongDeed, Source
from sources.queries.duplicates import board_of, uses_of
from sources.queries.readable import hidden_keys, readable
from sources.queries.retraction_evidence import tell
from sources.services import long_deeds, merging, telling_apart
from sources.services.long_deeds import InTheWorks
from sources.services.merge_cases import MergeRefused, RetractionUnconfirmed, Wanted
from sources.views.duplicate_forms import GroupForm
from sources.views.duplicate_rows import field_choices, label_notes, shown_of, side_by_side

PER_PAGE = 10


@needs_workspace
@require_GET
def duplicate_list(request: MemberRequest) -> HttpResponse:
    """The groups, oldest first; `?reason=` shows those of one reason."""
    workspace_id = request.workspace.pk
    wanted = request.GET.get("reason", "")
    reason = PairReason(wanted) if wanted in set(PairReason) else None
    board = board_of(workspace_id=workspace_id)
    groups = board.groups(reason)
    page = page_of(request, groups, per_page=PER_PAGE)
    ids = [pk for group in page.object_list for pk in shown_of(group)]
    sources = readable(Source.objects.all()).standing().in_bulk(ids)
    tell(sources.values())
    uses = uses_of(sources)
    context: dict[str, Any] = {
        "page": page,
        "shown": [
            side_by_side(group, sources=sources, uses=uses)
            for group in page.object_list
            # Somebody may have merged a group since its pairs were read.
            if sum(pk in sources for pk in shown_of(group)) > 1
        ],
        "reason": reason,
        "counts": [(one, len(board.groups(one))) for one in (None, *PairReason)],
        "all_groups": len(groups),
        "pair_count": sum(reason is None or row[2] == reason for row in board.rows),
        "source_count": len({pk for group in groups for pk in group.source_ids}),
        "survivors": list(Survivor),
        "field_rules": list(FieldRule),
        "can_curate": permissions.can_curate(request.user, workspace_id),
        "recent": readable(ChangeSet.objects.all())
        .filter(
            workspace_id=workspace_id,
            kind__in=[merging.CHANGE_KIND, telling_apart.CHANGE_KIND],
            undone_by__isnull=True,
        )
        .order_by("-at", "-pk")[:5],
        "looking": _looking(workspace_id),
    }
    return render_page(request, "sources/duplicates.html", context)


def _looking(workspace_id: int) -> LongDeed | None:
    """The look that goes on, where the person may see how far it is."""
    deed = long_deeds.running_look(workspace_id=workspace_id)
    return None if deed is None or hidden_keys(LongDeed, {deed.pk}) else deed


@needs_workspace
@require_POST
def duplicate_find(request: MemberRequest) -> HttpResponse:
    """Looks through the registry and goes back to the list; a large one is a worker's, and its page follows."""
    try:
        found = dispatch.look_through(workspace=request.workspace, by=request.user, at=datetime.now(UTC))
    except InTheWorks as refused:
        messages.info(request, str(refused))
        return redirect("duplicates")
    if isinstance(found, LongDeed):
        return redirect("long-deed", found.job.uuid)
    messages.success(request, f"Looked through all sources: {counted(found, 'new pair')} found.")
    return redirect("duplicates")


@needs_workspace
@require_http_methods(["GET", "POST"])
def duplicate_merge(request: MemberRequest) -> HttpResponse:
    """What merging the named sources would do; a POST does it. 422 with the page and what is missing."""
    permissions.check_can_curate(request.user, request.workspace.pk)
    data = request.GET if request.method == "GET" else request.POST
    form = GroupForm(data)
    if not form.is_valid():
        raise Http404
    named = _named(request, form)
    keep = named.get(form.cleaned_data["keep"])
    others = [source for source in named.values() if source != keep]
    if keep is None or not others:
        messages.error(request, "Choose at least two sources, and which of them stays.")
        return redirect("duplicates")
    wanted = Wanted(
        keep=keep.pk,
        lose=tuple(source.pk for source in others),
        fields=form.rule,
        chosen={name: named[uuid].pk for name in FIELDS if (uuid := form.chosen[name]) in named},
    )
    at, problem = datetime.now(UTC), ""
    try:
        if request.method == "POST":
            merging.merge(
                workspace_id=request.workspace.pk,
                wanted=[wanted],
                carry_retractions=data.get("also_retracted") == "yes",
                by=request.user,
                channel=Channel.PAGE,
                at=at,
            )
            messages.success(request, f"Merged {counted(len(others), 'source')} into “{keep}”.")
            return redirect("duplicates")
    except RetractionUnconfirmed as refused:
        problem = str(refused)
    except MergeRefused as refused:
        messages.error(request, str(refused))
        return redirect("duplicates")
    try:
        (look,) = merging.preview(workspace_id=request.workspace.pk, wanted=[wanted], by=request.user, at=at)
    except MergeRefused as refused:
        messages.error(request, str(refused))
        return redirect("duplicates")
    return render_page(
        request,
        "sources/merge_preview.html",
        {
            "look": look,
            "choices": field_choices(look),
            "notes": label_notes(look),
            "rule": form.rule,
            "field_rules": list(FieldRule),
            "everyone": list(named.values()),
            "problem": problem,
        },
        status=422 if problem else 200,
    )


@needs_workspace
@require_POST
def duplicate_apart(request: MemberRequest) -> HttpResponse:
    """Remembers that the named sources are different works."""
    permissions.check_can_curate(request.user, request.workspace.pk)
    form = GroupForm(request.POST)
    if not form.is_valid():
        raise Http404
    named = _named(request, form)
    try:
        telling_apart.tell_apart(
            workspace_id=request.workspace.pk,
            source_ids=[source.pk for source in named.values()],
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except telling_apart.NothingToTellApart as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "Remembered: these are different works. They will not be proposed again.")
    return redirect("duplicates")


def _named(request: MemberRequest, form: GroupForm) -> dict[UUID, Source]:
    """The workspace's sources that the form names, in its order; Http404 where one is not to be seen here."""
    wanted: list[UUID] = form.cleaned_data["source"]
    found = {
        source.uuid: source
        for source in readable(Source.objects.all()).standing().filter(workspace=request.workspace, uuid__in=wanted)
    }
    if len(found) != len(wanted):
        raise Http404
    return {uuid: found[uuid] for uuid in wanted}
