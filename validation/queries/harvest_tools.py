"""Which searches a workspace can ask."""

from validation.adapters.harvest_world import tools_for
from validation.core.harvest_tools import Tool
from validation.queries.provider_keys import accounts_by_workspace


def tools_of(workspace_id: int) -> frozenset[Tool]:
    """The searches of the operator, of the workspace, and the registries of works. One query."""
    return tools_for(accounts_by_workspace([workspace_id]).get(workspace_id, ()))
