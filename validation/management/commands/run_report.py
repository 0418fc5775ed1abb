"""`manage.py run_report --project P [--run UUID]`: what came of a run, or where a project stands."""

import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from sources.management.output import write_output
from sources.management.projects import add_project_arguments, project_named
from sources.models import Project
from validation.models import CheckRun
from validation.services.reporting import Form, report_on, written


class Command(BaseCommand):
    """Writes a report."""

    help = (
        "Writes the report on a project, or with --run on one of its runs: verified, gated, flagged, dropped and "
        "recovered sources, and the ship gate. Internal sources stay out of it unless --internal; standard error says "
        "how many. Same state, same bytes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --run, --format, --bom, --internal, --out, --exit-code."""
        add_project_arguments(parser)
        parser.add_argument("--run", default="", metavar="UUID", help="The run, as its page's address names it.")
        parser.add_argument("--format", choices=[form.value for form in Form], default=Form.MARKDOWN.value)
        parser.add_argument("--bom", action="store_true", help="Begin a CSV with a byte order mark, for Excel.")
        parser.add_argument("--internal", action="store_true", help="Internal sources go in; the file is for us alone.")
        parser.add_argument("--out", default="-", help="Where to write; - (the default) for standard output.")
        parser.add_argument(
            "--exit-code", action="store_true", help="Exit with the gate's word: 0 accept, 1 investigate, 2 block."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds project and run, writes the report."""
        project = project_named(options["project"], workspace=options["workspace"])
        of = self._run(project, options["run"]) if options["run"] else project
        report = report_on(of=of, by=None, internal=options["internal"])
        text = written(report=report, form=Form(options["format"]), bom=options["bom"])
        write_output(self, text, options["out"])
        if report.head.left_out:
            self.stderr.write(f"{report.head.left_out} internal left out")
        if options["exit_code"]:
            sys.exit(report.head.gate.decision.exit_code)

    def _run(self, project: Project, wanted: str) -> CheckRun:
        runs = CheckRun.objects.filter(project=project).select_related("job", "project__workspace")
        try:
            found = runs.filter(job__uuid=UUID(wanted)).first()
        except ValueError as error:
            raise CommandError(
                f"{wanted!r} is no run. --run takes the UUID in the address of the run's page."
            ) from error
        if found is None:
            newest = ", ".join(str(run.job.uuid) for run in runs.order_by("-job_id")[:5]) or "none yet"
            raise CommandError(f"The project {project.name!r} has no run {wanted}. Its newest runs: {newest}")
        return found
