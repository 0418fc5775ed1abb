"""The impact table: all that rests on a node, or that it rests on; and what would fall, or fell, with it."""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from lineage.core.causes import kind_for
from lineage.core.relations import EntityState, Relation
from lineage.core.spreadsheet import neutral
from lineage.models import Entity
from lineage.queries import bounded, questions
from lineage.queries.causes import standing_at, visible_causes
from lineage.queries.walks import Direction
from lineage.services import impact
from lineage.services.impact import What
from lineage.views import filters
from lineage.views.asking import (
    address,
    asked_ref,
    asker_for,
    entity_for,
    finds_or_404,
    is_editor,
    row_of,
    rows_of,
)
from lineage.views.forms import ReasonForm
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.downloads import attachment
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted

COLUMNS = ("ref", "type", "state", "label", "content_hash", "authority", "source_time", "told_at", "released_at")
_NAMED = 200


@needs_workspace
@require_GET
@finds_or_404
def table(request: MemberRequest) -> HttpResponse:
    """All that rests on the node (or that it rests on), page by page with exact totals; htmx gets the results alone."""
    asked = filters.asked(request.GET)
    if asked.unknown:
        told = {"start": row_of(entity_for(request)), "direction": asked.direction, "unknown": asked.unknown}
        return render_page(request, "lineage/impact.html", told, partial="lineage/_impact_results.html")
    question = questions.ancestors if asked.direction is Direction.UP else questions.descendants
    found = question(
        ref=asked_ref(request), asker=asker_for(request), filters=asked.filters, page=asked.page, order=asked.order
    )
    start = found.start or entity_for(request)
    steps = bounded.steps_to(
        nodes=[one.pk for one in found.nodes], start=start.pk, direction=asked.direction, asker=asker_for(request)
    )
    context = {
        "start": row_of(start),
        "direction": asked.direction,
        "found": found,
        "q": asked.filters.text,
        "rows": [(row, steps.get(row.entity.pk)) for row in rows_of(found.nodes)],
        "page": page_of(request, range(found.total), per_page=found.per_page),
        "facets": filters.facets(counts=found.counts, wanted=asked.filters, params=request.GET),
        "relations": [(one, one in asked.filters.relations) for one in Relation if one is not Relation.SUPERSEDES],
        "active": filters.active(request.GET),
        "all_of_them": sum(found.counts.values()),
        "stale": sum(n for (_, state), n in found.counts.items() if state is EntityState.STALE),
        "sort": asked.sort,
        "sorts": [("type", "Type"), ("state", "State"), ("label", "Label"), ("told", "Told of")],
        "is_editor": is_editor(request),
    }
    return render_page(request, "lineage/impact.html", context, partial="lineage/_impact_results.html")


@needs_workspace
@require_GET
@finds_or_404
def table_csv(request: MemberRequest) -> HttpResponseBase:
    """The same rows as a table, all pages of it, sent while it is read; 400 for a filter's value that is not known."""
    asked = filters.asked(request.GET)
    if asked.unknown:
        return filters.refused(asked.unknown)
    start = entity_for(request)
    rows = questions.reached(
        start=start, direction=asked.direction, asker=asker_for(request), filters=asked.filters
    ).order_by(*asked.order, "pk")
    return StreamingHttpResponse(_csv(rows), content_type="text/csv; charset=utf-8", headers=attachment("lineage.csv"))


@needs_workspace
@require_http_methods(["GET", "POST"])
@finds_or_404
def cause(request: MemberRequest) -> HttpResponse:
    """What falls if this node does: numbers by type and the released outputs by name. A POST lets it fall."""
    if request.method == "POST":
        check_role(request.user, request.workspace, Role.EDITOR)
    entity = entity_for(request)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    what = What(kind_for(entity.as_type), form["reason"].value() or "", entity=entity)
    if request.method == "POST" and form.is_valid():
        told = What(what.kind, form.cleaned_data["reason"], entity=entity)
        impact.propagate(workspace_id=request.workspace.pk, what=told, by=request.user, at=datetime.now(UTC))
        reached = impact.preview(what=told, asker=asker_for(request))
        messages.success(request, f"It fell. Stale, as far as you may see: {counted(reached.total, 'node')}.")
        return redirect(address("lineage-cause", ref=entity.ref))
    reached = impact.preview(what=what, asker=asker_for(request))
    context = {
        "start": row_of(entity),
        "form": form,
        "kind": what.kind,
        "reached": reached,
        "by_type": sorted(reached.by_type.items(), key=lambda pair: (-pair[1], pair[0])),
        "released": rows_of(reached.released[:_NAMED]),
        "more_released": max(0, len(reached.released) - _NAMED),
        "standing": standing_at(entity=entity),
        "is_editor": is_editor(request),
    }
    return render_page(request, "lineage/cause.html", context, status=422 if form.errors else 200)


@needs_workspace
@require_POST
def clear(request: MemberRequest) -> HttpResponse:
    """Takes a cause back: what it alone made stale is current again."""
    check_role(request.user, request.workspace, Role.EDITOR)
    number = filters.whole(request.POST.get("cause", ""), 0)
    found = get_object_or_404(visible_causes(asker_for(request)), pk=number)
    impact.clear(cause=found, by=request.user, at=datetime.now(UTC))
    # How many are fresh counts hidden nodes too, and is not said.
    messages.success(request, "It is taken back; what it alone made stale is as it was before.")
    if found.entity is not None:
        return redirect(address("lineage-cause", ref=found.entity.ref))
    return redirect("lineage-worklist")


def _csv(rows: QuerySet[Entity]) -> Iterator[str]:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in rows.iterator(chunk_size=2_000):
        moments = (one.source_time, one.created_at, one.released_at)
        told = [one.ref, one.type, one.state, one.label, one.content_hash, one.authority]
        writer.writerow(
            [*(neutral(str(cell)) for cell in told), *(moment.isoformat() if moment else "" for moment in moments)]
        )
        if out.tell() > 30_000:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()
