"""A desk that is thrown away: Django over an SQLite file in a temporary folder, which goes with the process.

A benchmark calls `desk()` before it imports what needs Django: the settings read DESK_DATA when they are imported.
"""

import atexit
import os
import tempfile

import django
from django.core.management import call_command


def desk() -> None:
    """Prepares Django and an empty database (or the one that DESK_DATABASE_URL names). Once a process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    os.environ["DESK_DATA"] = folder.name
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provenance_site.settings")
    django.setup()
    call_command("migrate", verbosity=0)
