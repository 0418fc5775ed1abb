"""Fields, constraints and querysets. No deed lives here: bulk writes skip `save()`, so rules live in services."""

from sources.models.check import Check, Reading, SourceVersion, StatusChange
from sources.models.chunk import Chunk, ChunkStore
from sources.models.corpus import CorpusEntry
from sources.models.curation import DuplicatePair, Export, ExportOrder, SavedView, TitleKey
from sources.models.draft import Draft, DraftVersion
from sources.models.importing import ImportBatch, ImportRow
from sources.models.knowledge import Concept, Observation, ObservationSource
from sources.models.long_deed import LongDeed, LongDeedPart
from sources.models.outline import OutlineSection
from sources.models.project import CatalogEntry, Citation, EntryAlias, Project, ProjectVersion, Section
from sources.models.related import SourcePart, WorkVersion
from sources.models.retraction import (
    RetractionAcknowledgement,
    RetractionAssertion,
    RetractionCheck,
    RetractionDecision,
    RetractionHint,
    RetractionStanding,
)
from sources.models.retraction_proposal import RetractionPolicy, RetractionProposal, RetractionProposalRow
from sources.models.retrieval import Session, Turn, TurnSource
from sources.models.review import Decision, ReviewItem
from sources.models.source import Source, SourceAlias, Tag

__all__ = [
    "CatalogEntry",
    "Check",
    "Chunk",
    "ChunkStore",
    "Citation",
    "Concept",
    "CorpusEntry",
    "Decision",
    "Draft",
    "DraftVersion",
    "DuplicatePair",
    "EntryAlias",
    "Export",
    "ExportOrder",
    "ImportBatch",
    "ImportRow",
    "LongDeed",
    "LongDeedPart",
    "Observation",
    "ObservationSource",
    "OutlineSection",
    "Project",
    "ProjectVersion",
    "Reading",
    "RetractionAcknowledgement",
    "RetractionAssertion",
    "RetractionCheck",
    "RetractionDecision",
    "RetractionHint",
    "RetractionPolicy",
    "RetractionProposal",
    "RetractionProposalRow",
    "RetractionStanding",
    "ReviewItem",
    "SavedView",
    "Section",
    "Session",
    "Source",
    "SourceAlias",
    "SourcePart",
    "SourceVersion",
    "StatusChange",
    "Tag",
    "TitleKey",
    "Turn",
    "TurnSource",
    "WorkVersion",
]
