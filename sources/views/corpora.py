"""The corpora of a project: what each section may cite, taken in and out, and the pack that a writer gets."""

import json
from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.downloads import attachment
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import permissions
from sources.core.citations import pack_json, pack_markdown
from sources.core.lines import one_line
from sources.models import CorpusEntry, Project, Section
from sources.queries.corpora import entries_of, sections_of, standing_of
from sources.queries.packs import Excerpts, pack_of
from sources.queries.readable import readable
from sources.services import corpus_from_catalog, corpus_rows
from sources.views.lookups import project_for, section_for

PER_PAGE = 30


@needs_workspace
@require_GET
def corpus(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The corpus of a project, or of `section=`: sources with verdicts, questions and excerpts; `q` searches them."""
    project = project_for(request.user, uuid)
    section = section_for(project, request.GET.get("section", ""))
    words = one_line(request.GET.get("q", ""))[:500]
    rows = entries_of(project, section)
    if words:
        rows = rows.filter(
            Q(entry__source__title__icontains=words)
            | Q(entry__source__identifier_value__icontains=words)
            | Q(excerpt__icontains=words)
            | Q(retrieval_query__icontains=words)
        )
    page = page_of(request, rows, per_page=PER_PAGE)
    at = datetime.now(UTC)
    can_curate = permissions.can_curate(request.user, project.workspace_id)
    context = {
        "project": project,
        "section": section,
        "sections": sections_of(project),
        "q": words,
        "page": page,
        "rows": [(row, sorted(standing_of(row.entry.source, at=at))) for row in page.object_list],
        "waiting": corpus_from_catalog.waiting(project=project, section=section) if section and can_curate else 0,
        "can_curate": can_curate,
    }
    return render_page(request, "sources/corpus.html", context, partial="sources/_corpus_rows.html")


@needs_workspace
@require_GET
def corpus_pack(request: MemberRequest, uuid: UUID, form: str) -> HttpResponse:
    """The pack for a writer, of the project or of `section=`, as Markdown or JSON. `excerpts=` is `asked` (what drafts
    ask for, the default), `all` or `none`."""
    project = project_for(request.user, uuid)
    section = section_for(project, request.GET.get("section", ""))
    wanted = request.GET.get("excerpts", Excerpts.ASKED.value)
    if wanted not in set(Excerpts):
        raise Http404
    corpus_items, excerpts_for = pack_of(
        project=project,
        section=section,
        excerpts=Excerpts(wanted),
        with_internal=permissions.can_export_internal(request.user, project.workspace_id),
        at=datetime.now(UTC),
    )
    name = f"corpus-{section.slug}" if section else "corpus"
    if form == "json":
        told = json.dumps(pack_json(corpus_items, excerpts_for=excerpts_for), ensure_ascii=False, indent=2) + "\n"
        return HttpResponse(told.encode(), content_type="application/json", headers=attachment(f"{name}.json"))
    text = pack_markdown(corpus_items, excerpts_for=excerpts_for)
    return HttpResponse(text.encode(), content_type="text/markdown; charset=utf-8", headers=attachment(f"{name}.md"))


@needs_workspace
@require_POST
def corpus_take_in(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes the project's kept sources into the corpus of a section."""
    project = project_for(request.user, uuid)
    permissions.check_can_curate(request.user, project.workspace_id)
    section = _posted_section(request, project)
    taken = corpus_from_catalog.take_in(
        project=project, section=section, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC)
    )
    if taken:
        messages.success(request, f"{counted(taken, 'source')} taken into “{section.title}”. History has the undo.")
    else:
        messages.info(request, "Nothing to take in: every kept source of the project is there already.")
    return redirect(_address(project, section))


@needs_workspace
@require_POST
def corpus_remove(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes the entry `entry` out of the corpus of its section."""
    project = project_for(request.user, uuid)
    permissions.check_can_curate(request.user, project.workspace_id)
    number = request.POST.get("entry", "")
    rows = (
        readable(CorpusEntry.objects.all()).filter(entry__project=project).select_related("entry__project", "section")
    )
    row = get_object_or_404(rows, pk=int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0)
    corpus_rows.remove(row=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(
        request, f"{row.entry.stable_id} is taken out of “{row.section.title}”; it keeps its id. History has the undo."
    )
    return redirect(_address(project, row.section))


def _posted_section(request: MemberRequest, project: Project) -> Section:
    section = section_for(project, request.POST.get("section", ""))
    if section is None:
        raise Http404
    return section


def _address(project: Project, section: Section) -> str:
    return f"{reverse('corpus', args=[project.uuid])}?{urlencode({'section': section.slug})}"
