"""The filter of the sources list: one FilterSet for the page, its facets and whatever acts on "all that match"."""

import django_filters
from django import forms
from django.db.models import Q, QuerySet

from provenance_site.kit.choices import choices_of
from sources.core.findings import Disposition, Verdict
from sources.models import Project, Source


class SourceFilter(django_filters.FilterSet):
    """Search words and facets over a workspace's sources."""

    q = django_filters.CharFilter(method="search", label="Search")
    project = django_filters.ModelChoiceFilter(
        field_name="entries__project",
        to_field_name="uuid",
        queryset=Project.objects.none(),
        label="Project",
        empty_label="All projects",
        widget=forms.Select(attrs={"class": "form-select"}),
    )
    disposition = django_filters.MultipleChoiceFilter(choices=choices_of(Disposition), label="Standing")
    verdict = django_filters.MultipleChoiceFilter(choices=choices_of(Verdict), label="Verdict")
    retracted = django_filters.BooleanFilter(label="Retracted")

    class Meta:
        model = Source
        fields: list[str] = []

    def search(self, queryset: QuerySet[Source], name: str, value: str) -> QuerySet[Source]:
        """Every word must stand in the title, the identifier, the authors or the publisher. At most ten words count."""
        for word in value.split()[:10]:
            queryset = queryset.filter(
                Q(title__icontains=word)
                | Q(identifier_value__icontains=word)
                | Q(authors__icontains=word)
                | Q(publisher__icontains=word)
            )
        return queryset
