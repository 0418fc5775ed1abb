"""The registry in the admin: read-mostly, searched and filtered; writes go through the services of the pages."""

from sources.admin.chunks import ChunkAdmin, ChunkStoreAdmin
from sources.admin.curation import DuplicatePairAdmin, ExportAdmin, ExportOrderAdmin, SavedViewAdmin, TagAdmin
from sources.admin.knowledge import (
    ConceptAdmin,
    ObservationAdmin,
    ObservationSourceAdmin,
    SessionAdmin,
    TurnAdmin,
    TurnSourceAdmin,
)
from sources.admin.records import CheckAdmin, DecisionAdmin, ProjectAdmin, ReviewItemAdmin
from sources.admin.source import SourceAdmin

__all__ = [
    "CheckAdmin",
    "ChunkAdmin",
    "ChunkStoreAdmin",
    "ConceptAdmin",
    "DecisionAdmin",
    "DuplicatePairAdmin",
    "ExportAdmin",
    "ExportOrderAdmin",
    "ObservationAdmin",
    "ObservationSourceAdmin",
    "ProjectAdmin",
    "ReviewItemAdmin",
    "SavedViewAdmin",
    "SessionAdmin",
    "SourceAdmin",
    "TagAdmin",
    "TurnAdmin",
    "TurnSourceAdmin",
]
