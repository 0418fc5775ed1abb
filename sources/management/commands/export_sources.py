"""`manage.py export_sources`: a file of a project, or of what a filter finds, made and recorded as by its page."""

import shutil
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.http import QueryDict

from provenance_site.accounts.models import Workspace
from provenance_site.accounts.operators import BadOperator, operator
from sources.core.export_formats import ExportFormat
from sources.management.projects import add_workspace_argument, project_named
from sources.models import Project
from sources.services import exporting
from sources.services.export_writing import Wanted
from sources.views.chosen import Chosen, chosen_by


class Command(BaseCommand):
    """Exports a project, or a filtered list."""

    help = (
        "Makes a file of a project, or of the sources that a filter finds, and records it with what it rests on; "
        "internal sources stay out of it unless --internal. Same state, same bytes. On standard error: how many "
        "sources stand in it and were left out. Exit code 2 where no file could be made."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--project, --query, --workspace, --format, --section, --internal, --out."""
        parser.add_argument("--project", default="", help="Name of the project.")
        parser.add_argument(
            "--query", default="", help="Query string of the sources list, such as 'q=harbour&verdict=thin'."
        )
        add_workspace_argument(parser)
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
        """Finds what is meant, makes the file, puts a copy where it is wanted."""
        workspace, project, chosen = _meant(options)
        wanted = Wanted(
            workspace_id=workspace.pk,
            project=project,
            chosen=chosen.sources if chosen else None,
            query=chosen.query if chosen else "",
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


def _meant(options: dict[str, Any]) -> tuple[Workspace, Project | None, Chosen | None]:
    """The workspace, the project and the list that are asked for; raises CommandError (exit code 2) with what is wrong.

    A filter that names one project is of that project, as on the list's page.
    """
    if not options["project"] and not options["query"]:
        raise CommandError("Name a --project, or give the --query of a list.", returncode=2)
    project = project_named(options["project"], workspace=options["workspace"]) if options["project"] else None
    try:
        workspace = project.workspace if project else operator(workspace_name=options["workspace"]).workspace
    except BadOperator as refused:
        raise CommandError(str(refused), returncode=2) from refused
    if not options["query"]:
        return workspace, project, None
    chosen = chosen_by(workspace, QueryDict(options["query"].removeprefix("?")))
    if chosen is None:
        raise CommandError("The query asks for a value that is not known; take it from a list's address.", returncode=2)
    if project and chosen.project and chosen.project != project:
        raise CommandError("The query names another project than --project; leave one away.", returncode=2)
    return workspace, project or chosen.project, chosen
