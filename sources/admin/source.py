"""Sources in the admin, and the bulk actions on them."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.admin import source_deeds
from sources.models import Source
from sources.queries.search import search
from sources.services.bulk_deeds import Deed


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
        """See `source_deeds.do`."""
        return source_deeds.do(self, request, queryset, action="mark_retracted", deed=Deed.RETRACT)

    @admin.action(description="Take the retraction mark off…", permissions=["view"])
    def take_mark_off(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """See `source_deeds.do`."""
        return source_deeds.do(self, request, queryset, action="take_mark_off", deed=Deed.UNRETRACT)

    @admin.action(description="Drop…", permissions=["view"])
    def drop(self, request: HttpRequest, queryset: QuerySet[Source]) -> HttpResponse | None:
        """See `source_deeds.do`."""
        return source_deeds.do(self, request, queryset, action="drop", deed=Deed.DROP)
