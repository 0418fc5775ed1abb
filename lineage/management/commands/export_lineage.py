"""`manage.py export_lineage REF`: a part of the graph in a format of others."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage import access
from lineage.core.asking import system
from lineage.queries import graph_rows
from lineage.queries.walks import Direction
from lineage.reports.interchange import FORMATS
from provenance_site.accounts.models import Workspace


class Command(BaseCommand):
    """Writes a node with what it rests on and what rests on it to standard output."""

    help = "Writes a part of the lineage graph: PROV-JSON, PROV-N, OpenLineage, GraphML or Mermaid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """REF, how far, and as what."""
        parser.add_argument("ref")
        parser.add_argument("--format", choices=sorted(FORMATS), default="prov-json")
        parser.add_argument("--direction", choices=["up", "down", "both"], default="both")
        parser.add_argument("--workspace", default="", help="Name of the workspace, where there are several.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Streams the document."""
        workspaces = Workspace.objects.order_by("pk")
        if options["workspace"]:
            workspaces = workspaces.filter(name=options["workspace"])
        workspace = workspaces.first()
        directions = {"up": (Direction.UP,), "down": (Direction.DOWN,)}.get(options["direction"], tuple(Direction))
        try:
            if workspace is None:
                raise access.NoSuchEntity
            graph = graph_rows.around(ref=options["ref"], directions=directions, asker=system(workspace.pk))
        except access.NoSuchEntity:
            raise CommandError(f"{options['ref']} is not there.") from None
        for piece in FORMATS[options["format"]].write(graph):
            self.stdout.write(piece, ending="")
