"""Fields, constraints and querysets. No deed lives here: bulk writes skip `save()`, so rules live in services."""

from sources.models.check import Check, Reading, SourceVersion, StatusChange
from sources.models.importing import ImportBatch, ImportRow
from sources.models.project import CatalogEntry, Citation, Project, ProjectVersion, Section
from sources.models.review import Decision, ReviewItem
from sources.models.source import Source, SourceAlias

__all__ = [
    "CatalogEntry",
    "Check",
    "Citation",
    "Decision",
    "ImportBatch",
    "ImportRow",
    "Project",
    "ProjectVersion",
    "Reading",
    "ReviewItem",
    "Section",
    "Source",
    "SourceAlias",
    "SourceVersion",
    "StatusChange",
]
