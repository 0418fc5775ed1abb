"""`manage.py export_sources --project P --format F`: a file that is handed on, made and recorded as by its page."""

import shutil
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sources.core.export_formats import ExportFormat
from sources.management.projects import add_project_arguments, project_named
from sources.services import exporting
from sources.services.export_writing import Wanted


class Command(BaseCommand):
    """Exports a project's list."""

    help = (
        "Makes a file of a project and records it with what it rests on; internal sources stay out of it unless "
        "--internal. Same state, same bytes. On standard error: how many sources stand in it and were left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --workspace, --format, --section, --internal, --out."""
        add_project_arguments(parser)
        formats = [one.value for one in ExportFormat]
        parser.add_argument(
            "--format", choices=formats, default=ExportFormat.MASTER_VERDICT.value, help="Default: master-verdict."
        )
        parser.add_argument("--section", default="", help="Section, for best-sources and sourced-corpus.")
        parser.add_argument("--internal", action="store_true", help="Internal sources go in; the file is for us alone.")
        parser.add_argument(
            "--out", default="", help="Where to write; - for standard output. Default: the file's own name, here."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Finds the project, makes the file, puts a copy where it is wanted."""
        project = project_named(options["project"], workspace=options["workspace"])
        wanted = Wanted(
            workspace_id=project.workspace_id,
            project=project,
            format=ExportFormat(options["format"]),
            section=options["section"],
            is_external=not options["internal"],
        )
        try:
            export = exporting.build(wanted, by=None, at=datetime.now(UTC))
        except exporting.ExportRefused as refused:
            raise CommandError(str(refused), returncode=2) from refused
        self._copy(exporting.file_for(export, by=None), options["out"] or export.file_name)
        left_out = f", {export.left_out} internal left out" if export.left_out else ""
        self.stderr.write(f"{export.source_count} sources{left_out}; SHA-256 {export.sha256}")

    def _copy(self, made: Path, out: str) -> None:
        if out == "-":
            # The bytes as they are: an archive is no text, and line ends count.
            stream = getattr(self.stdout, "buffer", None)
            if stream is None:
                self.stdout.write(made.read_bytes().decode(), ending="")
                return
            with made.open("rb") as file:
                shutil.copyfileobj(file, stream)
            return
        path = Path(out)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, path)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}. Choose another --out.") from error
        self.stderr.write(f"Wrote {path}")
