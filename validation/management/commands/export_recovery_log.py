"""`manage.py export_recovery_log --project P`: writes recovery-log.json."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sources.models import Project
from validation.queries.recoveries import recoveries_of
from validation.reports.recovery_log import FILE_NAME, recovery_log


class Command(BaseCommand):
    """Exports a project's recoveries."""

    help = "Writes recovery-log.json of a project: which dead addresses were replaced, by what, and how it was found."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --out."""
        parser.add_argument("--project", required=True, help="Name of the project.")
        parser.add_argument(
            "--workspace", default="", help="Name of the workspace; needed where two have such a project."
        )
        parser.add_argument(
            "--out", default=FILE_NAME, help=f"Where to write; - for standard output. Default: {FILE_NAME}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the project and writes the file."""
        text = recovery_log(recoveries_of(self._project(options)))
        if options["out"] == "-":
            self.stdout.write(text, ending="")
            return
        path = Path(options["out"])
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}. Choose another --out.") from error
        self.stderr.write(f"Wrote {path}")

    def _project(self, options: dict[str, Any]) -> Project:
        found = Project.objects.filter(name=options["project"])
        if options["workspace"]:
            found = found.filter(workspace__name=options["workspace"])
        projects = list(found.order_by("pk")[:2])
        if not projects:
            raise CommandError(f"There is no project {options['project']!r}. Give the name that its page shows.")
        if len(projects) > 1:
            raise CommandError("Several workspaces have a project of this name; say which with --workspace.")
        return projects[0]
