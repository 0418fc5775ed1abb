"""`manage.py gate DRAFT --project P`: whether a finished text may go out, with an exit code that pipelines read."""

import sys
import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.http import Http404

from provenance_site.jobs.states import JobState
from sources.core import extract
from sources.management.input import read_input
from sources.management.operators import acting, add_operator_arguments, project_called
from sources.management.output import write_output
from sources.models import Draft, Project
from validation import dispatch
from validation.models import ShipCheck
from validation.queries.ship import report_of
from validation.services import ship_gate
from validation.services.ship_gate import Document
from validation.services.ship_reporting import ShipForm, ship_file
from validation.services.ship_work import work

_PATIENCE_S = 3600
_TICK_S = 0.3


class Command(BaseCommand):
    """Checks a finished document and says whether it may go out."""

    help = (
        "Fetches every link of DRAFT anew and holds the text against the corpus of the project. DRAFT is a Markdown "
        "file, - for standard input, or the name of a draft of the project, whose newest version is then checked. Exit "
        "code 0 accept (95 %% verified or more and nothing that blocks), 1 investigate, 2 block (under 90 %%, a "
        "fabricated address, a link outside the corpus, an open marker, a source that is retracted, dropped or "
        "internal) and 2 for what cannot be checked. It needs no running worker. The check is kept: its page shows it, "
        "and ten drawn links for a person's look."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """DRAFT, --project, --format, --path, --out, --workspace, --as."""
        parser.add_argument("draft", metavar="DRAFT")
        parser.add_argument("--project", required=True, help="Name of the project whose corpus the text may cite.")
        parser.add_argument("--format", choices=[form.value for form in ShipForm], default=ShipForm.TEXT.value)
        parser.add_argument(
            "--path", default="", help="What annotations call the file; by default DRAFT, as it was given."
        )
        parser.add_argument("--out", default="-", help="Where to write; - (the default) for standard output.")
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Checks, writes, and exits with the decision."""
        who = acting(options)
        project = project_called(options["project"], who=who)
        try:
            document = self._document(project, options["draft"], path=options["path"])
            check = dispatch.start_ship_check(project=project, document=document, by=who.user, at=datetime.now(UTC))
        except ship_gate.ShipRefused as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except (PermissionDenied, Http404) as refused:
            raise CommandError(f"{who.user} may not check here. Name a curator with --as.", returncode=2) from refused
        report = report_of(self._finished(check))
        write_output(self, ship_file(report=report, form=ShipForm(options["format"])), options["out"])
        sys.exit(report.decision.exit_code)

    def _document(self, project: Project, wanted: str, *, path: str) -> Document:
        """The file where there is one, else the project's draft of this name."""
        if wanted != "-" and not _is_there(wanted):
            drafts = Draft.objects.filter(project=project)
            draft = drafts.filter(name=wanted).first()
            if draft is None:
                names = ", ".join(drafts.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
                raise CommandError(
                    f"There is no file {wanted} and no draft of that name in {project.name!r}. Drafts: {names}",
                    returncode=2,
                )
            found = ship_gate.document_of(ship_gate.newest_version(draft))
            return Document(found.name, path or found.path, found.text, found.version, found.policy)
        data, name = read_input(wanted)
        try:
            text = extract.decode(data)
        except extract.NotText as refused:
            raise CommandError(str(refused), returncode=2) from refused
        return Document(name=name, path=path or (name if wanted == "-" else wanted), text=text)

    def _finished(self, check: ShipCheck) -> ShipCheck:
        """The check once all is fetched, by this process and by workers that took part of it."""
        give_up_at = time.monotonic() + _PATIENCE_S
        while check.job.state == JobState.RUNNING:
            work(clock=lambda: datetime.now(UTC), budget_s=_PATIENCE_S, job_id=check.job_id)
            ship_gate.finish(job_id=check.job_id, at=datetime.now(UTC))
            check.refresh_from_db()
            check.job.refresh_from_db()
            if check.job.state != JobState.RUNNING:
                break
            if time.monotonic() > give_up_at:
                raise CommandError("The check did not end; see its page.", returncode=2)
            time.sleep(_TICK_S)
        return check


def _is_there(wanted: str) -> bool:
    """True for a path that leads somewhere; False too for a name that no file can have, as drafts may."""
    try:
        return Path(wanted).exists()
    except (OSError, ValueError):
        return False
