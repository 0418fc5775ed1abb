"""`manage.py export_lineage REF`: a part of the graph in a format of others."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage import access
from lineage.core.asked import normal
from lineage.management.operators import NOT_THERE, acting, add_operator_arguments
from lineage.queries import graph_rows
from lineage.reports.interchange import FORMATS


class Command(BaseCommand):
    """Writes a node with what it rests on and what rests on it to standard output."""

    help = (
        "Writes a part of the lineage graph, as far as the asker may see: PROV-JSON, PROV-N, OpenLineage, GraphML or "
        "Mermaid. Exit code 2 for what is not there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """REF, how far, as what, and who asks."""
        parser.add_argument("ref", metavar="REF")
        parser.add_argument("--format", choices=sorted(FORMATS), default="prov-json")
        parser.add_argument("--direction", choices=sorted(graph_rows.DIRECTIONS), default="both")
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Streams the document."""
        _, asker = acting(options)
        directions = graph_rows.DIRECTIONS[options["direction"]]
        try:
            graph = graph_rows.around(ref=normal(options["ref"]), directions=directions, asker=asker)
        except access.NoSuchEntity:
            raise CommandError(NOT_THERE, returncode=2) from None
        for piece in FORMATS[options["format"]].write(graph):
            self.stdout.write(piece, ending="")
