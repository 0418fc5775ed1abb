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

    help = (
        "Writes recovery-log.json of a project: which dead addresses were replaced, by what, and how it was found. "
        "Internal sources stay out of it unless --internal; standard error says how many."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --internal, --out."""
        add_project_arguments(parser)
        parser.add_argument("--internal", action="store_true", help="Internal sources go in; the file is for us alone.")
        parser.add_argument(
            "--out", default=FILE_NAME, help=f"Where to write; - for standard output. Default: {FILE_NAME}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the project and writes the file."""
        project = project_named(options["project"], workspace=options["workspace"])
        everything = recoveries_of(project, external=False)
        told = everything if options["internal"] else recoveries_of(project)
        write_output(self, recovery_log(told), options["out"])
        if left_out := len(everything) - len(told):
            self.stderr.write(f"{left_out} of internal sources left out")
