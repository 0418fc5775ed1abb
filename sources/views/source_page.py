"""A source's own page: what it is, what was found, what people decided, where it is cited."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import word_diff
from sources import permissions
from sources.core.findings import Verdict
from sources.models import Check, EntryAlias, ReviewItem, Source, SourceVersion, StatusChange
from sources.queries import review as reading
from sources.queries.duplicates import standing_ids
from sources.views.lookups import source_for


@needs_workspace
@require_GET
def source(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """The page of one source; of one that was merged, the way to the one that stands now."""
    found = source_for(request.user, uuid)
    if found.merged_into_id is not None:
        leads = standing_ids([found.pk])
        return redirect("source", Source.objects.get(pk=leads[found.pk]).uuid)
    dossier = reading.dossier_of(found)
    context: dict[str, Any] = {
        "source": found,
        "dossier": dossier,
        "title_diff": word_diff(dossier.claimed_title, dossier.evidence.title_found),
        "verdicts": list(Verdict),
        "checks": page_of(request, Check.objects.filter(source=found).order_by("-at", "-pk"), per_page=10),
        "changes": StatusChange.objects.filter(source=found).select_related("by").order_by("-at", "-pk")[:50],
        "versions": SourceVersion.objects.filter(source=found).order_by("-fetched_at", "-pk")[:20],
        "aliases": found.aliases.order_by("spelling")[:50],
        "former_ids": EntryAlias.objects.filter(entry__source=found)
        .select_related("entry__project")
        .order_by("project_id", "number")[:50],
        "merged": found.merged.order_by("pk")[:50],
        "open_items": ReviewItem.objects.filter(source=found, closed_at__isnull=True),
        "can_decide": permissions.can_decide(request.user, found.workspace_id),
    }
    return render_page(request, "sources/source.html", context)
