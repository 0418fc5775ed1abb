"""`manage.py rejudge`: today's rules on what earlier checks have read, without a fetch."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from sources.management.projects import add_workspace_argument, project_named
from validation.core.classify import RULES_VERSION
from validation.reports.terminal import clean
from validation.services.rejudging import Rejudged, rejudge

_NAME = 48


class Command(BaseCommand):
    """Judges stored readings again."""

    help = (
        f"Judges by today's rules (version {RULES_VERSION}) what the newest check of each source has read, where older "
        "rules made its verdict. Nothing is fetched. Writes a new check for each; with --dry-run only shows what would "
        "differ."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--dry-run, --all, --project, --workspace."""
        parser.add_argument("--dry-run", action="store_true", help="Show the differences and write nothing.")
        parser.add_argument("--all", action="store_true", help="Also judge again what today's rules have judged.")
        parser.add_argument("--project", default="", help="Name of a project; by default the sources of all.")
        add_workspace_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Judges, prints the differences as a table, then the counts."""
        project = project_named(options["project"], workspace=options["workspace"]) if options["project"] else None
        dry_run = options["dry_run"]
        told = rejudge(project=project, every=options["all"], dry_run=dry_run, at=datetime.now(UTC))
        for one in told.differences:
            was, now = (f"{verdict}/{cause}" for verdict, cause in (one.was, one.now))
            name = clean(one.name)
            name = name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
            self.stdout.write(f"{one.source_id:>8}  {name:<{_NAME}}  {was} → {now}")
        self._count(told, dry_run=dry_run)

    def _count(self, told: Rejudged, *, dry_run: bool) -> None:
        would = "would differ" if dry_run else "differ now"
        self.stdout.write(
            f"{told.judged} judged again: {len(told.differences)} {would}, {told.same} the same, {told.kept} kept on "
            f"the word of a witness, a registry or a search. {told.unread} left: nothing is stored of them."
        )
        if dry_run and told.judged:
            self.stdout.write("Nothing was written. Without --dry-run these verdicts are written as new checks.")
