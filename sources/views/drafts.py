"""Drafts of a project: the list, a new one, and the page of one with source, preview and problems."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from lineage import access
from lineage.core.relations import EntityType
from lineage.queries.words import called, quoted
from lineage.services import release
from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.core.citations import RateDecision
from sources.core.decoding import NotText
from sources.core.preview import Block, blocks_of, lines_of
from sources.models import Draft, DraftVersion, Project
from sources.queries.corpora import entries_of
from sources.queries.drafts import ShownProblem, drafts_of, problems_of, rate_of, version_of, versions_of
from sources.services import drafts
from sources.services.drafts import DraftRefused
from sources.views.draft_forms import DraftForm, PolicyForm
from sources.views.lookups import draft_for, project_for

# Lines of the source on one page, each of which may be a paragraph: with its preview some 300 kB of a real long draft.
LINES = 300
_PROBLEMS = 200
_REASONS = 20
_VERSIONS = 30
# Tone and sentence of a marker rate: the thresholds at which a search is good enough, or does not cover enough.
_RATES = {
    RateDecision.OK: ("good", "Under 5 %: the corpus covers the draft."),
    RateDecision.BETWEEN: ("warn", "Between 5 and 20 %: look whether a section needs more sources."),
    RateDecision.TOO_MANY: ("bad", "Over 20 %: the corpus does not cover the draft. Harvest more."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source as given, and what was found in it."""

    number: int
    text: str
    problems: tuple[ShownProblem, ...]

    @property
    def is_refused(self) -> bool:
        """True where a problem of it is an error."""
        return any(problem.is_error for problem in self.problems)


@dataclass(frozen=True, slots=True)
class Jump:
    """A problem with the page of the source that its line stands on."""

    problem: ShownProblem
    page: int


@dataclass(frozen=True, slots=True)
class Reason:
    """What keeps the version back, what the node is called, and the line of the source that says it, where one does."""

    problem: release.Problem
    words: str
    line: int | None
    page: int


@needs_workspace
@require_http_methods(["GET", "POST"])
def draft_list(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The project's drafts, and the form of a new one; a POST begins it and puts its text through the gate."""
    project = project_for(request.user, uuid)
    if request.method == "GET":
        return _list(request, project, DraftForm())
    permissions.check_can_curate(request.user, project.workspace_id)
    form = DraftForm(request.POST, request.FILES)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    at = datetime.now(UTC)
    try:
        made = drafts.begin(
            project=project,
            name=form.cleaned_data["name"],
            text=form.given,
            by=request.user,
            channel=Channel.PAGE,
            at=at,
        ).draft
    except DraftRefused as refused:
        form.add_error(form.field_of(refused.field), str(refused))
        return _list(request, project, form, status=422)
    except NotText as refused:
        form.add_error("file", str(refused))
        return _list(request, project, form, status=422)
    messages.success(request, "The draft went through the gate. History has the undo.")
    return redirect("draft", made.uuid)


@needs_workspace
@require_GET
def draft(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """A draft: source, preview, problems, versions, policy and release check. `version=` shows an earlier one."""
    return draft_page(request, draft_for(request.user, uuid))


def draft_page(
    request: MemberRequest, found: Draft, *, policy_form: PolicyForm | None = None, status: int = 200
) -> HttpResponse:
    """The page of a draft as it is now; 404 for a version that is not there."""
    version = asked_version(request, found)
    context: dict[str, object] = {
        "draft": found,
        "project": found.project,
        "version": version,
        "versions": versions_of(found)[:_VERSIONS],
        "policy_form": policy_form or PolicyForm(initial=PolicyForm.values_of(found)),
        "can_curate": permissions.can_curate(request.user, found.project.workspace_id),
        "corpus_count": entries_of(found.project).order_by().values("entry").distinct().count(),
    }
    if version is not None:
        context |= _gated(request, version)
    return render_page(request, "sources/draft.html", context, status=status)


def asked_version(request: MemberRequest, found: Draft) -> DraftVersion | None:
    """The version that the query string names, the newest without one; None where the draft has none yet."""
    asked = request.GET.get("version", "")
    if not asked:
        return version_of(found)
    version = version_of(found, int(asked)) if asked.isascii() and asked.isdigit() and len(asked) < 10 else None
    if version is None:
        raise Http404
    return version


def _gated(request: MemberRequest, version: DraftVersion) -> dict[str, object]:
    problems = problems_of(version)
    lines = lines_of(version.text)
    page = page_of(request, range(len(lines)), per_page=LINES, parameter="part")
    first, last = (page.number - 1) * LINES + 1, page.number * LINES
    by_line: dict[int, list[ShownProblem]] = {}
    for problem in problems:
        by_line.setdefault(problem.line, []).append(problem)
    rate = rate_of(version)
    errors = sum(problem.is_error for problem in problems)
    check = None
    if version.entity is not None:
        check = release.check(output=version.entity, asker=access.asker_of(request.membership), at=datetime.now(UTC))
    return {
        "page": page,
        "lines": [Line(place + 1, lines[place], tuple(by_line.get(place + 1, ()))) for place in page.object_list],
        "blocks": _part(blocks_of(version.gated_text), first, None if not page.has_next() else last),
        "jumps": [Jump(problem, max(problem.line - 1, 0) // LINES + 1) for problem in problems[:_PROBLEMS]],
        "more_problems": max(len(problems) - _PROBLEMS, 0),
        "errors": errors,
        "warnings": len(problems) - errors,
        "rate": rate,
        "rate_words": _RATES[rate.decision],
        "check": check,
        "reasons": _reasons(check, lines, problems) if check else [],
    }


def _reasons(check: release.Check, lines: Sequence[str], problems: Sequence[ShownProblem]) -> list[Reason]:
    """What keeps the version back, each with its place in the source: a marked claim's is that of its problem, a cited
    one's the line that holds its sentence."""
    shown = check.problems[:_REASONS]
    names = called(one.node for one in shown)
    marked = {quoted(one.claim): one.line for one in problems if one.claim}
    reasons = []
    for one in shown:
        words = names[one.node.pk]
        line = marked.get(words)
        if line is None and one.node.as_type is EntityType.CLAIM:
            sentence = words.strip("“”").removesuffix("…").rstrip(".!?")
            line = next((number for number, text in enumerate(lines, 1) if sentence in text), None)
        reasons.append(Reason(one, words, line, (line - 1) // LINES + 1 if line else 1))
    return reasons


def _part(blocks: list[Block], first: int, last: int | None) -> list[Block]:
    """The blocks that begin on the shown lines; the last page has all that follows, its notes too."""
    return [block for block in blocks if first <= block.line and (last is None or block.line <= last)]


def _list(request: MemberRequest, project: Project, form: DraftForm, *, status: int = 200) -> HttpResponse:
    context = {
        "project": project,
        "page": page_of(request, drafts_of(project), per_page=30),
        "form": form,
        "has_corpus": entries_of(project).exists(),
        "can_curate": permissions.can_curate(request.user, project.workspace_id),
    }
    return render_page(request, "sources/draft_list.html", context, status=status)
