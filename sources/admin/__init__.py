"""The registry in the admin: read-mostly, searched and filtered; writes go through the services of the pages."""

from sources.admin.chunks import ChunkAdmin, ChunkStoreAdmin
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
    "ObservationAdmin",
    "ObservationSourceAdmin",
    "ProjectAdmin",
    "ReviewItemAdmin",
    "SessionAdmin",
    "SourceAdmin",
    "TurnAdmin",
    "TurnSourceAdmin",
]
