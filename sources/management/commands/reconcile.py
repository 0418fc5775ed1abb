"""`manage.py reconcile`: looks for what is wrong with the lineage graph, mends what follows from rows, tells it all."""

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage.core.reconciling import Reconciled
from provenance_site.accounts.models import Workspace
from sources.services.reconciling import reconcile_workspace


class Command(BaseCommand):
    """Reconciles the lineage graph with the registry."""

    help = (
        "Compares the lineage graph with the registry and with itself: objects without a node, edges that are missing, "
        "nodes that were named and never told of, labels and hashes that cannot be right, causes that missed a node. "
        "Mends what follows from rows and never guesses. Exit code 2 where something is left."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--workspace, --dry-run, --json and --refs."""
        parser.add_argument("--workspace", default="", help="Name of one workspace; by default all of them.")
        parser.add_argument("--dry-run", action="store_true", help="Only look; nothing is written.")
        parser.add_argument("--json", action="store_true", help="Everything that was found, as one JSON object.")
        parser.add_argument("--refs", type=int, default=20, metavar="N", help="Name at most N refs of a kind (20).")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reconciles workspace by workspace."""
        workspaces = Workspace.objects.order_by("pk")
        if options["workspace"]:
            workspaces = workspaces.filter(name=options["workspace"])
            if not workspaces:
                raise CommandError(f"There is no workspace “{options['workspace']}”.", returncode=2)
        done = {
            workspace: reconcile_workspace(workspace_id=workspace.pk, at=datetime.now(UTC), dry_run=options["dry_run"])
            for workspace in workspaces
        }
        if options["json"]:
            self.stdout.write(json.dumps({str(one.uuid): _told(found) for one, found in done.items()}, indent=2))
        else:
            for workspace, found in done.items():
                self._tell(workspace, found, most=options["refs"])
        left = sum(len(found.left) for found in done.values())
        if left:
            raise CommandError(f"{left:,} of what was found is left as it is.", returncode=2)

    def _tell(self, workspace: Workspace, found: Reconciled, *, most: int) -> None:
        if not found.findings:
            self.stdout.write(f"{workspace}: nothing is wrong.")
            return
        for kind, (number, left) in found.counts.items():
            self.stdout.write(f"{workspace}: {kind} {number:,}, left {left:,}. {kind.explanation}")
            named = [one for one in found.findings if one.kind is kind]
            for one in named[:most]:
                note = f" ({one.note})" if one.note else ""
                self.stdout.write(f"  {'mended' if one.is_mended else 'left'} {one.ref}{note}")
            if len(named) > most:
                self.stdout.write(f"  … {len(named) - most:,} more")


def _told(found: Reconciled) -> dict[str, object]:
    return {
        "counts": {kind.value: {"found": number, "left": left} for kind, (number, left) in found.counts.items()},
        "findings": [
            {"kind": one.kind, "ref": one.ref, "note": one.note, "mended": one.is_mended} for one in found.findings
        ],
    }
