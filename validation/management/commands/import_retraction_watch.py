"""`manage.py import_retraction_watch FILE | --url`: takes in Retraction Watch's export."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from validation.core.ports import Unavailable
from validation.core.retraction_watch import NotASnapshot
from validation.services import retraction_checks
from validation.services.retraction_import import Imported, import_export, import_from_url


class Command(BaseCommand):
    """Imports an export and has all sources follow it."""

    help = (
        "Takes in an export of Retraction Watch (CSV) and has the sources of all workspaces follow it. The same file "
        "again does nothing; an import that was broken off goes on where it was. Exit code 2 where it is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE or --url, and --allow-shrink."""
        parser.add_argument("file", nargs="?", default="", metavar="FILE")
        parser.add_argument(
            "--url", nargs="?", const="", help="Download it: from here, or from DESK_RETRACTION_WATCH_URL."
        )
        parser.add_argument(
            "--allow-shrink", action="store_true", help="Take it also where over 2 %% of the last one's rows are gone."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Imports, matches, prints what came of it."""
        at = datetime.now(UTC)
        try:
            came = self._import(options, at=at)
        except NotASnapshot as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except OSError as error:
            raise CommandError(
                f"{options['file']} cannot be read: {error.strerror or error}. Check the path.", returncode=2
            ) from error
        if isinstance(came, Unavailable):
            raise CommandError(f"The export was not downloaded: {came.reason}. Try again later.", returncode=2)
        matched = retraction_checks.match(at=at)
        if came.is_known:
            self.stdout.write("This very export was taken in before; nothing was done.")
        else:
            self._print(came)
        self.stdout.write(f"{matched} sources that came later follow it now.")

    def _import(self, options: dict[str, Any], *, at: datetime) -> Imported | Unavailable:
        if options["file"]:
            path = Path(options["file"])
            return import_export(path=path, label=path.name, at=at, allow_shrink=options["allow_shrink"])
        url = options["url"] or (settings.RETRACTION_WATCH_URL if options["url"] is not None else "")
        if not url:
            raise CommandError("Name a FILE, or --url with an address or DESK_RETRACTION_WATCH_URL.", returncode=2)
        return import_from_url(url=url, at=at, allow_shrink=options["allow_shrink"])

    def _print(self, came: Imported) -> None:
        snapshot, told = came.snapshot, came.snapshot.told
        self.stdout.write(
            f"{snapshot.rows:,} rows; {came.new:,} statements are new, {came.seen_again:,} were known; "
            f"{came.changed_sources:,} sources changed."
        )
        for number, what in (
            (told["unreadable"], "rows could not be read"),
            (told["unusable"], "values could not be used"),
            (told["nameless"], "rows name no identifier, so nothing can be matched to them"),
            (told["other_encoding"], "lines were not UTF-8 and were read as Latin-1"),
            (came.vanished, "records of the last export are gone; what they said stays"),
        ):
            if number:
                self.stdout.write(f"{number:,} {what}.")
        for raw, number in told["unknown_natures"].items():
            self.stdout.write(f"{number:,} rows have the nature “{raw}”, which nobody has mapped: kept as unknown.")
        for line in (*told["unreadable_first"], *told["unusable_first"]):
            self.stderr.write(line)
        if told["missing_columns"]:
            self.stdout.write(f"Columns that are missing and not needed: {', '.join(told['missing_columns'])}.")
