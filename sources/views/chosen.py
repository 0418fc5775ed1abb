"""The sources that a filter of the sources list finds, for pages that act on all of them."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import QueryDict

from provenance_site.accounts.models import Workspace
from sources.models import Project, Source
from sources.views.filters import PARAMETERS, filtered, found


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
    listed = filtered(workspace_id=workspace.pk, params=params)
    if not listed.is_valid():
        return None
    named: list[str] = listed.form.cleaned_data.get("project") or []
    projects = Project.objects.filter(workspace=workspace)
    project = projects.filter(uuid=named[0]).first() if len(named) == 1 else None
    pairs = [(name, value) for name in sorted(PARAMETERS) for value in params.getlist(name) if value.strip()]
    return Chosen(sources=found(listed), query=urlencode(pairs), project=project)


def sources_of_list(workspace_id: int, query: str) -> "QuerySet[Source] | None":
    """The sources that a list's query string finds, for who keeps the query; None where a value of it is unknown."""
    chosen = chosen_by(Workspace.objects.get(pk=workspace_id), QueryDict(query))
    return chosen.sources if chosen else None
