"""Which project a command works on, by the names a person knows it by."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from sources.models import Project


def add_project_arguments(parser: ArgumentParser) -> None:
    """--project and --workspace, as every command that works on one project takes them."""
    parser.add_argument("--project", required=True, help="Name of the project.")
    add_workspace_argument(parser)


def add_workspace_argument(parser: ArgumentParser) -> None:
    """--workspace, for a command that can do without a project."""
    parser.add_argument("--workspace", default="", help="Name of the workspace; needed where two have such a project.")


def project_named(name: str, *, workspace: str) -> Project:
    """The project called `name`, in `workspace` where that is given; raises CommandError (exit code 2) unless it
    is just one."""
    found = Project.objects.filter(name=name)
    if workspace:
        found = found.filter(workspace__name=workspace)
    projects = list(found.order_by("pk")[:2])
    if not projects:
        names = ", ".join(Project.objects.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no project {name!r}. Projects: {names}", returncode=2)
    if len(projects) > 1:
        raise CommandError("Several workspaces have a project of this name; say which with --workspace.", returncode=2)
    return projects[0]
