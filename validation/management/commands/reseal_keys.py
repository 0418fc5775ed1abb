"""`manage.py reseal_keys`: what people entered under the secret of now, so that an old one can be taken out."""

from typing import Any

from django.core.management.base import BaseCommand

from lineage.services import outbox
from provenance_site.kit.text import counted
from provenance_site.notices import webhooks
from validation.services import provider_keys


class Command(BaseCommand):
    """Encrypts the keys of search providers, tokens of lineage relays and secrets of webhooks anew."""

    help = (
        "Encrypts the search keys, relay tokens and webhook secrets of all workspaces under DESK_SECRET_KEY. After it "
        "nothing needs the secrets in DESK_SECRET_KEY_FALLBACKS but sessions and links that were signed with them."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints how many there were of each kind."""
        self._told("search key", *provider_keys.reseal())
        for what, (done, lost) in {"relay token": outbox.reseal(), "webhook secret": webhooks.reseal()}.items():
            if done or lost:
                self._told(what, done, lost)

    def _told(self, what: str, done: int, lost: int) -> None:
        self.stdout.write(f"{counted(done, what)} encrypted under the secret of now.")
        if lost:
            self.stdout.write(
                f"{counted(lost, what)} cannot be read: neither DESK_SECRET_KEY nor DESK_SECRET_KEY_FALLBACKS is what "
                "was used then. Put it into DESK_SECRET_KEY_FALLBACKS and run this again, or let an admin of "
                "the workspace enter them anew."
            )
