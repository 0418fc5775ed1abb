"""The sources table: the registry of a workspace, searched, narrowed and sorted."""

import django_tables2 as tables
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.utils.functional import cached_property
from django.views.decorators.http import require_GET
from django_tables2 import RequestConfig

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.filtering import Facet, active_filters, facet
from provenance_site.kit.partials import render_page
from sources.core.findings import Disposition, Verdict
from sources.models import Project, Source
from sources.views.filters import SourceFilter

PER_PAGE = 50


class SourceTable(tables.Table):
    """Columns of the sources list."""

    title = tables.TemplateColumn(
        template_name="sources/_cell_title.html",
        order_by=("title", "pk"),
        verbose_name="Source",
        attrs={"td": {"class": "cell-main"}},
    )
    verdict = tables.TemplateColumn(template_name="sources/_cell_verdict.html", verbose_name="Verdict")
    disposition = tables.TemplateColumn(template_name="sources/_cell_standing.html", verbose_name="Standing")
    used_in = tables.Column(
        accessor="entry_count",
        verbose_name="Used in",
        order_by=("entry_count",),
        attrs={"td": {"class": "num"}, "th": {"class": "num"}},
    )
    last_checked_at = tables.TemplateColumn(template_name="sources/_cell_checked.html", verbose_name="Checked")

    class Meta:
        model = Source
        fields: tuple[str, ...] = ()
        sequence = ("title", "verdict", "disposition", "used_in", "last_checked_at")
        order_by = "title"
        empty_text = ""

    caption = "Sources"
    noun = "source"


class Page:
    """The filtered list of one request: the filter, its facets, the table."""

    def __init__(self, request: MemberRequest) -> None:
        self.request = request
        base = Source.objects.standing().filter(workspace=request.workspace)
        self.filter = SourceFilter(request.GET, queryset=base)
        self.filter.filters["project"].queryset = Project.objects.filter(workspace=request.workspace).order_by("name")
        self.total_in_registry = base

    @cached_property
    def rows(self) -> QuerySet[Source]:
        """What the filter finds; nothing where the filter itself is unreadable."""
        if not self.filter.is_valid():
            return Source.objects.none()
        found: QuerySet[Source] = self.filter.qs
        return found.distinct().annotate(entry_count=Count("entries", distinct=True))

    @cached_property
    def facets(self) -> list[Facet]:
        """Standing and verdict with the numbers each value would give, its own facet left aside."""
        return [
            facet(
                name="disposition",
                legend="Standing",
                counts=[
                    (member.value, member.label, number) for member, number in self._counts("disposition", Disposition)
                ],
                params=self.request.GET,
            ),
            facet(
                name="verdict",
                legend="Verdict",
                counts=[(member.value, member.label, number) for member, number in self._counts("verdict", Verdict)],
                params=self.request.GET,
            ),
        ]

    def _counts(
        self, name: str, vocabulary: type[Disposition] | type[Verdict]
    ) -> list[tuple[Disposition | Verdict, int]]:
        others = self.request.GET.copy()
        others.pop(name, None)
        narrowed = SourceFilter(others, queryset=self.total_in_registry)
        narrowed.filters["project"].queryset = self.filter.filters["project"].queryset
        rows = narrowed.qs if narrowed.is_valid() else Source.objects.none()
        found = dict(rows.order_by().values_list(name).annotate(number=Count("pk", distinct=True)))
        return [(member, found.get(member.value, 0)) for member in vocabulary]


@needs_workspace
@require_GET
def source_list(request: MemberRequest) -> HttpResponse:
    """The sources of the workspace under the filter of the query string; htmx gets the results alone."""
    page = Page(request)
    table = SourceTable(page.rows)
    RequestConfig(request, paginate={"per_page": PER_PAGE, "silent": True}).configure(table)
    return render_page(
        request,
        "sources/source_list.html",
        {
            "filter": page.filter,
            "table": table,
            "facets": page.facets,
            "active": active_filters(page.filter.form, request.GET),
            "filter_is_bad": not page.filter.is_valid(),
            "registry_is_empty": not page.total_in_registry.exists(),
        },
        partial="sources/_results.html",
    )
