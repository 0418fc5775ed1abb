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
    "CitationFactory",
    "DecisionFactory",
    "EdgeFactory",
    "EntityFactory",
    "ImportBatchFactory",
    "ImportRowFactory",
    "JobFactory",
    "JobItemFactory",
    "LoginFailureFactory",
    "LookupCacheFactory",
    "MembershipFactory",
    "OwnPatternFactory",
    "OwnPublisherFactory",
    "ProjectFactory",
    "ProjectVersionFactory",
    "ProviderKeyFactory",
    "ReadingFactory",
    "ReviewItemFactory",
    "SectionFactory",
    "SourceAliasFactory",
    "SourceFactory",
    "SourceVersionFactory",
    "StatusChangeFactory",
    "UserFactory",
    "WorkspaceFactory",
]
