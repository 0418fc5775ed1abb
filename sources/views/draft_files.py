"""Files of a draft, and how two of its versions differ."""

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.downloads import attachment
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from sources.core.draft_diff import DiffRow, TooLong, diff
from sources.models import Draft, DraftVersion
from sources.queries.drafts import version_before, version_of, versions_of
from sources.services.projects import section_slug
from sources.views.drafts import asked_version
from sources.views.lookups import draft_for

_MARKDOWN = "text/markdown; charset=utf-8"
_JSON = "application/json"


@needs_workspace
@require_GET
def draft_file(request: MemberRequest, uuid: UUID, name: str) -> HttpResponse:
    """A file of the newest version, or of `version=`: the gated text, the text as given, or what was said of it."""
    found = draft_for(request.user, uuid)
    version = asked_version(request, found)
    if version is None:
        raise Http404
    match name:
        case "gated.md":
            content, media_type = version.gated_text, _MARKDOWN
        case "given.md":
            content, media_type = version.text, _MARKDOWN
        case "citations.json":
            content, media_type = _json(version, "citations", version.citations), _JSON
        case "problems.json":
            content, media_type = _json(version, "problems", version.problems), _JSON
        case _:
            content, media_type = _json(version, "changes", version.changes), _JSON
    file_name = f"{section_slug(found.name)[:60]}-v{version.number}-{name}"
    return HttpResponse(content.encode(), content_type=media_type, headers=attachment(file_name))


@needs_workspace
@require_GET
def draft_diff(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """How the texts of two versions differ: `before=` and `after=` are their numbers, the newest two without them;
    `of=given` compares what was given instead of what the gate made."""
    found = draft_for(request.user, uuid)
    versions = list(versions_of(found)[:200])
    after = _numbered(request, found, "after") or version_of(found)
    if after is None:
        raise Http404
    before = _numbered(request, found, "before") or version_before(after)
    of_given = request.GET.get("of", "") == "given"
    rows: list[DiffRow] = []
    problem = ""
    if before is not None:
        try:
            rows = diff(before.text, after.text) if of_given else diff(before.gated_text, after.gated_text)
        except TooLong as refused:
            problem = str(refused)
    context = {
        "draft": found,
        "project": found.project,
        "versions": versions,
        "before": before,
        "after": after,
        "of_given": of_given,
        "page": page_of(request, rows, per_page=500),
        "problem": problem,
    }
    return render_page(request, "sources/draft_diff.html", context)


def _numbered(request: MemberRequest, found: Draft, name: str) -> DraftVersion | None:
    asked = request.GET.get(name, "")
    if not asked:
        return None
    version = version_of(found, int(asked)) if asked.isascii() and asked.isdigit() and len(asked) < 10 else None
    if version is None:
        raise Http404
    return version


def _json(version: DraftVersion, name: str, told: Any) -> str:
    whole = {"draft": version.draft.name, "version": version.number, "sha256": version.sha256, name: told}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
