"""`manage.py first_start`: what `make run` does once web and worker are up; a later start finds it done."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from provenance_site.first_start import prepare
from sources.models import Project
from sources.reports.master_sources import Layout
from sources.services.exporting import master_sources_file
from validation.management.commands.demo import export_path
from validation.management.watching import Watcher
from validation.queries.report import gate_of_run
from validation.reports.terminal import count_lines


class Command(BaseCommand):
    """Owner, sample project, its check by the real worker, its export."""

    help = "Makes the owner and the sample project at the first start, watches its check and writes its list."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--patience: how long to wait for the worker."""
        parser.add_argument("--patience", type=float, default=300.0, help="Seconds to wait for the worker.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepares, watches, exports, and says how to sign in."""
        start = prepare(sample_port=settings.SAMPLE_PORT, at=datetime.now(UTC))
        if start.run is not None and start.project is not None:
            self.stdout.write(f"Checking “{start.project.name}” ({start.run.job.items.count()} sources):\n")
            state = Watcher(run=start.run, write=self.stdout.write).until_done(patience_s=options["patience"])
            if state is None:
                self.stderr.write("The check is still going on; watch it in the browser.")
            else:
                self.stdout.write("")
                for line in count_lines(state.by_disposition, gate_of_run(start.run)):
                    self.stdout.write(line)
                self.stdout.write(f"\n{self._export(start.project)}")
        if start.owner is not None:
            self.stdout.write(start.owner.sign_in_line)
        else:
            self.stdout.write("Sign in as before. Password forgotten: .venv/bin/python manage.py changepassword NAME")

    def _export(self, project: Project) -> str:
        path = export_path(project)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(master_sources_file(project=project, layout=Layout.VERDICT, by=None).encode())
        return str(path)
