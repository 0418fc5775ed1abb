"""Ship checks as files that pipelines and people read."""

from enum import StrEnum
from typing import assert_never

from validation.core.shipping import ShipReport
from validation.reports.github_annotations import github_annotations
from validation.reports.junit import junit
from validation.reports.sarif import sarif
from validation.reports.ship_json import ship_json
from validation.reports.ship_text import ship_text


class ShipForm(StrEnum):
    """What a ship check is written as; the value is the word of `--format`."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"

    @property
    def label(self) -> str:
        """The word on screens."""
        return {"text": "Text", "json": "JSON", "junit": "JUnit", "sarif": "SARIF", "github": "GitHub annotations"}[
            self.value
        ]

    @property
    def ending(self) -> str:
        """The ending of the file."""
        return {"text": "txt", "json": "json", "junit": "xml", "sarif": "sarif", "github": "annotations.txt"}[
            self.value
        ]

    @property
    def media_type(self) -> str:
        """As it is served."""
        return {
            "text": "text/plain; charset=utf-8",
            "json": "application/json",
            "junit": "application/xml",
            "sarif": "application/sarif+json",
            "github": "text/plain; charset=utf-8",
        }[self.value]


def ship_file(*, report: ShipReport, form: ShipForm) -> str:
    """The report as a file; same report, same bytes."""
    match form:
        case ShipForm.TEXT:
            return ship_text(report)
        case ShipForm.JSON:
            return ship_json(report)
        case ShipForm.JUNIT:
            return junit(report)
        case ShipForm.SARIF:
            return sarif(report)
        case ShipForm.GITHUB:
            return github_annotations(report)
        case _:
            assert_never(form)
