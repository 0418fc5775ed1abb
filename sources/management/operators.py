"""Who a command acts for, and where: the workspace's first administrator unless --as and --workspace say else."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from provenance_site.accounts.operators import BadOperator, Operator, operator
from sources.management.projects import add_workspace_argument
from sources.models import Observation, Project, Source
from sources.queries.observations import whole


def add_operator_arguments(parser: ArgumentParser) -> None:
    """--workspace and --as."""
    add_workspace_argument(parser)
    parser.add_argument("--as", dest="username", default="", help="Who acts; by default the first administrator.")


def acting(options: dict[str, Any]) -> Operator:
    """The person and workspace; raises CommandError (exit code 2) where they cannot be told."""
    try:
        return operator(username=options["username"], workspace_name=options["workspace"])
    except BadOperator as refused:
        raise CommandError(str(refused), returncode=2) from refused


def project_called(name: str, *, who: Operator) -> Project:
    """The workspace's project of this name; raises CommandError (exit code 2), naming those that there are."""
    mine = Project.objects.filter(workspace=who.workspace)
    found = mine.filter(name=name).first()
    if found is None:
        told = ", ".join(mine.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no project {name!r}. Projects: {told}", returncode=2)
    return found


def source_numbered(number: int, *, who: Operator) -> Source:
    """The workspace's source of this number; raises CommandError (exit code 2)."""
    found = Source.objects.filter(workspace=who.workspace, pk=number).first()
    if found is None:
        raise CommandError(f"There is no source {number}. `source list` names them with their numbers.", returncode=2)
    return found


def observation_numbered(number: int, *, who: Operator) -> Observation:
    """The workspace's observation of this number, whole; raises CommandError (exit code 2)."""
    found = whole(Observation.objects.filter(project__workspace=who.workspace, pk=number)).first()
    if found is None:
        raise CommandError(f"There is no observation {number}.", returncode=2)
    return found
