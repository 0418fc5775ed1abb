"""`manage.py ingest_events FILE`: takes a file of lineage events in."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage import access
from lineage.core.events import Refused
from lineage.ingest.reception import receive
from lineage.ingest.taking_in import PayloadConflict
from lineage.ingest.tenancy import NotHere
from provenance_site.accounts.models import Membership
from provenance_site.changes.models import Channel


class Command(BaseCommand):
    """Takes in lineage events, one JSON object a line, or a JSON list. Exit code 2 where some were refused."""

    help = "Takes lineage events in from a file (NDJSON, or a JSON list; - for standard input)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE, and who sends them."""
        parser.add_argument("file")
        parser.add_argument("--as", dest="username", required=True, help="User name of who sends them (a curator).")
        parser.add_argument("--workspace", default="", help="Name of the workspace, where the person is in several.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints a line for each event that was refused, and the totals."""
        membership = self._membership(options["username"], options["workspace"])
        counts: Counter[str] = Counter()
        for number, text in _events(options["file"]):
            try:
                outcome = receive(
                    payload=json.loads(text),
                    asker=access.asker_of(membership),
                    by=membership.user,
                    channel=Channel.COMMAND,
                    at=datetime.now(UTC),
                )
                counts[outcome.status.value] += 1
            except Refused as refused:
                counts["refused"] += 1
                where = f" ({refused.field})" if refused.field else ""
                self.stderr.write(f"{options['file']}:{number}: {refused.code}{where}: {refused}")
            except (PayloadConflict, ValueError) as refused:
                counts["refused"] += 1
                self.stderr.write(f"{options['file']}:{number}: {refused}")
            except NotHere:
                counts["refused"] += 1
                self.stderr.write(f"{options['file']}:{number}: not found: it names another workspace")
        self.stdout.write(", ".join(f"{counts[name]:,} {name}" for name in ("accepted", "duplicate", "refused")))
        if counts["refused"]:
            raise CommandError("Some events were refused; the others are in.", returncode=2)

    def _membership(self, username: str, workspace: str) -> Membership:
        found = Membership.objects.filter(user__username=username).select_related("user", "workspace").order_by("pk")
        if workspace:
            found = found.filter(workspace__name=workspace)
        membership = found.first()
        if membership is None:
            raise CommandError(f"{username} is in no such workspace.")
        return membership


def _events(file: str) -> list[tuple[int, str]]:
    """The events of a file with the numbers of their lines; for a JSON list, their places in it."""
    text = sys.stdin.read() if file == "-" else _read(Path(file))
    if text.lstrip().startswith("["):
        try:
            return [(number, json.dumps(one)) for number, one in enumerate(json.loads(text), start=1)]
        except ValueError as error:
            raise CommandError(f"{file} is no JSON list: {error}") from None
    return [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
