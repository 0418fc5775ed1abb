"""Saved views of the sources table, and the columns each person sees."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.models import SavedView
from sources.queries.saved_views import listed, views_for
from sources.services import saved_views
from sources.views.filters import PARAMETERS
from sources.views.source_table import CHOOSABLE

_KEPT = (*sorted(PARAMETERS), "sort", "columns")


def list_query(raw: str) -> QueryDict:
    """What of a query string is the list's own: filter, order and columns; no page, nothing unknown."""
    given = QueryDict(raw[: saved_views.MAX_QUERY + 1])
    kept = QueryDict(mutable=True)
    for name in _KEPT:
        values = [value for value in given.getlist(name) if value.strip()]
        if values:
            kept.setlist(name, values)
    return kept


@needs_workspace
@require_http_methods(["GET", "POST"])
def views(request: MemberRequest) -> HttpResponse:
    """The views a person may use; a POST keeps the view of the table that it came from and goes back to it."""
    workspace_id = request.workspace.pk
    if request.method == "POST":
        query = list_query(request.POST.get("query", ""))
        columns = [name for name in request.POST.getlist("columns") if name in CHOOSABLE]
        if columns:
            query.setlist("columns", columns)
        try:
            view = saved_views.save(
                workspace_id=workspace_id,
                name=request.POST.get("name", ""),
                query=query.urlencode(),
                is_shared="is_shared" in request.POST,
                by=request.user,
                at=datetime.now(UTC),
            )
        except saved_views.ViewRefused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, f"The view “{view.name}” is kept.")
        return redirect(f"{reverse('source-list')}?{query.urlencode()}")
    found = listed(views_for(user=request.user, workspace_id=workspace_id), request.user)
    context = {
        "views": found,
        "can_curate": permissions.can_curate(request.user, workspace_id),
        "can_delete_others": permissions.can_retract(request.user, workspace_id),
    }
    return render_page(request, "sources/saved_views.html", context)


@needs_workspace
@require_POST
def view_change(request: MemberRequest, pk: int) -> HttpResponse:
    """Renames a view and shares it or not."""
    view = _view_for(request, pk)
    try:
        saved_views.change(
            view=view, name=request.POST.get("name", ""), is_shared="is_shared" in request.POST, by=request.user
        )
    except saved_views.ViewRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"The view is called “{view.name}”{' and shared' if view.is_shared else ''}.")
    return redirect("saved-views")


@needs_workspace
@require_POST
def view_delete(request: MemberRequest, pk: int) -> HttpResponse:
    """Deletes a view; the sources it showed stay."""
    view = _view_for(request, pk)
    name = view.name
    saved_views.delete(view=view, by=request.user)
    messages.info(request, f"The view “{name}” was deleted. Sources are not touched by it.")
    return redirect("saved-views")


@needs_workspace
@require_POST
def columns(request: MemberRequest) -> HttpResponse:
    """Keeps the columns that the person ticked and goes back to the table."""
    wanted = [] if "usual" in request.POST else request.POST.getlist("columns")
    saved_views.keep_columns(
        workspace_id=request.workspace.pk,
        columns=[name for name in CHOOSABLE if name in wanted],
        by=request.user,
        at=datetime.now(UTC),
    )
    query = list_query(request.POST.get("query", ""))
    query.pop("columns", None)
    return redirect(f"{reverse('source-list')}?{query.urlencode()}")


def _view_for(request: MemberRequest, pk: int) -> SavedView:
    visible = views_for(user=request.user, workspace_id=request.workspace.pk)
    return get_object_or_404(SavedView, pk__in=[view.pk for view in visible if view.pk == pk and view.name])
