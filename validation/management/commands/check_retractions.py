"""`manage.py check_retractions`: asks providers now, about a list, sources, a project or all that is due."""

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sources.core import extract
from sources.management.input import read_input
from sources.management.projects import add_workspace_argument, project_named
from sources.models import CatalogEntry
from validation.core.retraction_ids import WorkId
from validation.queries.retractions import due_works, statuses_of, works_of
from validation.reports.terminal import clean
from validation.services import retraction_checks
from validation.services.retraction_requests import works_in


class Command(BaseCommand):
    """Checks works and prints where each stands."""

    help = (
        "Asks the configured providers whether works were retracted and prints where each stands. FILE - : standard "
        "input. What they say is kept for all workspaces. Exit code 1 where a work stays unchecked, 2 where nothing "
        "can be asked about."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One of FILE, --source, --project, --due."""
        parser.add_argument("file", nargs="?", default="", metavar="FILE")
        parser.add_argument("--source", type=int, action="append", default=[], help="Number of a source; repeatable.")
        parser.add_argument("--project", default="", help="All sources of this project.")
        parser.add_argument("--due", action="store_true", help="What the schedule would ask about, without a limit.")
        parser.add_argument("--format", choices=["table", "jsonl"], default="table")
        add_workspace_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Asks and prints."""
        at = datetime.now(UTC)
        works = self._works(options, at=at)
        if not works:
            raise CommandError("There is no DOI, PubMed id or arXiv id to ask about.", returncode=2)
        came = retraction_checks.check(works=works, at=at)
        stand = statuses_of(works, at=at)
        for work in works:
            derived = stand[work]
            as_of = f"{derived.as_of:%Y-%m-%d}" if derived.as_of else ""
            if options["format"] == "jsonl":
                told = {"work": str(work), "status": derived.status, "retracted": derived.is_retracted, "as_of": as_of}
                self.stdout.write(json.dumps(told, ensure_ascii=False))
            else:
                self.stdout.write(clean(f"{derived.status:<12} {as_of:<10} {work}"))
        for name, tally in came.by_provider.items():
            self.stderr.write(
                f"{name.label}: {tally.answered} answered, {tally.unknown} not held there, {tally.failed} failed"
                + (f" ({tally.reason})" if tally.reason else "")
            )
        for work in sorted(came.unregistered):
            self.stderr.write(clean(f"{work.value} is not registered anywhere: the DOI may be made up. Compare it."))
        for why in came.absent.values():
            self.stderr.write(why)
        if came.unchecked:
            raise CommandError(f"{len(came.unchecked)} of {came.asked} works stay unchecked.", returncode=1)

    def _works(self, options: dict[str, Any], *, at: datetime) -> list[WorkId]:
        if options["due"]:
            before = at - retraction_checks.ANSWER_HOLDS
            return due_works(answered_before=before, failed_before=at, limit=1_000_000)
        if options["file"]:
            data, _ = read_input(options["file"])
            try:
                return works_in(extract.decode(data))
            except extract.NotText as refused:
                raise CommandError(str(refused), returncode=2) from refused
        ids = list(options["source"])
        if options["project"]:
            project = project_named(options["project"], workspace=options["workspace"])
            ids += CatalogEntry.objects.filter(project=project).values_list("source_id", flat=True)
        return sorted({work for works in works_of(ids).values() for work in works})
