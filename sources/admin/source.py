"""Sources in the admin, and the bulk actions on them."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from provenance_site.accounts.models import User
from provenance_site.accounts.scoped_admin import ScopedAdmin
from provenance_site.changes.models import Channel
from provenance_site.kit.text import counted
from sources.admin import source_deeds
from sources.models import Source
from sources.queries.search import search
from sources.services import retractions
from sources.services.bulk_deeds import Deed

_SHOWN = 100


def _digest(sources: Iterable[Source]) -> str:
    """Names a selection: a list that was chosen across its pages is asked for anew when it is confirmed, and may then
    hold others, as many as before."""
    return hashlib.sha256(",".join(str(source.pk) for source in sources).encode()).hexdigest()


@admin.register(Source)
class SourceAdmin(ScopedAdmin[Source]):
    """Every source of the workspaces in which the person is an administrator."""

    list_display = ["name", "identifier_type", "verdict", "disposition", "retracted", "workspace", "last_checked_at"]
    list_filter = [
        "retracted",
        "disposition",
        "verdict",
        "identifier_type",
        ("workspace", admin.RelatedOnlyFieldListFilter),
    ]
    list_select_related = ["workspace"]
    search_fields = ["title", "identifier_value", "authors", "publisher"]
    search_help_text = "Words of the title, the address or identifier, the authors, the publisher."
    ordering = ["-pk"]
    list_per_page = 50
    actions = ["mark_retracted", "take_mark_off", "drop"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Source]:
        """Without those that were merged into others, as everywhere."""
        return super().get_queryset(request).filter(merged_into__isnull=True)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Source], search_term: str
    ) -> tuple[QuerySet[Source], bool]:
        """By the search of the table, so that both find the same and at the same price."""
        return search(queryset, search_term), False

    @admin.display(description="Source", ordering="title")
    def name(self, source: Source) -> str:
        """The title, or the identifier where there is none."""
        return str(source)[:160]

    @admin.action(description="Mark retracted…", permissions=["view"])
    def mark_retracted(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """First shows what would change and asks for a note; then marks, in one ChangeSet per workspace."""
        chosen = list(queryset.filter(merged_into__isnull=True).select_related("workspace").order_by("pk"))
        look = retractions.preview(sources=chosen)
        note = request.POST.get("note", "").strip()
        expected = _digest(look.changing)
        if request.POST.get("confirm") and note and request.POST.get("expected") == expected:
            self._mark(request, look.changing, note=note)
            return None
        problem = ""
        if request.POST.get("confirm"):
            problem = (
                "Write a note: it is shown wherever the source is used."
                if not note
                else "The selection changed since you looked; look again before you confirm."
            )
        return TemplateResponse(
            request,
            "admin/sources/mark_retracted.html",
            {
                **self.admin_site.each_context(request),
                "title": "Mark retracted",
                "opts": self.model._meta,
                "changing": look.changing[:_SHOWN],
                "more": max(0, len(look.changing) - _SHOWN),
                "count": len(look.changing),
                "expected": expected,
                "already": look.already[:_SHOWN],
                "already_count": len(look.already),
                "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
                "select_across": request.POST.get("select_across", "0"),
                "checkbox_name": ACTION_CHECKBOX_NAME,
                "note": note,
                "problem": problem,
            },
            status=422 if problem else 200,
        )

    @admin.action(description="Take the retraction mark off…", permissions=["view"])
    def take_mark_off(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """See `source_deeds.do`."""
        return source_deeds.do(self, request, queryset, action="take_mark_off", deed=Deed.UNRETRACT)

    @admin.action(description="Drop…", permissions=["view"])
    def drop(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """See `source_deeds.do`."""
        return source_deeds.do(self, request, queryset, action="drop", deed=Deed.DROP)

    def _mark(self, request: HttpRequest, sources: list[Source], *, note: str) -> None:
        by_workspace: dict[int, list[int]] = defaultdict(list)
        for source in sources:
            by_workspace[source.workspace_id].append(source.pk)
        for workspace_id, source_ids in by_workspace.items():
            try:
                change_set = retractions.mark(
                    workspace_id=workspace_id,
                    source_ids=source_ids,
                    note=note,
                    by=cast(User, request.user),
                    channel=Channel.ADMIN,
                    at=datetime.now(UTC),
                )
            except PermissionDenied as refused:
                self.message_user(request, str(refused), messages.ERROR)
                continue
            marked = change_set.changes.count()
            self.message_user(
                request,
                f"Marked {counted(marked, 'source')} retracted. The History page of the workspace can take it back.",
                messages.SUCCESS,
            )
