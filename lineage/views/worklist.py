"""The worklist: what fell and waits for someone, and dealing with many at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db.models import Count, QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from lineage.core.asking import Asker
from lineage.core.causes import Outcome, Task
from lineage.core.relations import EntityType
from lineage.models import Cause, Impact
from lineage.queries.impact_notices import titles_of
from lineage.services import worklist
from lineage.views import filters
from lineage.views.asking import Row, address, asker_for, is_editor, rows_of
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.filtering import ActiveFilter, Facet, facet, query_without
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted

_CAUSES = 30
# A cause that is not there, or that nobody may see, is a number like others: nothing of it waits.
_FILTERS: Mapping[str, Callable[[str], bool]] = {
    "cause": lambda raw: filters.whole(raw, 0) > 0,
    "type": set(EntityType).__contains__,
    "mine": filters.is_one,
}


@dataclass(frozen=True, slots=True)
class Line:
    """A row that waits: the node, what is to be done, why and since when."""

    impact: Impact
    row: Row
    task: Task
    why: str
    cause_url: str


@needs_workspace
@require_GET
def waiting(request: MemberRequest) -> HttpResponse:
    """What waits, released outputs first, under the filter of the query string; htmx gets the results alone."""
    return _page(request)


@needs_workspace
@require_POST
def settle(request: MemberRequest) -> HttpResponse:
    """Deals with the chosen rows, or with all that the filter finds, with a reason."""
    check_role(request.user, request.workspace, Role.EDITOR)
    asker = asker_for(request)
    query = QueryDict(request.POST.get("query", "").removeprefix("?"))
    if filters.unknown(query, _FILTERS):
        return _page(request, query, status=422)
    if request.POST.get("all") == "1":
        chosen = list(_narrowed(asker, query).values_list("pk", flat=True))
    else:
        chosen = [number for raw in request.POST.getlist("ids") if (number := filters.whole(raw, 0))]
    outcome = request.POST.get("outcome", "")
    if not chosen:
        return _page(request, query, problem="Choose what you deal with: tick rows.", status=422)
    if outcome not in worklist.BY_HAND:
        return _page(request, query, problem="Choose what you did with them.", status=422)
    try:
        done = worklist.settle(
            impact_ids=chosen,
            outcome=Outcome(outcome),
            reason=request.POST.get("reason", "")[:2_000],
            asker=asker,
            by=request.user,
            at=datetime.now(UTC),
        )
    except worklist.ReasonMissing as refused:
        return _page(request, query, problem=str(refused), status=422)
    also = f" {done.already:,} had been dealt with before." if done.already else ""
    messages.success(request, f"{counted(done.settled, 'row')} {outcome}.{also}")
    return redirect(address("lineage-worklist") + (f"?{query.urlencode()}" if query else ""))


def _page(
    request: MemberRequest, query: QueryDict | None = None, *, problem: str = "", status: int = 200
) -> HttpResponse:
    params = request.GET if query is None else query
    if unknown := filters.unknown(params, _FILTERS):
        told = {"unknown": unknown}
        return render_page(request, "lineage/worklist.html", told, partial="lineage/_worklist_rows.html", status=status)
    asker = asker_for(request)
    rows = _narrowed(asker, params)
    page = page_of(request, rows)
    everything = worklist.waiting(asker).order_by()
    causes = list(
        Cause.objects.filter(pk__in=everything.values("cause")).select_related("entity").order_by("-at")[:_CAUSES]
    )
    shown = list(page.object_list)
    titles = titles_of({one.pk: one for one in [*causes, *(row.cause for row in shown)]}.values(), asker=asker)
    context: dict[str, Any] = {
        "page": page,
        "lines": _lines(shown, asker, titles),
        "total": page.paginator.count,
        "filter_query": params.urlencode(),
        "facets": _facets(everything, causes, titles, params),
        "active": _active(titles, params),
        "is_mine": params.get("mine") == "1",
        "outcomes": [one for one in Outcome if one in worklist.BY_HAND],
        "problem": problem,
        "reason": request.POST.get("reason", ""),
        "is_editor": is_editor(request),
    }
    return render_page(request, "lineage/worklist.html", context, partial="lineage/_worklist_rows.html", status=status)


def _narrowed(asker: Asker, params: QueryDict) -> QuerySet[Impact]:
    rows = worklist.waiting(asker)
    causes = [number for raw in params.getlist("cause") if (number := filters.whole(raw, 0))]
    if causes:
        rows = rows.filter(cause__in=causes)
    types = [one for one in params.getlist("type") if one.strip()]
    if types:
        rows = rows.filter(entity__type__in=types)
    if params.get("mine") == "1":
        rows = rows.filter(entity__owner=asker.user_id)
    return rows


def _lines(rows: list[Impact], asker: Asker, titles: Mapping[int, str]) -> list[Line]:
    shown = {row.entity.pk: row for row in rows_of(row.entity for row in rows)}
    return [
        Line(
            impact=row,
            row=shown[row.entity_id],
            task=worklist.task_for(row.entity.as_type),
            why=titles[row.cause.pk],
            cause_url=address("lineage-cause", ref=row.cause.entity.ref)
            if row.cause.entity is not None and row.cause.entity.level <= asker.level and row.cause.entity.ref
            else "",
        )
        for row in rows
    ]


def _facets(
    everything: QuerySet[Impact], causes: list[Cause], titles: Mapping[int, str], params: QueryDict
) -> list[Facet]:
    by_type = dict(everything.values_list("entity__type").annotate(Count("pk")))
    by_cause = dict(everything.values_list("cause").annotate(Count("pk")))
    told = [(str(one.pk), titles[one.pk], by_cause.get(one.pk, 0)) for one in causes]
    return [
        facet(name="cause", legend="Cause", counts=told, params=params),
        facet(
            name="type",
            legend="Type",
            counts=[(one.value, one.value, by_type.get(one, 0)) for one in EntityType],
            params=params,
        ),
    ]


def _active(titles: Mapping[int, str], params: QueryDict) -> list[ActiveFilter]:
    names = {str(key): title for key, title in titles.items()}
    found = [
        ActiveFilter("Cause", names.get(raw, "another"), query_without(params, "cause", raw))
        for raw in params.getlist("cause")
        if raw.strip()
    ]
    found += [
        ActiveFilter("Type", raw, query_without(params, "type", raw)) for raw in params.getlist("type") if raw.strip()
    ]
    if params.get("mine") == "1":
        found.append(ActiveFilter("Owner", "me", query_without(params, "mine", "1")))
    return found
