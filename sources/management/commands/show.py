"""`manage.py show ID`: prints an observation with its sources."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from sources.management.operators import acting, add_operator_arguments, observation_numbered
from sources.queries.observations import as_text


class Command(BaseCommand):
    """Prints one observation."""

    help = "Prints an observation; where it rests on sources, they stand at its end with what is told of retractions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """ID."""
        parser.add_argument("id", type=int, metavar="ID", help="Number of the observation.")
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds it and prints it."""
        observation = observation_numbered(options["id"], who=acting(options))
        self.stdout.write(as_text(observation), ending="")
