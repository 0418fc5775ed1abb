"""`manage.py export_sources --project P`: writes Master-Sources.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sources.models import Project
from sources.reports.master_sources import FILE_NAME, Layout
from sources.services.exporting import master_sources_file


class Command(BaseCommand):
    """Exports a project's list."""

    help = "Writes Master-Sources.md of a project. Same state, same bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --layout, --out."""
        parser.add_argument("--project", required=True, help="Name of the project.")
        parser.add_argument(
            "--workspace", default="", help="Name of the workspace; needed where two have such a project."
        )
        parser.add_argument("--layout", choices=[layout.value for layout in Layout], default=Layout.VERDICT.value)
        parser.add_argument(
            "--out", default=FILE_NAME, help=f"Where to write; - for standard output. Default: {FILE_NAME}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the project and writes the file."""
        text = master_sources_file(project=self._project(options), layout=Layout(options["layout"]), by=None)
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
            names = ", ".join(Project.objects.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no project {options['project']!r}. Projects: {names}")
        if len(projects) > 1:
            raise CommandError("Several workspaces have a project of this name; say which with --workspace.")
        return projects[0]
