"""The registry in the admin: read-mostly, searched and filtered; writes go through the services of the pages."""

from sources.admin.curation import DuplicatePairAdmin, ExportAdmin, SavedViewAdmin, TagAdmin
from sources.admin.records import CheckAdmin, DecisionAdmin, ProjectAdmin, ReviewItemAdmin
from sources.admin.source import SourceAdmin

__all__ = [
    "CheckAdmin",
    "DecisionAdmin",
    "DuplicatePairAdmin",
    "ExportAdmin",
    "ProjectAdmin",
    "ReviewItemAdmin",
    "SavedViewAdmin",
    "SourceAdmin",
    "TagAdmin",
]
