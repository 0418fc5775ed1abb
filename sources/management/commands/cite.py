"""`manage.py cite SOURCE_ID`: says that an observation cites a source."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from provenance_site.accounts.operators import Operator
from provenance_site.changes.models import Channel
from sources.core.entries import Relationship
from sources.management.operators import acting, add_operator_arguments, observation_numbered, source_numbered
from sources.models import Observation
from sources.queries.observations import newest
from sources.services import observation_links


class Command(BaseCommand):
    """Links an observation to a source."""

    help = "Links an observation (the newest unless --obs names one) to a source, as cited. Twice is safe."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """SOURCE_ID and --obs."""
        parser.add_argument("source", type=int, metavar="SOURCE_ID", help="Number of the source, see `source list`.")
        parser.add_argument("--obs", type=int, metavar="ID", help="Number of the observation; by default the newest.")
        parser.add_argument(
            "--relationship", choices=[one.value for one in Relationship], default=Relationship.CITED.value
        )
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds both and links them."""
        who = acting(options)
        source = source_numbered(options["source"], who=who)
        observation = self._observation(options["obs"], who=who)
        relationship = Relationship(options["relationship"])
        try:
            is_new = observation_links.link(
                observation=observation,
                source=source,
                relationship=relationship,
                by=who.user,
                channel=Channel.COMMAND,
                at=datetime.now(UTC),
            )
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not cite: {refused}", returncode=2) from refused
        told = f"Observation {observation.pk}" if is_new else f"Already so: observation {observation.pk}"
        self.stdout.write(f"{told} rests on source {source.pk} ({relationship}): {source}")

    def _observation(self, number: int | None, *, who: Operator) -> Observation:
        if number is not None:
            return observation_numbered(number, who=who)
        found = newest(workspace_id=who.workspace.pk)
        if found is None:
            raise CommandError("There is no observation yet. Write one with `observe`.", returncode=2)
        return found
