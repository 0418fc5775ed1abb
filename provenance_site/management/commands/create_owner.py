"""`manage.py create_owner NAME`: the first administrator of an installation that did not start with `make run`."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from provenance_site.accounts import services
from provenance_site.accounts.operators import FIRST_WORKSPACE


class Command(BaseCommand):
    """Makes an administrator with a workspace."""

    help = "Makes the first administrator, with a workspace and a one-time password. Twice is safe."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME and --workspace."""
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--workspace", default=FIRST_WORKSPACE, help=f"Default: {FIRST_WORKSPACE}")

    def handle(self, *args: Any, **options: Any) -> None:
        """Makes the person, or says that there is one."""
        password = services.new_password()
        owner = services.create_owner(
            username=options["name"],
            password=password,
            workspace_name=options["workspace"],
            at=datetime.now(UTC),
        )
        if owner.created:
            self.stdout.write(f"Sign in as {options['name']} with the one-time password {password}")
        else:
            self.stdout.write(f"{options['name']} is there already, in {owner.workspace.name}; nothing was changed.")
