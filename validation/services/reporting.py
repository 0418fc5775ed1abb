"""Reports as files that are handed on."""

from enum import StrEnum
from typing import assert_never

from provenance_site.accounts.models import User
from sources import permissions
from sources.models import Project
from validation.core.report import Report
from validation.models import CheckRun
from validation.queries.report import outline_of_project, outline_of_run
from validation.reports import run_csv, run_json, run_markdown


class Form(StrEnum):
    """What a report is written as; the value is the ending of the file."""

    MARKDOWN = "md"
    CSV = "csv"
    JSON = "json"

    @property
    def media_type(self) -> str:
        """As it is served."""
        kind = {"md": "text/markdown", "csv": "text/csv", "json": "application/json"}[self.value]
        return kind if self is Form.JSON else f"{kind}; charset=utf-8"


def report_on(*, of: Project | CheckRun, by: User | None, internal: bool = False) -> Report:
    """The report on a project or on one of its runs at its present state, as it may be handed on.

    Sources that must not leave the house stand in it only with `internal`, and it is then not for others; else the head
    says how many were left out. `by` is the person it is for; None where the machine's owner asks on the command line.
    Raises Http404 for a stranger, PermissionDenied where a reader asks for internal sources.
    """
    if by is not None:
        workspace_id = (of.project if isinstance(of, CheckRun) else of).workspace_id
        may = permissions.check_can_export_internal if internal else permissions.check_can_read
        may(by, workspace_id)
    external = not internal
    outline = (
        outline_of_run(of, external=external) if isinstance(of, CheckRun) else outline_of_project(of, external=external)
    )
    return outline.report()


def written(*, report: Report, form: Form, bom: bool = False) -> str:
    """The report as a file. Same report, same bytes. `bom` matters to CSV alone."""
    match form:
        case Form.MARKDOWN:
            return run_markdown.write(report)
        case Form.CSV:
            return run_csv.write(report, bom=bom)
        case Form.JSON:
            return run_json.write(report)
        case _:
            assert_never(form)
