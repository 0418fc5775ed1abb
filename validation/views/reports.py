"""Reports on runs and projects: on screen and as files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_GET

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.models import Project
from validation.core import gate_words
from validation.core.report import Head, ReportEntry, Section, Standing, shown_sections
from validation.models import CheckRun
from validation.queries.readable_runs import readable_runs
from validation.queries.report import Outline, outline_of_project, outline_of_run
from validation.services.reporting import Form, report_on, written

_GLANCE, _PER_PAGE = 25, 100


@dataclass(frozen=True, slots=True)
class Block:
    """One list on the page: as much of it as is shown."""

    section: Section
    total: int
    entries: Sequence[ReportEntry]

    @property
    def is_cut(self) -> bool:
        """True where the list goes on elsewhere."""
        return len(self.entries) < self.total


@needs_workspace
@require_GET
def run_report(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The report on a run: its own verdicts, with the decisions that hold by now."""
    run = _run_for(request, uuid)
    return _page(request, outline_of_run(run), project=run.project, run=run)


@needs_workspace
@require_GET
def project_report(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The report on a project: the newest verdict of each source."""
    project = _project_for(request, uuid)
    return _page(request, outline_of_project(project), project=project)


@needs_workspace
@require_GET
def run_report_file(request: MemberRequest, uuid: UUID, form: str) -> HttpResponse:
    """The report on a run as a file; `?bom=1` begins a CSV with a byte order mark.

    Internal sources are left out; `?internal=1` takes them along, for curators.
    """
    run = _run_for(request, uuid)
    return _file(request, run, form=Form(form), name=f"run-report-{str(uuid)[:8]}")


@needs_workspace
@require_GET
def project_report_file(request: MemberRequest, uuid: UUID, form: str) -> HttpResponse:
    """The report on a project as a file, as `run_report_file`."""
    project = _project_for(request, uuid)
    return _file(request, project, form=Form(form), name=f"project-report-{str(uuid)[:8]}")


def _run_for(request: MemberRequest, uuid: UUID) -> CheckRun:
    runs = readable_runs(CheckRun.objects.visible_to(request.user)).select_related(
        "job__cancelled_by", "project__workspace"
    )
    return get_object_or_404(runs, job__uuid=uuid)


def _project_for(request: MemberRequest, uuid: UUID) -> Project:
    return get_object_or_404(Project.objects.visible_to(request.user).select_related("workspace"), uuid=uuid)


def _file(request: MemberRequest, of: Project | CheckRun, *, form: Form, name: str) -> HttpResponse:
    report = report_on(of=of, by=request.user, internal=request.GET.get("internal") == "1")
    text = written(report=report, form=form, bom=request.GET.get("bom") == "1")
    return HttpResponse(
        text.encode(),
        content_type=form.media_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}.{form}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


def _page(request: MemberRequest, outline: Outline, *, project: Project, run: CheckRun | None = None) -> HttpResponse:
    head = outline.head
    wanted = request.GET.get("section", "")
    only = Section(wanted) if wanted in set(Section) else None
    blocks, page = _one(request, outline, only) if only else (_all(outline), None)
    kind, uuid = ("run", run.job.uuid) if run else ("project", project.uuid)
    context: dict[str, Any] = {
        "head": head,
        "project": project,
        "run": run,
        "gate": gate_words.sign_of(head.gate),
        "headline": gate_words.headline(head.gate),
        "reasons": gate_words.reasons(head),
        "chart": gate_words.chart_of(head),
        "tabs": _tabs(head, only),
        "blocks": blocks,
        "page": page,
        "only": only,
        "unknown_section": bool(wanted) and only is None,
        "here": reverse(f"{kind}-report", args=[uuid]),
        "files": {form.value: reverse(f"{kind}-report-{form}", args=[uuid]) for form in Form},
        "may_internal": permissions.can_export_internal(request.user, project.workspace_id),
    }
    return render_page(request, "validation/report.html", context)


def _tabs(head: Head, only: Section | None) -> list[tuple[Section, int, bool]]:
    shown = shown_sections(head)
    if only and only not in shown:
        shown.append(only)
    return [(section, head.sizes[section], section is only) for section in shown]


def _one(request: MemberRequest, outline: Outline, section: Section) -> tuple[list[Block], Page[Standing]]:
    standings = [standing for standing in outline.standings if standing.stands_in(section)]
    page = page_of(request, standings, per_page=_PER_PAGE)
    entries = outline.entries(page.object_list)
    return [Block(section=section, total=len(entries), entries=entries)], page


def _all(outline: Outline) -> list[Block]:
    """The beginnings of all lists, read at once."""
    shown = {
        section: [standing for standing in outline.standings if standing.stands_in(section)][:_GLANCE]
        for section in shown_sections(outline.head)
    }
    wanted = {standing.source_id: standing for standings in shown.values() for standing in standings}
    told = {entry.standing.source_id: entry for entry in outline.entries(wanted.values())}
    return [
        Block(
            section=section,
            total=outline.head.sizes[section],
            entries=[told[standing.source_id] for standing in standings if standing.source_id in told],
        )
        for section, standings in shown.items()
    ]
