"""`manage.py write_docs`: writes the generated pages of `docs/`; with --check it only says whether they are right."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from provenance_site.documentation import pages


class Command(BaseCommand):
    """Writes or checks generated documentation."""

    help = "Writes the pages of docs/ that come from the code. --check writes nothing and fails where one differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--check."""
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compares or writes each page."""
        for place, text in pages().items():
            path = settings.BASE_DIR / place
            if options["check"]:
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    raise CommandError(f"{place} differs from the code: run manage.py write_docs and commit it.")
            else:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
                self.stdout.write(f"Wrote {place}")
