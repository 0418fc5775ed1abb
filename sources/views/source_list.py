"""The sources table, the master sheet of a workspace: searched, narrowed, sorted, with the columns a person wants."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.utils.functional import cached_property
from django.views.decorators.http import require_GET

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.kit.filtering import Facet, active_filters, facet
from provenance_site.kit.partials import render_page
from sources import permissions
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import Authority, Classification, IdentifierType, Sensitivity
from sources.models import Source
from sources.queries import facets as counting
from sources.queries import saved_views
from sources.queries.readable import readable
from sources.queries.search import search
from sources.views.filters import PARAMETERS, Choices, filtered, found
from sources.views.source_table import CHOOSABLE, USUAL, page_of_sources

_WORDED: dict[str, tuple[str, type[StrEnum]]] = {
    "disposition": ("Standing", Disposition),
    "verdict": ("Verdict", Verdict),
    "identifier_type": ("Identifier", IdentifierType),
    "authority": ("Authority", Authority),
    "classification": ("Classification", Classification),
    "sensitivity": ("Sensitivity", Sensitivity),
}
_YES_OR_NO = {
    "retracted": ("Retraction", (("true", "Retracted"), ("false", "Not retracted"))),
    "observed": ("Observations", (("true", "With observations"), ("false", "Without"))),
}


class SourcePage:
    """The filtered list of one request: the filter, its facets, the table. A fixed number of queries in all."""

    def __init__(self, request: MemberRequest) -> None:
        self.params: QueryDict = request.GET
        self.workspace_id = request.workspace.pk
        self.choices = Choices.of(workspace_id=self.workspace_id, params=self.params)
        self.filter = filtered(workspace_id=self.workspace_id, params=self.params, choices=self.choices)
        self.is_valid: bool = self.filter.is_valid()

    @cached_property
    def _searched(self) -> QuerySet[Source]:
        """What the search words find, looked for once for the table and all counts."""
        base = readable(Source.objects.all()).filter(workspace_id=self.workspace_id).standing()
        return search(base, self.params.get("q", "")[:500])

    def _without(self, *names: str) -> QuerySet[Source]:
        return found(
            filtered(
                workspace_id=self.workspace_id,
                params=self.params,
                choices=self.choices,
                without={"q", *names},
                base=self._searched,
            )
        )

    @cached_property
    def _joint(self) -> counting.Joint:
        return counting.joint_counts(self._without(*counting.JOINT))

    @cached_property
    def _chosen(self) -> dict[str, list[str]]:
        return {name: self.params.getlist(name) for name in counting.JOINT if self.params.getlist(name)}

    @cached_property
    def total(self) -> int:
        """How many sources the filter finds; known from the facets, without a count of its own."""
        return self._joint.total(self._chosen) if self.is_valid else 0

    @property
    def sources(self) -> QuerySet[Source]:
        """What the filter finds."""
        return self._without()

    @cached_property
    def facets(self) -> list[Facet]:
        """Every facet with the numbers each value would give, its own choice left aside."""
        if not self.is_valid:
            return []
        made = [self._joined(name, legend, _labels(words)) for name, (legend, words) in _WORDED.items()]
        made += [self._joined(name, legend, options) for name, (legend, options) in _YES_OR_NO.items()]
        tags = counting.tag_counts(self._without("tag"))
        made.append(self._facet("tag", "Tag", [(name, name, number) for name, number in tags]))
        made += self._places()
        for name, legend in (("publisher", "Publisher"), ("host", "Host")):
            values = counting.top_values(self._without(name), name)
            made.append(self._facet(name, legend, [(value, value, number) for value, number in values]))
        return made

    def _joined(self, name: str, legend: str, options: Iterable[tuple[str, str]]) -> Facet:
        numbers = self._joint.counts(name, self._chosen)
        return self._facet(name, legend, [(value, label, numbers.get(value, 0)) for value, label in options])

    def _places(self) -> list[Facet]:
        if not self.choices.projects:
            return []
        numbers = counting.project_counts(self._without("project", "section"))
        projects = [(uuid, name, numbers.get(uuid, 0)) for uuid, name in self.choices.projects.items()]
        made = [self._facet("project", "Project", projects)]
        if self.choices.sections:
            keys = [int(key) for key in self.choices.sections]
            numbers = counting.section_counts(self._without("section"), section_ids=keys)
            sections = [(key, title, numbers.get(key, 0)) for key, title in self.choices.sections.items()]
            made.append(self._facet("section", "Section", sections))
        return made

    def _facet(self, name: str, legend: str, counts: list[tuple[str, str, int]]) -> Facet:
        listed = {value for value, _, _ in counts}
        # What is in force and not among the top twenty must stay, or it could not be taken away here.
        counts += [(value, value, 0) for value in self.params.getlist(name)[:50] if value not in listed]
        return facet(name=name, legend=legend, counts=counts, params=self.params)


def _labels(words: type[StrEnum]) -> list[tuple[str, str]]:
    return [(member.value, str(getattr(member, "label", member.value.replace("_", " ")))) for member in words]


def columns_of(request: MemberRequest, kept: Callable[[], str]) -> list[str]:
    """The columns of this page in table order: the address's own, else what the person keeps, else the usual ones."""
    asked = request.GET.getlist("columns") or kept().split(",")
    wanted = [name for name in CHOOSABLE if name in set(asked)]
    return wanted or list(USUAL)


@needs_workspace
@require_GET
def source_list(request: MemberRequest) -> HttpResponse:
    """The sources of the workspace under the filter of the query string; htmx gets the results alone.

    `?select=all` ticks all that match, on every page; what is then unticked is left out of the selection.
    """
    page = SourcePage(request)
    views = saved_views.views_for(user=request.user, workspace_id=request.workspace.pk)
    columns = columns_of(request, lambda: saved_views.kept_columns(views, request.user))
    table = page_of_sources(
        page.sources,
        total=page.total,
        columns=columns,
        sort=request.GET.get("sort", ""),
        page=request.GET.get("page", ""),
    )
    selects_all = request.GET.get("select") == "all" and page.total > 0
    table.is_all_ticked = selects_all
    context: dict[str, Any] = {
        "filter": page.filter,
        "table": table,
        "total": page.total,
        "facets": page.facets,
        "active": active_filters(page.filter.form, request.GET),
        "filter_is_bad": not page.is_valid,
        "is_narrowed": any(request.GET.get(name) for name in PARAMETERS),
        "selects_all": selects_all,
        "filter_query": filter_query(request.GET),
        "columns": [(name, words, name in columns) for name, words in CHOOSABLE.items()],
        "shown_columns": columns,
        "views": saved_views.listed(views, request.user),
        "can_curate": permissions.can_curate(request.user, request.workspace.pk),
    }
    return render_page(request, "sources/source_list.html", context, partial="sources/_results.html")


def filter_query(params: QueryDict) -> str:
    """The filter of an address alone, as a query string: what a selection of "all that match" stands for."""
    kept = QueryDict(mutable=True)
    for name in sorted(PARAMETERS):
        values = [value for value in params.getlist(name) if value.strip()]
        if values:
            kept.setlist(name, values)
    return kept.urlencode()
