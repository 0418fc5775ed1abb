"""The registry in the admin: read-mostly, searched and filtered; writes go through the services of the pages.

Not here: keys of near titles (`TitleKey`), which are an index and made again from the titles; what providers assert
(`RetractionAssertion`, `RetractionCheck`), which is of no workspace and shown with each source it is about.
"""

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
from sources.admin.past import ReadingAdmin, SourceAliasAdmin, SourceVersionAdmin, StatusChangeAdmin
from sources.admin.places import CatalogEntryAdmin, CitationAdmin, EntryAliasAdmin, ProjectVersionAdmin, SectionAdmin
from sources.admin.records import CheckAdmin, DecisionAdmin, ProjectAdmin, ReviewItemAdmin
from sources.admin.retractions import (
    RetractionAcknowledgementAdmin,
    RetractionDecisionAdmin,
    RetractionStandingAdmin,
)
from sources.admin.source import SourceAdmin
from sources.admin.work import ImportBatchAdmin, ImportRowAdmin, LongDeedAdmin, LongDeedPartAdmin
from sources.admin.writing import CorpusEntryAdmin, DraftAdmin, DraftVersionAdmin, OutlineSectionAdmin

__all__ = [
    "CatalogEntryAdmin",
    "CheckAdmin",
    "ChunkAdmin",
    "ChunkStoreAdmin",
    "CitationAdmin",
    "ConceptAdmin",
    "CorpusEntryAdmin",
    "DecisionAdmin",
    "DraftAdmin",
    "DraftVersionAdmin",
    "DuplicatePairAdmin",
    "EntryAliasAdmin",
    "ExportAdmin",
    "ExportOrderAdmin",
    "ImportBatchAdmin",
    "ImportRowAdmin",
    "LongDeedAdmin",
    "LongDeedPartAdmin",
    "ObservationAdmin",
    "ObservationSourceAdmin",
    "OutlineSectionAdmin",
    "ProjectAdmin",
    "ProjectVersionAdmin",
    "ReadingAdmin",
    "RetractionAcknowledgementAdmin",
    "RetractionDecisionAdmin",
    "RetractionStandingAdmin",
    "ReviewItemAdmin",
    "SavedViewAdmin",
    "SectionAdmin",
    "SessionAdmin",
    "SourceAdmin",
    "SourceAliasAdmin",
    "SourceVersionAdmin",
    "StatusChangeAdmin",
    "TagAdmin",
    "TurnAdmin",
    "TurnSourceAdmin",
]
