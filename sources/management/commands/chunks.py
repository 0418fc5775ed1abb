"""`manage.py chunks ingest FILE --store S`: takes a document into a store."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from provenance_site.changes.models import Channel
from sources.management.input import read_input
from sources.management.operators import acting, add_operator_arguments
from sources.management.projects import project_named
from sources.services import chunks
from sources.services.chunks import About


class Command(BaseCommand):
    """Takes documents into stores."""

    help = (
        "Takes a text, Markdown or code file into a store: unchanged passages are skipped, changed ones replaced, "
        "vanished ones removed. What is said of it stands on every chunk. Exit code 2 where it cannot be taken in."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`ingest FILE` and what is said of the document."""
        deeds = parser.add_subparsers(dest="deed", required=True, metavar="ingest")
        ingest = deeds.add_parser("ingest", help="Take a file in; FILE may be - for standard input.")
        ingest.add_argument("file", metavar="FILE")
        ingest.add_argument("--store", required=True, help="Name of the store; made where there is none.")
        ingest.add_argument("--title", default="", help="Title; by default the stem of the file's name.")
        ingest.add_argument("--doi", default="", help="DOI of the source; stands on every chunk.")
        ingest.add_argument("--url", default="", help="Address of the source.")
        # `--version` is Django's own option of every command, which prints the version of Django.
        ingest.add_argument("--version", dest="source_version", default="", help="Version of the source.")
        ingest.add_argument("--rights", default="", help="Rights of the source, such as CC BY 4.0.")
        ingest.add_argument("--project", default="", help="Name of a project, in whose workspace the store is.")
        add_operator_arguments(ingest)

    def handle(self, *args: Any, **options: Any) -> None:
        """Reads the file, takes it in, and says what that did."""
        data, _ = read_input(options["file"])
        if options["project"]:
            options["workspace"] = project_named(options["project"], workspace=options["workspace"]).workspace.name
        who = acting(options)
        try:
            done = chunks.ingest_file(
                workspace_id=who.workspace.pk,
                store=options["store"],
                name="standard input" if options["file"] == "-" else options["file"],
                data=data,
                about=About(
                    options["title"], options["doi"], options["url"], options["source_version"], options["rights"]
                ),
                by=who.user,
                channel=Channel.COMMAND,
                at=datetime.now(UTC),
            )
        except chunks.IngestRefused as refused:
            raise CommandError(f"{refused.field}: {refused}", returncode=2) from refused
        except PermissionDenied as refused:
            raise CommandError(f"{who.user} may not take documents in: {refused}", returncode=2) from refused
        self.stdout.write(
            f"{done.path} in {done.store.name}: {done.added} added, {done.replaced} replaced, {done.removed} removed, "
            f"{done.unchanged} unchanged."
        )
        if done.source is not None:
            self.stdout.write(f"Source: {done.source.pk} {done.source}")
        if done.warning:
            self.stdout.write(f"Warning: {done.warning}")
