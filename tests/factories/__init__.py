"""One factory per model: `SourceFactory()` gives a row that passes every constraint, in a workspace made for it.

Rows that belong together share a workspace: what hangs on a project or source takes its workspace from there.
"""

from tests.factories.accounts import (
    ApiTokenFactory,
    LoginFailureFactory,
    MembershipFactory,
    UserFactory,
    WorkspaceFactory,
)
from tests.factories.changes import ChangeFactory, ChangeSetFactory
from tests.factories.jobs import JobFactory, JobItemFactory
from tests.factories.knowledge import (
    ChunkFactory,
    ChunkStoreFactory,
    ConceptFactory,
    DuplicatePairFactory,
    ExportFactory,
    ObservationFactory,
    ObservationSourceFactory,
    SavedViewFactory,
    SessionFactory,
    TagFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.factories.lineage import EdgeFactory, EntityFactory
from tests.factories.sources import (
    CatalogEntryFactory,
    CheckFactory,
    CitationFactory,
    DecisionFactory,
    ImportBatchFactory,
    ImportRowFactory,
    ProjectFactory,
    ProjectVersionFactory,
    ReadingFactory,
    ReviewItemFactory,
    SectionFactory,
    SourceAliasFactory,
    SourceFactory,
    SourceVersionFactory,
    StatusChangeFactory,
)
from tests.factories.validation import (
    CheckRunFactory,
    LookupCacheFactory,
    OwnPatternFactory,
    OwnPublisherFactory,
    ProviderKeyFactory,
)

__all__ = [
    "ApiTokenFactory",
    "CatalogEntryFactory",
    "ChangeFactory",
    "ChangeSetFactory",
    "CheckFactory",
    "CheckRunFactory",
    "ChunkFactory",
    "ChunkStoreFactory",
    "CitationFactory",
    "ConceptFactory",
    "DecisionFactory",
    "DuplicatePairFactory",
    "EdgeFactory",
    "EntityFactory",
    "ExportFactory",
    "ImportBatchFactory",
    "ImportRowFactory",
    "JobFactory",
    "JobItemFactory",
    "LoginFailureFactory",
    "LookupCacheFactory",
    "MembershipFactory",
    "ObservationFactory",
    "ObservationSourceFactory",
    "OwnPatternFactory",
    "OwnPublisherFactory",
    "ProjectFactory",
    "ProjectVersionFactory",
    "ProviderKeyFactory",
    "ReadingFactory",
    "ReviewItemFactory",
    "SavedViewFactory",
    "SectionFactory",
    "SessionFactory",
    "SourceAliasFactory",
    "SourceFactory",
    "SourceVersionFactory",
    "StatusChangeFactory",
    "TagFactory",
    "TurnFactory",
    "TurnSourceFactory",
    "UserFactory",
    "WorkspaceFactory",
]
