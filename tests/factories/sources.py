"""Rows of the registry: projects, sources, citations, checks, review, imports."""

import factory
from factory.django import DjangoModelFactory

from sources.core.catalog import CitationStatus
from sources.core.findings import Cause, Disposition, Evidence, Verdict
from sources.core.kinds import DecisionKind, IdentifierType, LongDeedKind, ReviewReason, RowAction
from sources.models import (
    CatalogEntry,
    Check,
    Citation,
    Decision,
    EntryAlias,
    ImportBatch,
    ImportRow,
    LongDeed,
    LongDeedPart,
    Project,
    ProjectVersion,
    Reading,
    ReviewItem,
    Section,
    Source,
    SourceAlias,
    SourceVersion,
    StatusChange,
)
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory
from tests.factories.jobs import JobFactory
from tests.factories.keys import sha256

RULES_VERSION = "test-1"


class ProjectFactory(DjangoModelFactory[Project]):
    """A project that cites nothing yet."""

    class Meta:
        model = Project

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"Project {n}")
    created_at = NOW


class SectionFactory(DjangoModelFactory[Section]):
    """A part of a project's text."""

    class Meta:
        model = Section

    project = factory.SubFactory(ProjectFactory)
    slug = factory.Sequence(lambda n: f"{n:02d}-market-context")
    title = "Market context"


class ProjectVersionFactory(DjangoModelFactory[ProjectVersion]):
    """A version of a project's text."""

    class Meta:
        model = ProjectVersion

    project = factory.SubFactory(ProjectFactory)
    label = factory.Sequence(lambda n: f"draft-v{n}")
    first_seen_at = NOW


class SourceFactory(DjangoModelFactory[Source]):
    """A source with a URL that was never checked. For another identity give `identifier_type` and `_value`."""

    class Meta:
        model = Source

    workspace = factory.SubFactory(WorkspaceFactory)
    title = factory.Sequence(lambda n: f"Harbour survey {n}")
    identifier_type = IdentifierType.URL
    identifier_value = factory.Sequence(lambda n: f"https://harbour.example/survey/{n}")
    # The key as `sources.core.records.Identity.key` gives it; a test compares the two.
    canonical_key = factory.LazyAttribute(
        lambda source: (
            ""
            if source.identifier_type == IdentifierType.NONE
            else sha256(f"{source.identifier_type}:{source.identifier_value}")
        )
    )
    request_url = factory.LazyAttribute(
        lambda source: source.identifier_value if source.identifier_type == IdentifierType.URL else ""
    )
    host = factory.LazyAttribute(lambda source: source.request_url.split("/")[2] if source.request_url else "")
    first_seen_at = NOW

    class Params:
        untraceable = factory.Trait(identifier_type=IdentifierType.NONE, identifier_value="")


class SourceAliasFactory(DjangoModelFactory[SourceAlias]):
    """Another spelling of a source's URL."""

    class Meta:
        model = SourceAlias

    source = factory.SubFactory(SourceFactory)
    workspace = factory.SelfAttribute("source.workspace")
    spelling = factory.Sequence(lambda n: f"http://www.harbour.example/survey/{n}?utm_source=x")
    spelling_key = factory.LazyAttribute(lambda alias: sha256(alias.spelling))
    first_seen_at = NOW


class CatalogEntryFactory(DjangoModelFactory[CatalogEntry]):
    """A source of the project's workspace, under the project's next number."""

    class Meta:
        model = CatalogEntry

    project = factory.SubFactory(ProjectFactory)
    source = factory.SubFactory(SourceFactory, workspace=factory.SelfAttribute("..project.workspace"))
    number = factory.Sequence(lambda n: n + 1)
    added_at = NOW


class CitationFactory(DjangoModelFactory[Citation]):
    """A place in the project's text where the entry is named."""

    class Meta:
        model = Citation

    entry = factory.SubFactory(CatalogEntryFactory)
    version = factory.SubFactory(ProjectVersionFactory, project=factory.SelfAttribute("..entry.project"))
    status = CitationStatus.INCLUDED
    line = factory.Sequence(lambda n: n + 1)
    spelling = factory.SelfAttribute("entry.source.identifier_value")


class EntryAliasFactory(DjangoModelFactory[EntryAlias]):
    """A stable id that leads to an entry."""

    class Meta:
        model = EntryAlias

    entry = factory.SubFactory(CatalogEntryFactory)
    project = factory.SelfAttribute("entry.project")
    number = factory.Sequence(lambda n: n + 1001)
    added_at = NOW


class SourceVersionFactory(DjangoModelFactory[SourceVersion]):
    """A page that was fetched."""

    class Meta:
        model = SourceVersion

    source = factory.SubFactory(SourceFactory)
    sha256 = factory.Sequence(lambda n: sha256(f"content {n}"))
    media_type = "text/html"
    byte_count = 4096
    final_url = factory.SelfAttribute("source.request_url")
    fetched_at = NOW


class CheckFactory(DjangoModelFactory[Check]):
    """A check that found the page as claimed. It does not move the source's standing: a service does that."""

    class Meta:
        model = Check

    source = factory.SubFactory(SourceFactory)
    verdict = Verdict.VERIFIED_ACCESSIBLE
    cause = Cause.CONTENT
    at = NOW
    rules_version = RULES_VERSION
    evidence = factory.LazyAttribute(
        lambda check: Evidence(
            requested_url=check.source.request_url, final_url=check.source.request_url, status=200
        ).as_json()
    )


class ReadingFactory(DjangoModelFactory[Reading]):
    """What a check read: a failure, the smallest reading there is."""

    class Meta:
        model = Reading

    check_made = factory.SubFactory(CheckFactory)
    source = factory.SelfAttribute("check_made.source")
    content = factory.LazyFunction(
        lambda: {"v": 1, "judged": ["fetch-failed", "deadline"], "failure": {"cause": "deadline"}}
    )


class StatusChangeFactory(DjangoModelFactory[StatusChange]):
    """From never checked to kept."""

    class Meta:
        model = StatusChange

    source = factory.SubFactory(SourceFactory)
    to_verdict = Verdict.VERIFIED_ACCESSIBLE
    from_disposition = Disposition.UNCHECKED
    to_disposition = Disposition.KEEP
    at = NOW


class DecisionFactory(DjangoModelFactory[Decision]):
    """A person accepted a source."""

    class Meta:
        model = Decision

    source = factory.SubFactory(SourceFactory)
    kind = DecisionKind.ACCEPT
    by = factory.SubFactory(UserFactory)
    at = NOW


class ReviewItemFactory(DjangoModelFactory[ReviewItem]):
    """An open question about a source."""

    class Meta:
        model = ReviewItem

    source = factory.SubFactory(SourceFactory)
    reason = ReviewReason.THIN
    opened_at = NOW


class ImportBatchFactory(DjangoModelFactory[ImportBatch]):
    """A list that waits for its commit."""

    class Meta:
        model = ImportBatch

    project = factory.SubFactory(ProjectFactory)
    label = factory.Sequence(lambda n: f"list-{n}.md")
    sha256 = factory.Sequence(lambda n: sha256(f"list {n}"))
    byte_count = 120
    created_at = NOW


class ImportRowFactory(DjangoModelFactory[ImportRow]):
    """A reference that is new."""

    class Meta:
        model = ImportRow

    batch = factory.SubFactory(ImportBatchFactory)
    position = factory.Sequence(lambda n: n + 1)
    line = factory.SelfAttribute("position")
    action = RowAction.NEW
    spelling = factory.Sequence(lambda n: f"https://harbour.example/row/{n}")
    identifier_type = IdentifierType.URL
    identifier_value = factory.SelfAttribute("spelling")
    canonical_key = factory.LazyAttribute(lambda row: sha256(f"{row.identifier_type}:{row.identifier_value}"))
    request_url = factory.SelfAttribute("spelling")


class LongDeedFactory(DjangoModelFactory[LongDeed]):
    """A look for duplicates that nobody has begun."""

    class Meta:
        model = LongDeed

    job = factory.SubFactory(JobFactory, kind="sources.long-deed")
    kind = LongDeedKind.FIND_PAIRS
    total = 1


class LongDeedPartFactory(DjangoModelFactory[LongDeedPart]):
    """A part of it."""

    class Meta:
        model = LongDeedPart

    deed = factory.SubFactory(LongDeedFactory)
    number = factory.Sequence(lambda n: n)
