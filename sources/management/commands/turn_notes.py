"""`manage.py turn_notes --project P --session S`: what a turn retrieved, as a session's file says it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sources.formats import fountain_notes
from sources.management.projects import add_project_arguments, project_named
from sources.models import Turn
from sources.queries.turns import record_of


class Command(BaseCommand):
    """Prints the notes of a turn."""

    help = "Prints the Fountain notes of a turn: `[[rag: …]]` and one `[[rag-source: …]]` a source, best score first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --session, --turn."""
        add_project_arguments(parser)
        parser.add_argument("--session", required=True, help="Name of the session.")
        parser.add_argument("--turn", type=int, default=None, help="Number of the turn; by default the last one.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the turn and prints its notes, a line each."""
        project = project_named(options["project"], workspace=options["workspace"])
        turns = Turn.objects.filter(session__project=project, session__name=options["session"])
        if options["turn"] is not None:
            turns = turns.filter(number=options["turn"])
        turn = turns.select_related("session").order_by("-session_id", "-number").first()
        if turn is None:
            names = ", ".join(project.sessions.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
            raise CommandError(f"There is no such turn in {project.name!r}. Sessions: {names}", returncode=2)
        for line in fountain_notes.notes(record_of(turn)):
            self.stdout.write(line)
