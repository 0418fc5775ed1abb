"""How outputs came to be, told for people: the story of one, the way between two, runs, their differences, recalls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from lineage.core.relations import Relation
from lineage.core.steps import Link, Step
from lineage.models import Entity
from lineage.queries import questions
from lineage.queries.bounded import Cut
from lineage.queries.stories import MOST_TO_READ, MOST_TO_REPLAY, Gap
from lineage.services import impact
from lineage.services.impact import What
from lineage.views import filters
from lineage.views.asking import Row, address, asked_ref, asker_for, finds_or_404, is_editor, row_of, rows_of
from lineage.views.forms import ReasonForm, RecallForm
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted

# So many nodes of one step are named; the table has the others.
_NAMED = 8
_LONGEST_RUN = 100


@dataclass(frozen=True, slots=True)
class Told:
    """A step with the nodes that are named, and how many more there are of each."""

    step: Step
    made: list[Row]
    more_made: int
    inputs: list[Row]
    more_inputs: int
    means: list[Row]
    gaps: Sequence[Gap] = ()

    @property
    def relations(self) -> str:
        """The relations in words."""
        return ", ".join(one.words for one in self.step.relations)


@needs_workspace
@require_GET
@finds_or_404
def explain(request: MemberRequest) -> HttpResponse:
    """The story of a node: from where its lines begin to itself."""
    story = questions.explain(ref=asked_ref(request), asker=asker_for(request))
    context = {
        "start": row_of(story.output),
        "origins": rows_of(story.origins[: _NAMED * 4]),
        "more_origins": max(0, len(story.origins) - _NAMED * 4),
        "steps": _told([(step, ()) for step in story.steps], story.nodes),
        "extent": _extent(story.cut, MOST_TO_READ),
    }
    return render_page(request, "lineage/explain.html", context)


@needs_workspace
@require_GET
@finds_or_404
def replay(request: MemberRequest) -> HttpResponse:
    """What would be done again to make the node anew, and what is missing for it. Nothing is run."""
    plan = questions.replay_plan(ref=asked_ref(request), asker=asker_for(request))
    context = {
        "start": row_of(plan.output),
        "plan": plan,
        "steps": _told([(planned.step, planned.gaps) for planned in plan.steps], plan.nodes),
        "extent": _extent(plan.cut, MOST_TO_REPLAY),
    }
    return render_page(request, "lineage/replay.html", context)


@needs_workspace
@require_GET
@finds_or_404
def path(request: MemberRequest) -> HttpResponse:
    """A shortest way between two nodes."""
    a, b = asked_ref(request, "a"), asked_ref(request, "b")
    if not (a and b):
        return render_page(request, "lineage/path.html", {"a": a, "b": b})
    found = questions.path(a=a, b=b, asker=asker_for(request))
    rows = rows_of(hop.node for hop in found.hops)
    context = {
        "a": a,
        "b": b,
        "path": found,
        "hops": [(row, hop.link, _relation(hop.link)) for row, hop in zip(rows, found.hops, strict=True)],
    }
    return render_page(request, "lineage/path.html", context)


@needs_workspace
@require_GET
def run(request: MemberRequest) -> HttpResponse:
    """What a run made; of a run of which nothing may be seen, nothing."""
    run_id = request.GET.get("run", "").strip()[:_LONGEST_RUN]
    asked = filters.asked(request.GET)
    if asked.unknown:
        return render_page(request, "lineage/run.html", {"run": run_id, "unknown": asked.unknown})
    found = questions.outputs_for_run(run_id=run_id, asker=asker_for(request), filters=asked.filters, page=asked.page)
    context = {
        "run": run_id,
        "found": found,
        "rows": rows_of(found.nodes),
        "page": page_of(request, range(found.total), per_page=found.per_page),
    }
    return render_page(request, "lineage/run.html", context)


@needs_workspace
@require_GET
def diff(request: MemberRequest) -> HttpResponse:
    """How two runs differ in what they read, what they made and with what."""
    first, second = (request.GET.get(name, "").strip()[:_LONGEST_RUN] for name in ("first", "second"))
    context: dict[str, Any] = {"first": first, "second": second}
    if first and second:
        page = filters.whole(request.GET.get("page", ""), 1)
        found = questions.diff(first=first, second=second, asker=asker_for(request), page=page)
        ends = [one for each in found.differences for one in (each.first, each.second) if one is not None]
        rows = {row.entity.pk: row for row in rows_of(ends)}
        context |= {
            "found": found,
            "rows": [
                (
                    each,
                    rows.get(each.first.pk) if each.first else None,
                    rows.get(each.second.pk) if each.second else None,
                )
                for each in found.differences
            ],
            "counts": [(role, change, number) for (role, change), number in sorted(found.counts.items())],
            "same": sorted(found.same.items()),
            "page": page_of(request, range(found.total)),
        }
    return render_page(request, "lineage/diff.html", context)


@needs_workspace
@require_http_methods(["GET", "POST"])
def recall(request: MemberRequest) -> HttpResponse:
    """What a transform or a configuration made, with all that rests on it; a POST lets all of it fall."""
    given = request.POST if request.method == "POST" else request.GET
    form = RecallForm(given if set(given) & set(RecallForm.base_fields) else None)
    reason = ReasonForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form, "reason_form": reason, "is_editor": is_editor(request)}
    if request.method == "POST":
        check_role(request.user, request.workspace, Role.EDITOR)
    if form.is_bound and form.is_valid():
        told = form.cleaned_data
        page = filters.whole(request.GET.get("page", ""), 1)
        try:
            found = questions.recall(asker=asker_for(request), page=page, **told)
        except questions.NothingToRecall as nothing:
            form.add_error(None, str(nothing))
        else:
            if request.method == "POST" and reason.is_valid():
                made = impact.propagate(
                    workspace_id=request.workspace.pk,
                    what=What.named(reason=reason.cleaned_data["reason"], **told),
                    by=request.user,
                    at=datetime.now(UTC),
                )
                messages.success(request, f"Recalled. Stale, as far as you may see: {counted(found.total, 'node')}.")
                return redirect(address("lineage-worklist", cause=made.pk))
            context |= {
                "found": found,
                "rows": rows_of(found.nodes),
                "page": page_of(request, range(found.total), per_page=found.per_page),
                "by_type": _by_type(found.counts),
            }
    is_wrong = form.errors or reason.errors
    return render_page(request, "lineage/recall.html", context, status=422 if is_wrong else 200)


def _by_type(counts: Mapping[tuple[Any, Any], int]) -> list[tuple[str, int]]:
    found: dict[str, int] = {}
    for (kind, _), number in counts.items():
        found[kind] = found.get(kind, 0) + number
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


def _told(steps: Sequence[tuple[Step, Sequence[Gap]]], nodes: Mapping[int, Entity]) -> list[Told]:
    shown = {key for step, _ in steps for keys in (step.made, step.inputs, step.means) for key in keys[:_NAMED]}
    rows = {row.entity.pk: row for row in rows_of(nodes[key] for key in sorted(shown))}

    def named(keys: Sequence[int]) -> list[Row]:
        return [rows[key] for key in keys[:_NAMED]]

    return [
        Told(
            step,
            named(step.made),
            max(0, len(step.made) - _NAMED),
            named(step.inputs),
            max(0, len(step.inputs) - _NAMED),
            named(step.means),
            gaps,
        )
        for step, gaps in steps
    ]


def _relation(link: Link | None) -> str:
    return Relation(link.relation).words if link else ""


def _extent(cut: Cut, most: int) -> str:
    match cut:
        case Cut.NOWHERE:
            return "Complete: nothing that you may see was left out."
        case Cut.NODES | Cut.DEPTH:
            return f"Cut at the nearest {most:,} nodes: what lies further back is not told."
