"""`manage.py release_check REF`: may this output be handed on?"""

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from lineage import access
from lineage.core.asked import normal
from lineage.management.operators import NOT_THERE, acting, add_operator_arguments
from lineage.queries.words import called
from lineage.services import release
from provenance_site.kit.text import counted


class Command(BaseCommand):
    """Checks an output before it is handed on."""

    help = (
        "Checks that every material claim of an output has lineage, that nothing under it fell, and that its evidence "
        "has the authority and age its type needs. Exit code 2 where it must not be handed on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """REF, --release, --json, and who asks."""
        parser.add_argument("ref", metavar="REF")
        parser.add_argument("--release", action="store_true", help="Also mark it as handed on where it passes.")
        parser.add_argument("--json", action="store_true", help="The check as one JSON object.")
        add_operator_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints what keeps the output back, a line each."""
        who, asker = acting(options)
        at = datetime.now(UTC)
        try:
            output = access.entity_at(normal(options["ref"]), asker=asker)
            if options["release"]:
                found = release.release(output=output, asker=asker, by=who.user, at=at)
            else:
                found = release.check(output=output, asker=asker, at=at)
        except access.NoSuchEntity:
            raise CommandError(NOT_THERE, returncode=2) from None
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not release: {refused}", returncode=2) from refused
        except release.NoOutput as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except release.NotReleasable as refused:
            found = refused.check
        if options["json"]:
            self.stdout.write(json.dumps(_told(found), ensure_ascii=False, indent=2))
        else:
            names = called(one.node for one in found.problems)
            for one in found.problems:
                detail = f" ({one.detail})" if one.detail else ""
                where = f"{one.ref} {names[one.node.pk]}{detail}"
                self.stdout.write(f"{one.hindrance}: {where}: {one.hindrance.explanation}")
        if not found.passes:
            raise CommandError(str(release.NotReleasable(found)), returncode=2)
        self.stderr.write(f"{found.ref} may be handed on: {counted(found.claims, 'claim')} looked at.")


def _told(found: release.Check) -> dict[str, Any]:
    names = called(one.node for one in found.problems)
    return {
        "ref": found.ref,
        "passes": found.passes,
        "claims": found.claims,
        "problems": [
            {
                "hindrance": one.hindrance.value,
                "ref": one.ref,
                "name": names[one.node.pk],
                "detail": one.detail,
            }
            for one in found.problems
        ],
    }
