"""`manage.py reseal_keys`: search providers' keys under the secret of now, so that an old one can be taken out."""

from typing import Any

from django.core.management.base import BaseCommand

from validation.services.provider_keys import reseal


class Command(BaseCommand):
    """Encrypts the keys of all workspaces anew."""

    help = (
        "Encrypts the search keys of all workspaces under DESK_SECRET_KEY. After it nothing needs the secrets in "
        "DESK_SECRET_KEY_FALLBACKS but sessions and links that were signed with them."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints how many keys there were."""
        done, lost = reseal()
        self.stdout.write(f"{done} keys encrypted under the secret of now.")
        if lost:
            self.stdout.write(
                f"{lost} keys cannot be read: neither DESK_SECRET_KEY nor DESK_SECRET_KEY_FALLBACKS is what they were "
                "encrypted under. Put it into DESK_SECRET_KEY_FALLBACKS and run this again, or let an admin of "
                "the workspace enter them anew."
            )
