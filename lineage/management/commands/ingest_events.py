"""`manage.py ingest_events FILE`: takes a file of lineage events in."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied
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
                payload = json.loads(text)
            except (ValueError, RecursionError) as refused:
                counts["refused"] += 1
                self.stderr.write(f"{options['file']}:{number}: no JSON: {refused}")
                continue
            try:
                outcome = receive(
                    payload=payload,
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
            except PermissionDenied as refused:
                raise CommandError(f"{membership.user} may not send events: {refused}", returncode=2) from refused
            except PayloadConflict as refused:
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


def _events(file: str) -> Iterator[tuple[int, str]]:
    """The events of a file with the numbers of their lines, one read at a time; for a JSON list, their places in it."""
    try:
        with nullcontext(sys.stdin) if file == "-" else Path(file).open(encoding="utf-8-sig") as lines:
            numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
            first = next(numbered, None)
            if first is None:
                return
            if not first[1].lstrip().startswith("["):
                yield from chain([first], numbered)
                return
            told = json.loads("".join([first[1], *(line for _, line in numbered)]))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{file} is no JSON list: {error}") from None
    yield from ((number, json.dumps(one)) for number, one in enumerate(told, start=1))
