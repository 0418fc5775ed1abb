"""The filter of the sources list: one FilterSet for the page, its facets and whatever acts on "all that match"."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import django_filters
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from provenance_site.kit.choices import choices_of
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import Authority, Classification, IdentifierType, Sensitivity
from sources.models import CatalogEntry, Citation, ObservationSource, Project, Section, Source
from sources.queries.readable import readable
from sources.queries.search import search

# What an address may hold of each: nobody ticks more, and each value is a parameter of every count.
_MOST_VALUES = 50


@dataclass(frozen=True, slots=True)
class Choices:
    """What of a workspace can be chosen in the filter: projects, and sections where one project is chosen."""

    projects: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, *, workspace_id: int, params: QueryDict) -> "Choices":
        """One query, and one more where sections can be chosen."""
        projects = {
            str(uuid): name
            for uuid, name in Project.objects.filter(workspace_id=workspace_id)
            .order_by("name")
            .values_list("uuid", "name")
        }
        chosen = [uuid for uuid in params.getlist("project") if uuid in projects]
        sections: dict[str, str] = {}
        if len(chosen) == 1 or params.get("section"):
            rows = Section.objects.filter(project__workspace_id=workspace_id, project__uuid__in=chosen)
            sections = {str(pk): title for pk, title in rows.order_by("slug").values_list("pk", "title")}
        return cls(projects=projects, sections=sections)


def _words(legend: str, vocabulary: type[StrEnum]) -> django_filters.MultipleChoiceFilter:
    return django_filters.MultipleChoiceFilter(choices=choices_of(vocabulary), label=legend, distinct=False)


def _free(legend: str, method: str) -> django_filters.MultipleChoiceFilter:
    return django_filters.MultipleChoiceFilter(label=legend, method=method)


class SourceFilter(django_filters.FilterSet):
    """Search words and facets over a workspace's sources."""

    q = django_filters.CharFilter(method="find", label="Search")
    disposition = _words("Standing", Disposition)
    verdict = _words("Verdict", Verdict)
    identifier_type = _words("Identifier", IdentifierType)
    authority = _words("Authority", Authority)
    classification = _words("Classification", Classification)
    sensitivity = _words("Sensitivity", Sensitivity)
    retracted = django_filters.MultipleChoiceFilter(
        choices=[("true", "Retracted"), ("false", "Not retracted")], method="mark", label="Retraction"
    )
    observed = django_filters.MultipleChoiceFilter(
        choices=[("true", "With observations"), ("false", "Without")], method="observe", label="Observations"
    )
    tag = _free("Tag", "tagged")
    project = _free("Project", "in_project")
    section = _free("Section", "in_section")
    host = _free("Host", "among")
    publisher = _free("Publisher", "among")

    class Meta:
        model = Source
        fields: list[str] = []

    def __init__(self, data: QueryDict, *, queryset: QuerySet[Source], choices: Choices) -> None:
        super().__init__(data, queryset=queryset)
        self.filters["project"].extra["choices"] = list(choices.projects.items())
        self.filters["section"].extra["choices"] = list(choices.sections.items())
        for name in ("tag", "host", "publisher"):
            # Any value may be asked for; one that no source has finds none.
            self.filters[name].extra["choices"] = [(value, value) for value in data.getlist(name)[:_MOST_VALUES]]

    def find(self, queryset: QuerySet[Source], name: str, value: str) -> QuerySet[Source]:
        """See `sources.queries.search`."""
        return search(queryset, value)

    def mark(self, queryset: QuerySet[Source], name: str, values: list[str]) -> QuerySet[Source]:
        """Retracted, not retracted, or (both chosen) either."""
        return queryset.filter(retracted__in=[value == "true" for value in values]) if values else queryset

    def observe(self, queryset: QuerySet[Source], name: str, values: list[str]) -> QuerySet[Source]:
        """With observations that rest on it, without, or either."""
        if len(values) != 1:
            return queryset
        some = Q(Exists(readable(ObservationSource.objects.all()).filter(source=OuterRef("pk"))))
        return queryset.filter(some if values == ["true"] else ~some)

    def tagged(self, queryset: QuerySet[Source], name: str, values: list[str]) -> QuerySet[Source]:
        """With any of the tags."""
        through = readable(Source.tags.through.objects.all()).filter(tag__name__in=values)
        return queryset.filter(pk__in=through.values("source_id")) if values else queryset

    def in_project(self, queryset: QuerySet[Source], name: str, values: list[str]) -> QuerySet[Source]:
        """In any of the projects."""
        entries = readable(CatalogEntry.objects.all()).filter(project__uuid__in=values)
        return queryset.filter(pk__in=entries.values("source_id")) if values else queryset

    def in_section(self, queryset: QuerySet[Source], name: str, values: list[str]) -> QuerySet[Source]:
        """Cited in any of the sections."""
        citations = readable(Citation.objects.all()).filter(section_id__in=values)
        return queryset.filter(pk__in=citations.values("entry__source_id")) if values else queryset

    def among(self, queryset: QuerySet[Source], name: str, values: list[str]) -> QuerySet[Source]:
        """With one of these values in the column that the filter is named for."""
        return queryset.filter(**{f"{name}__in": values}) if values else queryset


PARAMETERS = frozenset(SourceFilter.base_filters)


def filtered(
    *,
    workspace_id: int,
    params: QueryDict,
    choices: Choices | None = None,
    without: Collection[str] = (),
    base: QuerySet[Source] | None = None,
) -> SourceFilter:
    """The filter of `params` over the workspace's standing sources, the parameters in `without` left aside.

    `base` takes the place of all standing sources, for whoever has narrowed them already. `.qs` is what it finds,
    unordered; nothing where `.is_valid()` says that a value is not known. Parameters that are no filter are ignored:
    none reaches the database.
    """
    kept = QueryDict(mutable=True)
    for name in PARAMETERS - set(without):
        if name in params:
            kept.setlist(name, [value.replace("\x00", "") for value in params.getlist(name)][: _MOST_VALUES + 1])
    if choices is None:
        choices = Choices.of(workspace_id=workspace_id, params=params)
    if base is None:
        base = readable(Source.objects.all()).filter(workspace_id=workspace_id).standing()
    return SourceFilter(kept, queryset=base, choices=choices)


def found(source_filter: SourceFilter) -> QuerySet[Source]:
    """The sources that a filter finds; none where it is not valid."""
    sources: QuerySet[Source] = source_filter.qs if source_filter.is_valid() else Source.objects.none()
    return sources
