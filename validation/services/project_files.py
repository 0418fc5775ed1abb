"""Files about a project that validation writes and the exports hand on; the wiring makes them known there."""

from collections.abc import Iterator

from sources.core.export_formats import ExportFormat
from sources.models import Project
from sources.services.extra_files import ExtraFile
from validation.queries.recoveries import recoveries_of
from validation.queries.report import outline_of_project
from validation.reports import run_markdown
from validation.reports.recovery_log import FILE_NAME, recovery_log


def _recovery_log(project: Project, external: bool) -> Iterator[str]:
    yield recovery_log(recoveries_of(project, external=external))


def _run_report(project: Project, external: bool) -> Iterator[str]:
    return run_markdown.lines(outline_of_project(project, external=external))


RECOVERY_LOG = ExtraFile(
    ExportFormat.RECOVERY_LOG, FILE_NAME, "Dead addresses and what replaced them, and how it was found", _recovery_log
)
RUN_REPORT = ExtraFile(
    ExportFormat.RUN_REPORT, "run-report.md", "Where the project stands, and the ship gate", _run_report
)
