"""`manage.py run_report --project P [--run UUID]`: what came of a run, or where a project stands."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from sources.models import Project
from validation.models import CheckRun
from validation.services.reporting import Form, report_on, written


class Command(BaseCommand):
    """Writes a report."""

    help = (
        "Writes the report on a project, or with --run on one of its runs: verified, gated, flagged, dropped and "
        "recovered sources, and the ship gate. Same state, same bytes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --run, --format, --bom, --out, --exit-code."""
        parser.add_argument("--project", required=True, help="Name of the project.")
        parser.add_argument(
            "--workspace", default="", help="Name of the workspace; needed where two have such a project."
        )
        parser.add_argument("--run", default="", metavar="UUID", help="The run, as its page's address names it.")
        parser.add_argument("--format", choices=[form.value for form in Form], default=Form.MARKDOWN.value)
        parser.add_argument("--bom", action="store_true", help="Begin a CSV with a byte order mark, for Excel.")
        parser.add_argument("--out", default="-", help="Where to write; - (the default) for standard output.")
        parser.add_argument(
            "--exit-code", action="store_true", help="Exit with the gate's word: 0 accept, 1 investigate, 2 block."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds project and run, writes the report."""
        project = self._project(options)
        of = self._run(project, options["run"]) if options["run"] else project
        report = report_on(of=of, by=None)
        self._write(written(report=report, form=Form(options["format"]), bom=options["bom"]), options["out"])
        if options["exit_code"]:
            sys.exit(report.head.gate.decision.exit_code)

    def _write(self, text: str, out: str) -> None:
        if out == "-":
            self.stdout.write(text, ending="")
            return
        path = Path(out)
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
