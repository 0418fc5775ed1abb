"""`manage.py create_token NAME`: an API token for a person, printed once, for pipelines that are set up by script."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from provenance_site.accounts import services
from provenance_site.accounts.operators import BadOperator, operator


class Command(BaseCommand):
    """Makes a token."""

    help = (
        "Makes an API token that acts as the person NAME in one workspace. The token is the last line, and shown once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME, --workspace, --label, --days."""
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--workspace", default="", help="Name of the workspace; needed where there are several.")
        parser.add_argument("--label", default="made by command", help="What will use it.")
        parser.add_argument("--days", type=int, default=90, help="Days until it expires, 1 to 366.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Makes the token and prints it."""
        if not 1 <= options["days"] <= services.TOKEN_DAYS_MAX:
            raise CommandError(f"--days takes 1 to {services.TOKEN_DAYS_MAX}.")
        try:
            who = operator(username=options["name"], workspace_name=options["workspace"])
        except BadOperator as refused:
            raise CommandError(str(refused)) from refused
        _, token = services.create_token(
            user=who.user,
            workspace=who.workspace,
            name=options["label"],
            days=options["days"],
            at=datetime.now(UTC),
        )
        self.stdout.write(token)
