"""`manage.py observe TEXT --project P`: writes an observation down, and offers what its turn retrieved."""

import sys
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from provenance_site.accounts.operators import Operator
from provenance_site.changes.models import Channel
from provenance_site.kit.text import counted
from sources.core.entries import ObservationKind
from sources.core.kinds import IdentifierType
from sources.core.lines import one_line
from sources.management.input import read_input
from sources.management.operators import acting, add_operator_arguments, project_called
from sources.models import Observation
from sources.queries.turns import Offer, offers_of
from sources.services import observations, turns
from sources.services.concepts import ConceptRefused
from sources.services.observations import ObservationRefused, Said


class Command(BaseCommand):
    """Writes an observation."""

    help = (
        "Writes an observation into a project. TEXT may be - for standard input. Where its turn retrieved "
        "documents, they are offered as sources: --link takes them, --no-link does not, else a terminal is asked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """TEXT, --project, --kind, --concept, --link."""
        parser.add_argument("text", metavar="TEXT")
        parser.add_argument("--project", required=True, help="Name of the project.")
        parser.add_argument(
            "--kind", choices=[kind.value for kind in ObservationKind], default=ObservationKind.NOTE.value
        )
        parser.add_argument(
            "--concept", action="append", default=[], metavar="NAME", help="What it is about; may be given again."
        )
        asked = parser.add_mutually_exclusive_group()
        asked.add_argument("--link", action="store_true", help="Link it to what its turn retrieved, without asking.")
        asked.add_argument("--no-link", action="store_true", help="Do not link it, without asking.")
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Writes it down, says its number, and offers the documents of its turn."""
        at, who = datetime.now(UTC), acting(options)
        project = project_called(options["project"], who=who)
        text = options["text"]
        if text == "-":
            text = read_input("-")[0].decode("utf-8", "replace")
        said = Said(text, ObservationKind(options["kind"]), options["concept"])
        try:
            made = observations.add(project=project, said=said, by=who.user, channel=Channel.COMMAND, at=at)
        except (ObservationRefused, ConceptRefused) as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not observe: {refused}", returncode=2) from refused
        self.stdout.write(f"Observation recorded (id={made.pk}).")
        offers = offers_of([made.turn_id]).get(made.turn_id, []) if made.turn_id is not None else []
        if offers:
            self._offer(made, offers, who=who, options=options, at=at)

    def _offer(
        self, made: Observation, offers: list[Offer], *, who: Operator, options: dict[str, Any], at: datetime
    ) -> None:
        retrievals = {offer.row.store: offer.row.chunk_count for offer in offers}
        for store, count in retrievals.items():
            self.stdout.write(f"RAG retrieved {counted(count, 'chunk')} from {one_line(store)} this turn.")
        for offer in offers:
            identity = offer.shown.identity
            named = (
                ""
                if identity.type in (IdentifierType.NONE, IdentifierType.URL)
                else f" ({identity.type}:{identity.value})"
            )
            self.stdout.write(f"  Source: {one_line(offer.row.path or offer.shown.title)}{named}")
        if options["no_link"]:
            return
        if not options["link"] and not self._agreed():
            return
        done = turns.link_retrieved(observation=made, by=who.user, channel=Channel.COMMAND, at=at)
        self.stdout.write(f"Linked to {counted(done.links, 'source')} (retrieved).")

    def _agreed(self) -> bool:
        if not sys.stdin.isatty():
            self.stdout.write("Not linked: give --link to link this observation to these sources.")
            return False
        self.stdout.write("Link this observation to these sources? [Y/n] ", ending="")
        self.stdout.flush()
        return sys.stdin.readline().strip().lower() in {"", "y", "yes"}
