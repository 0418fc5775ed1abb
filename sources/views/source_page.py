"""A source's own page: what it is, what was found, what people decided and wrote, where it is used."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes.models import Channel
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import word_diff
from sources import permissions
from sources.core.findings import Verdict
from sources.models import Check, EntryAlias, ReviewItem, Source, StatusChange
from sources.queries import review as reading
from sources.queries import source_page as page_parts
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell
from sources.services import bulk_edit
from sources.services.source_edits import digest_of
from sources.views.history import WORDS
from sources.views.lookups import merged_source_for, source_for
from sources.views.source_form import BIBLIOGRAPHY, SourceForm
from sources.views.words import shown_value, words_of

_OF_DEED_ONLY = frozenset({"row_version", "fingerprint", "decision", "closed_items"})


@needs_workspace
@require_GET
def source(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The page of one source: `?part=versions|observations|chunks|edits`, else the overview.

    One that was merged into another leads there: links to it go on working.
    """
    winner = merged_source_for(request.user, uuid)
    if winner is not None:
        return redirect("source", winner.uuid)
    found = source_for(request.user, uuid)
    part = request.GET.get("part", "")
    context = _frame(request, found, part=part)
    match part:
        case "versions":
            context["versions"] = page_of(request, page_parts.versions_of(found), per_page=20)
        case "observations":
            context["links"] = page_of(request, page_parts.observations_of(found), per_page=20)
        case "chunks":
            context["stores"] = page_parts.chunks_by_store(found)
        case "edits":
            context |= _edits(request, found)
        case _:
            return render_page(request, "sources/source.html", context | _overview(request, found))
    return render_page(request, "sources/source_part.html", context)


@needs_workspace
@require_http_methods(["GET", "POST"])
def source_change(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The form of the metadata; a POST writes it, or answers 422 with what is wrong, 409 where it was edited since.

    What was merged into another is not edited any more: its page leads there.
    """
    found = source_for(request.user, uuid)
    permissions.check_can_curate(request.user, found.workspace_id)
    if found.merged_into_id is not None:
        return redirect("source", found.uuid)
    tags = sorted(found.tags.values_list("name", flat=True))
    if request.method == "GET":
        return _form(request, found, SourceForm(source=found, tags=tags))
    form = SourceForm(request.POST, source=found, tags=tags)
    if not form.is_valid():
        return _form(request, found, form, status=422)
    try:
        done = bulk_edit.edit(
            workspace_id=found.workspace_id,
            source_ids=[found.pk],
            change=form.given,
            seen=digest_of([(found.pk, form.cleaned_data["row_version"])]),
            by=request.user,
            channel=Channel.PAGE,
            at=datetime.now(UTC),
        )
    except bulk_edit.EditRefused as refused:
        form.add_error(None, str(refused))
        return _form(request, found, form, status=422)
    except bulk_edit.ListChanged:
        return _form(request, found, form, status=409, last=page_parts.edits_of(found).first())
    if done is None:
        messages.info(request, "Nothing was changed.")
    else:
        messages.success(request, f"Kept: {done.note}. The part “Edits” can take it back.")
    return redirect("source", found.uuid)


def _form(
    request: MemberRequest, found: Source, form: SourceForm, *, status: int = 200, last: Any = None
) -> HttpResponse:
    context = _frame(request, found, part="change") | {
        "form": form,
        "works": [form[name] for name in BIBLIOGRAPHY],
        "plain": [bound for bound in form.visible_fields() if bound.name not in BIBLIOGRAPHY],
        "is_stale": status == 409,
        "last": last,
        "changed": _differences(form) if status == 409 else [],
    }
    return render_page(request, "sources/source_form.html", context, status=status)


def _differences(form: SourceForm) -> list[tuple[str, str, str]]:
    """Field, what is kept now and what the person typed, where the two differ."""
    rows = []
    for name in form.changed_data:
        if name != "row_version":
            typed = form.cleaned_data.get(name, "")
            rows.append((str(form[name].label), shown_value(name, form.initial[name]), shown_value(name, typed)))
    return rows


def _frame(request: MemberRequest, found: Source, *, part: str) -> dict[str, Any]:
    tell([found])
    numbers = page_parts.numbers_of(found)
    can_curate = permissions.can_curate(request.user, found.workspace_id)
    return {
        "source": found,
        "part": part,
        "parts": [
            ("versions", "Versions", numbers.versions),
            ("observations", "Observations", numbers.observations),
            ("chunks", "Chunks", numbers.chunks),
            ("edits", "Edits", numbers.edits),
        ],
        "can_curate": can_curate,
    }


def _overview(request: MemberRequest, found: Source) -> dict[str, Any]:
    dossier = reading.dossier_of(found)
    return {
        "dossier": dossier,
        "title_diff": word_diff(dossier.claimed_title, dossier.evidence.title_found),
        "verdicts": list(Verdict),
        "checks": page_of(
            request, readable(Check.objects.all()).filter(source=found).order_by("-at", "-pk"), per_page=10
        ),
        "changes": readable(StatusChange.objects.all())
        .filter(source=found)
        .select_related("by")
        .order_by("-at", "-pk")[:50],
        "versions": page_parts.versions_of(found)[:5],
        "aliases": found.aliases.order_by("spelling")[:50],
        "former_ids": readable(EntryAlias.objects.all())
        .filter(entry__source=found)
        .select_related("entry__project")
        .order_by("project_id", "number")[:50],
        "merged": readable(found.merged.all()).order_by("pk")[:50],
        "tags": found.tags.order_by("name"),
        "work": [(words_of(name), value) for name in BIBLIOGRAPHY if (value := found.bibliography.get(name))],
        "sensitivity": shown_value("sensitivity", found.sensitivity),
        "open_items": readable(ReviewItem.objects.all()).filter(source=found, closed_at__isnull=True).order_by("pk"),
        "can_decide": permissions.can_decide(request.user, found.workspace_id),
    }


def _edits(request: MemberRequest, found: Source) -> dict[str, Any]:
    page = page_of(request, page_parts.edits_of(found).select_related("change_set__undone_by"), per_page=20)
    rows = [
        (
            change.change_set,
            WORDS.get(change.change_set.kind, change.change_set.kind),
            [
                (words_of(name), shown_value(name, change.before.get(name)), shown_value(name, change.after.get(name)))
                for name in sorted({*change.before, *change.after} - _OF_DEED_ONLY)
                if change.before.get(name) != change.after.get(name)
            ],
        )
        for change in page.object_list
    ]
    return {"page": page, "edits": rows}
