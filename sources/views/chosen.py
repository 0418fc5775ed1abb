"""The sources that a filter of the sources list finds, for pages that act on all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import QueryDict

from provenance_site.accounts.models import Workspace
from sources.models import Project, Source
from sources.views.filters import SourceFilter


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a filter finds. `query` holds its conditions alone, in one order; `project` is the one it names."""

    sources: "QuerySet[Source]"
    query: str
    project: Project | None


def chosen_by(workspace: Workspace, params: QueryDict) -> Chosen | None:
    """The sources of `workspace` under the filter of `params`; None where a value of it is unknown.

    What else stands in a list's address (page, order, columns) changes nothing.
    """
    listed = SourceFilter(params, queryset=Source.objects.filter(workspace=workspace))
    listed.filters["project"].queryset = Project.objects.filter(workspace=workspace)
    if not listed.is_valid():
        return None
    values: Mapping[str, object] = listed.form.cleaned_data
    project = values.get("project")
    pairs = [(name, value) for name in sorted(listed.filters) for value in params.getlist(name) if value.strip()]
    return Chosen(sources=listed.qs, query=urlencode(pairs), project=project if isinstance(project, Project) else None)
