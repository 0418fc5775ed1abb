"""`manage.py export_sources --project P`: writes Master-Sources.md."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from sources.management.output import write_output
from sources.management.projects import add_project_arguments, project_named
from sources.reports.master_sources import FILE_NAME, Layout
from sources.services.exporting import master_sources_file


class Command(BaseCommand):
    """Exports a project's list."""

    help = "Writes Master-Sources.md of a project. Same state, same bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --layout, --out."""
        add_project_arguments(parser)
        parser.add_argument("--layout", choices=[layout.value for layout in Layout], default=Layout.VERDICT.value)
        parser.add_argument(
            "--out", default=FILE_NAME, help=f"Where to write; - for standard output. Default: {FILE_NAME}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the project and writes the file."""
        project = project_named(options["project"], workspace=options["workspace"])
        text = master_sources_file(project=project, layout=Layout(options["layout"]), by=None)
        write_output(self, text, options["out"])
