"""`manage.py demo FILE`: the whole main job on a file of one's own, from list to Master-Sources.md, on the terminal."""

import sys
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from provenance_site.accounts.operators import BadOperator, first_owner, operator
from provenance_site.changes.models import Channel
from sources.core.gate import Gate
from sources.core.kinds import RowAction
from sources.management.input import read_input
from sources.models import ImportBatch, Project
from sources.reports.master_sources import FILE_NAME, Layout
from sources.services import importing, projects, staging
from sources.services.exporting import master_sources_file
from validation.management.watching import Watcher
from validation.models import CheckRun
from validation.queries.report import gate_of_run
from validation.reports.terminal import clean, count_lines
from validation.services import runs
from validation.services.runs import Scope
from validation.services.work import work

_PATIENCE_S = 24 * 3600


class Command(BaseCommand):
    """Imports, checks and exports one file."""

    help = (
        "Imports FILE (a list or a Markdown draft) into a project of its name, checks every source, writes "
        f"{FILE_NAME}, and says whether the text may go out: exit code 0 accept (95 %% verified or more), "
        "1 investigate, 2 block (under 90 %%)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE, --project, --out."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--project", default="", help="Name of the project; by default the file's name.")
        parser.add_argument("--workspace", default="", help="Name of the workspace; needed where there are several.")
        parser.add_argument(
            "--out", default="", help=f"Where to write; by default exports/<project>/{FILE_NAME} in the data folder."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """The main job, and the exit code that a pipeline reads."""
        data, name = read_input(options["file"])
        if connection.vendor == "sqlite":  # this may be the first command on a machine, as `up` is
            call_command("migrate", verbosity=0, interactive=False)
        at = datetime.now(UTC)
        owner = first_owner(at=at)
        if owner is not None:
            self.stdout.write(owner.sign_in_line)
        try:
            who = operator(workspace_name=options["workspace"])
        except BadOperator as refused:
            raise CommandError(str(refused), returncode=2) from refused
        title = options["project"] or Path(name).stem
        try:
            project = projects.named(workspace_id=who.workspace.pk, name=title, by=who.user, at=at)
            batch = staging.stage(project=project, data=data, label=name, by=who.user, at=at)
        except (projects.NameRefused, staging.ImportRefused) as refused:
            raise CommandError(str(refused), returncode=2) from refused
        self._tell_unreadable(batch)
        try:
            staging.check_readable(batch)
        except staging.ImportRefused as refused:
            raise CommandError(str(refused), returncode=2) from refused
        importing.commit(batch=batch, by=who.user, channel=Channel.COMMAND, at=at)
        try:
            run = runs.start(project=project, scope=Scope.ALL, by=who.user, at=at)
        except runs.AlreadyRunning as already:
            run = already.run
        except runs.NothingToCheck as nothing:
            raise CommandError(str(nothing), returncode=2) from nothing
        gate = self._check(run)
        path = Path(options["out"]) if options["out"] else export_path(project)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(master_sources_file(project=project, layout=Layout.VERDICT, by=None).encode())
        self.stdout.write(f"\n{path}")
        sys.exit(gate.decision.exit_code)

    def _tell_unreadable(self, batch: ImportBatch) -> None:
        for row in batch.rows.filter(action=RowAction.ERROR).order_by("line"):
            self.stderr.write(clean(f"line {row.line}: {row.message}  {row.spelling[:120]}"))

    def _check(self, run: CheckRun) -> Gate:
        watcher = Watcher(run=run, write=self.stdout.write)
        work(clock=lambda: datetime.now(UTC), budget_s=_PATIENCE_S, job_id=run.job_id, on_written=watcher.look)
        state = watcher.until_done(patience_s=_PATIENCE_S)
        if state is None:
            raise CommandError("The run did not end; see its page.", returncode=2)
        self.stdout.write("")
        if known := state.progress.known:
            self.stdout.write(f"  {known} of {state.progress.total} from checks of the last days")
        gate = gate_of_run(run)
        for line in count_lines(state.by_disposition, gate):
            self.stdout.write(line)
        return gate


def export_path(project: Project) -> Path:
    """Where a project's list is kept in the data folder."""
    return Path(settings.EXPORT_DIR) / projects.section_slug(project.name) / FILE_NAME
