"""Files that are handed on."""

from provenance_site.accounts.models import User
from sources import permissions
from sources.models import Project
from sources.queries.holdings import StoredHoldings
from sources.reports import master_sources
from sources.reports.master_sources import Layout


def master_sources_file(*, project: Project, layout: Layout, by: User | None) -> str:
    """Master-Sources.md of the project at its present state, for others. Same state, same bytes; records nothing.

    `by` is the person it is for; None where the machine's owner asks on the command line.
    """
    if by is not None:
        permissions.check_can_read(by, project.workspace_id)
    sources = StoredHoldings(project.workspace_id, project)
    return "".join(master_sources.stream(sources, sources.export(), layout=layout))
