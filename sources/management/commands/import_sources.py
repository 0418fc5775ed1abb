"""`manage.py import_sources FILE --project P`: the same two steps as on screen, staged and committed."""

import sys
from argparse import ArgumentParser
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from provenance_site.accounts.operators import BadOperator, Operator, operator
from provenance_site.changes.models import Channel
from sources import dispatch
from sources.core.kinds import RowAction
from sources.management.input import file_input
from sources.models import ImportBatch
from sources.queries.imports import preview_of
from sources.services import importing, projects, staging

_LONG_FILE = 5 * 1024 * 1024


class Command(BaseCommand):
    """Imports a list or draft into a project."""

    help = (
        "Imports a list, a draft, or a file of another tool (BibTeX, RIS, Zotero, EndNote, Word, Harvey, memo outputs "
        "and others) into a project. FILE may be - for standard input. "
        "Prints what was new, known, repeated and unreadable; exit code 1 when a line could not be read, 2 when "
        "nothing could be imported."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE and --project; --as names the person, --dry-run stops before writing."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--project", required=True, help="Name of the project; made where there is none.")
        parser.add_argument("--workspace", default="", help="Name of the workspace; needed where there are several.")
        parser.add_argument(
            "--as", dest="username", default="", help="Who imports; by default the first administrator."
        )
        parser.add_argument("--label", default="", help="Name of this version; by default the file's name.")
        parser.add_argument("--dry-run", action="store_true", help="Say what would happen and write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Stages, prints, commits."""
        at = datetime.now(UTC)
        data, name = file_input(options["file"])
        try:
            who = operator(username=options["username"], workspace_name=options["workspace"])
        except BadOperator as refused:
            raise CommandError(str(refused)) from refused
        try:
            # One transaction, so that a refused list leaves no new project behind and a dry run nothing at all. A long
            # file is written in steps, as from a page: it would keep all others from writing for minutes.
            in_one = options["dry_run"] or not isinstance(data, Path) or data.stat().st_size < _LONG_FILE
            with transaction.atomic() if in_one else nullcontext():
                told, unreadable = self._import(who=who, data=data, name=name, options=options, at=at)
                if in_one:
                    transaction.set_rollback(options["dry_run"])
        except (projects.NameRefused, staging.ImportRefused, importing.Overtaken) as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not import: {refused}") from refused
        self.stdout.write(told)
        if unreadable:
            sys.exit(1)

    def _import(
        self, *, who: Operator, data: bytes | Path, name: str, options: dict[str, Any], at: datetime
    ) -> tuple[str, int]:
        """Stages, prints the rows and commits; gives what to say of it and how many lines could not be read."""
        project = projects.named(workspace_id=who.workspace.pk, name=options["project"], by=who.user, at=at)
        batch = staging.stage(
            project=project,
            data=data,
            label=options["label"] or name,
            name=name,
            by=who.user,
            at=at,
            limits=staging.Limits(most_text=settings.IMPORT_MAX_BYTES),
        )
        unreadable = self._print_rows(batch)
        staging.check_readable(batch)
        if options["dry_run"]:
            return "Nothing was written (--dry-run).", unreadable
        result = importing.commit(batch=batch, by=who.user, channel=Channel.COMMAND, at=at)
        dispatch.look_for_pairs(result, at=at)
        told = (
            f"Imported into {project.name}: {result.new_sources} new sources, {result.new_entries} new in the "
            f"project, {result.new_citations} citations."
        )
        return told, unreadable

    def _print_rows(self, batch: ImportBatch) -> int:
        """Prints what was found; gives how many lines could not be read, and one more where an entry may be missing."""
        preview = preview_of(batch, action=None)
        told = {action: number for action, number in preview.counts.items() if number}
        self.stdout.write(", ".join(f"{action.label}: {number}" for action, number in told.items()))
        for row in batch.rows.filter(action=RowAction.ERROR).order_by("line"):
            self.stdout.write(f"  line {row.line}: {row.message}  {row.spelling[:120]}")
        if preview.doubt:
            self.stdout.write(f"Warning: {preview.doubt}")
        return preview.counts[RowAction.ERROR] + bool(preview.doubt)
