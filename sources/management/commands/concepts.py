"""`manage.py concepts --project P`: what a project is about, said and taken away."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from provenance_site.changes.models import Channel
from sources.management.operators import acting, add_operator_arguments, project_called
from sources.services import project_concepts
from sources.services.concepts import ConceptRefused


class Command(BaseCommand):
    """Lists, adds and takes away the concepts of a project."""

    help = "Prints the concepts that a project is about, a name a line, after adding and taking away. Twice is safe."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --add, --remove."""
        parser.add_argument("--project", required=True, help="Name of the project.")
        for name, told in (("add", "It is about this; may be given again."), ("remove", "No longer about this.")):
            parser.add_argument(f"--{name}", action="append", default=[], metavar="NAME", help=told)
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Changes what was asked for, then prints."""
        who = acting(options)
        project = project_called(options["project"], who=who)
        if options["add"] or options["remove"]:
            try:
                project_concepts.change(
                    project=project,
                    add=options["add"],
                    remove=options["remove"],
                    by=who.user,
                    channel=Channel.COMMAND,
                    at=datetime.now(UTC),
                )
            except ConceptRefused as refused:
                raise CommandError(str(refused), returncode=2) from refused
            except PermissionDenied as refused:
                raise CommandError(f"{who.user} may not say this: {refused}", returncode=2) from refused
        for name in project.concepts.order_by("name").values_list("name", flat=True):
            self.stdout.write(name)
