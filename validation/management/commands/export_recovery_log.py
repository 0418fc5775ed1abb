"""`manage.py export_recovery_log --project P`: writes recovery-log.json."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from sources.management.output import write_output
from sources.management.projects import add_project_arguments, project_named
from validation.queries.recoveries import recoveries_of
from validation.reports.recovery_log import FILE_NAME, recovery_log


class Command(BaseCommand):
    """Exports a project's recoveries."""

    help = "Writes recovery-log.json of a project: which dead addresses were replaced, by what, and how it was found."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --out."""
        add_project_arguments(parser)
        parser.add_argument(
            "--out", default=FILE_NAME, help=f"Where to write; - for standard output. Default: {FILE_NAME}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the project and writes the file."""
        text = recovery_log(recoveries_of(project_named(options["project"], workspace=options["workspace"])))
        write_output(self, text, options["out"])
