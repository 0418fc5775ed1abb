"""Who a command asks for: the workspace's first administrator unless --as and --workspace say else."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from lineage import access
from lineage.core.asking import Asker
from provenance_site.accounts.operators import BadOperator, Operator, operator
from provenance_site.accounts.permissions import membership_of


def add_operator_arguments(parser: ArgumentParser) -> None:
    """--workspace and --as."""
    parser.add_argument("--workspace", default="", help="Name of the workspace, where there are several.")
    parser.add_argument("--as", dest="username", default="", help="Who asks; by default the first administrator.")


def acting(options: dict[str, Any]) -> tuple[Operator, Asker]:
    """The person with the workspace, and what they may see; raises CommandError (exit 2) where that is not clear."""
    try:
        who = operator(username=options["username"], workspace_name=options["workspace"])
    except BadOperator as refused:
        raise CommandError(str(refused), returncode=2) from refused
    membership = membership_of(who.user, who.workspace.pk)
    if membership is None:
        raise CommandError(f"{who.user} is no member of {who.workspace}.", returncode=2)
    return who, access.asker_of(membership)


NOT_THERE = "There is no such node, or you may not see it."
