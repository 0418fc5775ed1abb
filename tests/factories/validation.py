"""Rows of check runs."""

import factory
from factory.django import DjangoModelFactory

from provenance_site.kit.sealing import sealed
from sources.core.retraction_status import Provider as RetractionProvider
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory
from tests.factories.jobs import JobFactory
from tests.factories.keys import sha256
from tests.factories.sources import RULES_VERSION, ProjectFactory, SectionFactory
from validation.core.providers import Provider
from validation.models import (
    Candidate,
    CheckRun,
    HarvestCall,
    HarvestHit,
    HarvestQuery,
    HarvestRun,
    LookupCache,
    OwnPattern,
    OwnPublisher,
    ProviderKey,
    RetractionFeed,
    RetractionRequest,
    RetractionSnapshot,
)
from validation.queries.provider_keys import secrets


class LookupCacheFactory(DjangoModelFactory[LookupCache]):
    """An answer that found nothing."""

    class Meta:
        model = LookupCache

    key = factory.Sequence(lambda number: sha256(f"question {number}"))
    answer = '{"list": []}'
    stored_at = NOW


class CheckRunFactory(DjangoModelFactory[CheckRun]):
    """A run over a project of the job's workspace."""

    class Meta:
        model = CheckRun

    job = factory.SubFactory(JobFactory)
    project = factory.SubFactory(ProjectFactory, workspace=factory.SelfAttribute("..job.workspace"))
    rules_version = RULES_VERSION


class HarvestRunFactory(DjangoModelFactory[HarvestRun]):
    """A harvest that is planned."""

    class Meta:
        model = HarvestRun

    project = factory.SubFactory(ProjectFactory)
    call_budget = 10
    candidate_budget = 20
    created_by = factory.SubFactory(UserFactory)
    created_at = NOW


class HarvestQueryFactory(DjangoModelFactory[HarvestQuery]):
    """A query to two searches for a section of the harvest's project."""

    class Meta:
        model = HarvestQuery

    run = factory.SubFactory(HarvestRunFactory)
    section = factory.SubFactory(SectionFactory, project=factory.SelfAttribute("..run.project"))
    position = factory.Sequence(lambda number: number + 1)
    text = factory.Sequence(lambda number: f"harbour robots {number}")
    tools = factory.LazyFunction(lambda: ["searxng", "tavily"])


class HarvestCallFactory(DjangoModelFactory[HarvestCall]):
    """A call that was answered."""

    class Meta:
        model = HarvestCall

    query = factory.SubFactory(HarvestQueryFactory)
    run = factory.SelfAttribute("query.run")
    tool = "tavily"
    state = "answered"
    calls = 1
    found = 1
    asked_at = NOW


class CandidateFactory(DjangoModelFactory[Candidate]):
    """Something that was found and waits for its check."""

    class Meta:
        model = Candidate

    run = factory.SubFactory(HarvestRunFactory)
    key = factory.Sequence(lambda number: sha256(f"candidate {number}"))
    url = factory.Sequence(lambda number: f"https://gazette.org/{number}")
    title = "Harbour survey"
    state = "waiting"


class HarvestHitFactory(DjangoModelFactory[HarvestHit]):
    """A candidate's place in the answer to a call."""

    class Meta:
        model = HarvestHit

    candidate = factory.SubFactory(CandidateFactory)
    call = factory.SubFactory(HarvestCallFactory, query__run=factory.SelfAttribute("...candidate.run"))
    section = factory.SelfAttribute("call.query.section")
    rank = 1


class OwnPublisherFactory(DjangoModelFactory[OwnPublisher]):
    """A publisher that a workspace has added."""

    class Meta:
        model = OwnPublisher

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda number: f"The Gazette {number}")
    domains = factory.Sequence(lambda number: [f"gazette-{number}.org"])
    path_hints = factory.LazyFunction(lambda: ["/articles/"])
    access_note = factory.LazyAttribute(lambda row: f"{row.name}: requires a subscription")
    created_by = factory.SubFactory(UserFactory)
    created_at = NOW


class OwnPatternFactory(DjangoModelFactory[OwnPattern]):
    """A pattern that a workspace has added: an article with a number and no slug."""

    class Meta:
        model = OwnPattern

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda number: f"Article without a slug {number}")
    pattern = r"^https?://gazette\.org/article/\d+$"
    hits = factory.LazyFunction(lambda: ["https://gazette.org/article/12345"])
    passes = factory.LazyFunction(lambda: ["https://gazette.org/article/12345-harbour-survey"])
    created_by = factory.SubFactory(UserFactory)
    created_at = NOW


class ProviderKeyFactory(DjangoModelFactory[ProviderKey]):
    """A key for Tavily; `secret` is what can be opened again."""

    class Meta:
        model = ProviderKey
        exclude = ["secret"]

    secret = "tavily-key-of-the-harbour-desk-a1b2"
    workspace = factory.SubFactory(WorkspaceFactory)
    provider = Provider.TAVILY.value
    sealed = factory.LazyAttribute(
        lambda row: sealed(row.secret, place=f"provider-key/{row.workspace.pk}/{row.provider}", secrets=secrets())
    )
    hint = "a1b2"
    set_by = factory.SubFactory(UserFactory)
    set_at = NOW


class RetractionSnapshotFactory(DjangoModelFactory[RetractionSnapshot]):
    """An export of Retraction Watch that was taken in whole."""

    class Meta:
        model = RetractionSnapshot

    sha256 = factory.Sequence(lambda number: sha256(f"export {number}"))
    label = "retraction_watch.csv"
    byte_count = 48_000
    rows = 60
    rows_done = 60
    told = factory.LazyFunction(lambda: {"unknown_natures": {}})
    started_at = NOW
    completed_at = NOW


class RetractionFeedFactory(DjangoModelFactory[RetractionFeed]):
    """A provider's changes, read to this day."""

    class Meta:
        model = RetractionFeed

    provider = factory.Iterator([one.value for one in RetractionProvider])
    day = "2026-11-30"
    succeeded_at = NOW


class RetractionRequestFactory(DjangoModelFactory[RetractionRequest]):
    """A check that waits for a worker."""

    class Meta:
        model = RetractionRequest

    workspace = factory.SubFactory(WorkspaceFactory)
    by = factory.SubFactory(UserFactory)
    works = factory.LazyFunction(lambda: ["doi:10.5555/harbour.7"])
    told = factory.LazyFunction(lambda: {"providers": {}, "absent": {}})
    asked_at = NOW
