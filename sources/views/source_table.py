"""The columns of the sources table, how each sorts, and one page of its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import django_tables2 as tables
from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Func, OrderBy, QuerySet, Subquery, TextField
from django.db.models.expressions import OuterRef
from django.db.models.functions import Coalesce, Left, Lower
from django_tables2.data import TableListData

from provenance_site.kit.tables import TickColumn
from sources.models import CatalogEntry, ObservationSource, Source
from sources.models.source import TITLE_SORTED
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell

PER_PAGE = 50
ALWAYS = ("tick", "title")
# What a person who has chosen nothing sees.
USUAL = ("verdict", "disposition", "tags", "used_in", "last_checked_at")
# In the order of the table, with the words of the choice.
CHOOSABLE: Mapping[str, str] = {
    "identifier_type": "Identifier",
    "authors": "Authors",
    "published_date": "Published",
    "publisher": "Publisher",
    "verdict": "Verdict",
    "disposition": "Standing",
    "tags": "Tags",
    "rights": "Rights",
    "version": "Version",
    "authority": "Authority",
    "classification": "Classification",
    "sensitivity": "Sensitivity",
    "used_in": "Used in",
    "observed_in": "Observations",
    "first_seen_at": "First seen",
    "last_checked_at": "Checked",
}
_NUMBER = {"td": {"class": "num"}, "th": {"class": "num"}}


class _TitleKey(Func):
    """What the index `sources_by_title` holds, with its number as a literal: as a parameter it would not be used."""

    template = f"LOWER(LEFT(%(expressions)s, {TITLE_SORTED}))"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """SQLite has no LEFT."""
        return self.as_sql(
            compiler, connection, template=f"LOWER(SUBSTR(%(expressions)s, 1, {TITLE_SORTED}))", **context
        )


_SORTED_BY: Mapping[str, Any] = {
    "title": _TitleKey("title", output_field=TextField()),
    "publisher": Lower(Left("publisher", TITLE_SORTED)),
    "authors": Lower(Left("authors", TITLE_SORTED)),
}
_NOT_LOADED = ("bibliography", "author_list", "retraction_note", "fingerprint", "canonical_key")


def _count(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.filter(source=OuterRef("pk")).order_by().values("source").annotate(number=Count("pk"))
    return Coalesce(Subquery(counted.values("number")), 0)


def used_in() -> Coalesce:
    """In how many projects a source stands."""
    return _count(readable(CatalogEntry.objects.all()))


def observed_in() -> Coalesce:
    """How many links of observations lead to a source."""
    return _count(readable(ObservationSource.objects.all()))


class PageRows(TableListData):
    """The rows of one page, in their order: the database has sorted and cut."""

    def order_by(self, aliases: object) -> None:
        """Nothing is left to sort."""


class Shown(Paginator[Source]):
    """A paginator that is told how many there are: the counts beside the table know it without another query."""

    def __init__(self, number_of_rows: int) -> None:
        super().__init__([], PER_PAGE)
        self.number_of_rows = number_of_rows

    @property
    def count(self) -> int:
        """How many sources the filter finds."""
        return self.number_of_rows

    def at(self, raw: str) -> int:
        """The number of the page that the address names, the nearest where there is none of that number."""
        digits = raw.lstrip("0") if raw.isascii() and raw.isdigit() else "1"
        if len(digits) > len(str(self.num_pages)):
            return self.num_pages
        return min(max(int(digits or "1"), 1), self.num_pages)


class SourceTable(tables.Table):
    """Columns of the sources list."""

    tick = TickColumn(accessor="pk")
    title = tables.TemplateColumn(
        template_name="sources/_cell_title.html", verbose_name="Source", attrs={"td": {"class": "cell-main"}}
    )
    identifier_type = tables.TemplateColumn("{{ record.get_identifier_type_display }}", verbose_name="Identifier")
    authors = tables.TemplateColumn("{{ record.authors|truncatechars:90 }}", verbose_name="Authors")
    published_date = tables.Column(verbose_name="Published")
    publisher = tables.TemplateColumn("{{ record.publisher|truncatechars:60 }}", verbose_name="Publisher")
    verdict = tables.TemplateColumn(template_name="sources/_cell_verdict.html", verbose_name="Verdict")
    disposition = tables.TemplateColumn(template_name="sources/_cell_standing.html", verbose_name="Standing")
    tags = tables.TemplateColumn(template_name="sources/_cell_tags.html", verbose_name="Tags", orderable=False)
    rights = tables.TemplateColumn("{{ record.rights|truncatechars:60 }}", verbose_name="Rights")
    version = tables.Column(verbose_name="Version")
    authority = tables.TemplateColumn("{{ record.get_authority_display }}", verbose_name="Authority")
    classification = tables.TemplateColumn("{{ record.get_classification_display }}", verbose_name="Classification")
    sensitivity = tables.TemplateColumn("{{ record.get_sensitivity_display }}", verbose_name="Sensitivity")
    used_in = tables.Column(verbose_name="Used in", attrs=_NUMBER)
    observed_in = tables.Column(verbose_name="Observations", attrs=_NUMBER)
    first_seen_at = tables.TemplateColumn(template_name="sources/_cell_first_seen.html", verbose_name="First seen")
    last_checked_at = tables.TemplateColumn(template_name="sources/_cell_checked.html", verbose_name="Checked")

    class Meta:
        model = Source
        fields: tuple[str, ...] = ()
        sequence = (*ALWAYS, *CHOOSABLE)
        order_by = "title"
        empty_text = ""
        attrs = {"data-rows": ""}

    caption = "Sources"
    noun = "source"
    swap_id = "found"
    is_all_ticked = False


def sorting(asked: str) -> tuple[str, bool]:
    """The column that `?sort=` names and whether it goes down; the title where it names none that sorts."""
    name, down = asked.removeprefix("-"), asked.startswith("-")
    column = SourceTable.base_columns.get(name)
    if column is None or column.orderable is False or name in {"tick", "tags"}:
        return "title", False
    return name, down


def page_of_sources(
    sources: QuerySet[Source], *, total: int, columns: Sequence[str], sort: str, page: str
) -> SourceTable:
    """The table with one page of `sources`. Four queries, and one more where tags are shown.

    The keys of the page come first, from an index where there is one; only then its rows with what they count.
    """
    name, down = sorting(sort)
    paginator = Shown(total)
    number = paginator.at(page)
    start = (number - 1) * PER_PAGE
    keys = list(_sorted(sources, name, down).values_list("pk", flat=True)[start : start + PER_PAGE])
    wanted = readable(Source.objects.all()).filter(pk__in=keys).defer(*_NOT_LOADED)
    if "used_in" in columns:
        wanted = wanted.annotate(used_in=used_in())
    if "observed_in" in columns:
        wanted = wanted.annotate(observed_in=observed_in())
    if "tags" in columns:
        wanted = wanted.prefetch_related("tags")
    rows = {source.pk: source for source in wanted}
    tell(rows.values())
    table = SourceTable(
        PageRows([rows[key] for key in keys if key in rows]),
        order_by=f"-{name}" if down else name,
        exclude=[column for column in CHOOSABLE if column not in columns],
    )
    table.paginator = paginator
    table.page = Page(table.rows, number, paginator)
    return table


def _sorted(sources: QuerySet[Source], name: str, down: bool) -> QuerySet[Source]:
    counts = {"used_in": used_in, "observed_in": observed_in}
    if name in counts:
        sources = sources.annotate(sort_key=counts[name]())
        by: Any = F("sort_key")
    else:
        by = _SORTED_BY.get(name, F(name))
    # Sources without a date stand last either way: who sorts by it looks for those that have one.
    nullable = name == "last_checked_at"
    ordering = OrderBy(by, descending=down, nulls_last=True if nullable else None)
    return sources.order_by(ordering, "-pk" if down else "pk")
