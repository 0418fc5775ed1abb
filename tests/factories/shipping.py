"""Rows of ship checks and of requests for sources."""

import factory
from factory.django import DjangoModelFactory

from sources.core.findings import Cause, Verdict
from sources.core.kinds import IdentifierType
from tests.clock import NOW
from tests.factories.jobs import JobFactory
from tests.factories.keys import sha256
from tests.factories.sources import RULES_VERSION, ProjectFactory
from tests.factories.writing import DraftFactory, DraftVersionFactory
from validation.core.source_requests import RequestKind
from validation.models import HarvestRequest, RequestCandidate, ShipCheck, ShipLink, SpotCheck


class ShipCheckFactory(DjangoModelFactory[ShipCheck]):
    """A check of a text that cites nothing so far."""

    class Meta:
        model = ShipCheck

    job = factory.SubFactory(JobFactory)
    project = factory.SubFactory(ProjectFactory, workspace=factory.SelfAttribute("..job.workspace"))
    document = "memo.md"
    path = "memo.md"
    text = "Boats came.\n"
    sha256 = sha256("Boats came.\n")
    seed = "5eed"
    rules_version = RULES_VERSION


class ShipLinkFactory(DjangoModelFactory[ShipLink]):
    """A link that is not fetched yet."""

    class Meta:
        model = ShipLink

    check_made = factory.SubFactory(ShipCheckFactory)
    position = factory.Sequence(lambda number: number)
    identifier_type = IdentifierType.URL
    identifier_value = factory.Sequence(lambda number: f"https://gazette.example/{number}")
    request_url = factory.SelfAttribute("identifier_value")
    address = factory.SelfAttribute("identifier_value")
    key = factory.LazyAttribute(lambda row: sha256(f"{row.identifier_type}:{row.identifier_value}"))
    line = 1
    column = 1


class SpotCheckFactory(DjangoModelFactory[SpotCheck]):
    """A drawn link that nobody has looked at yet."""

    class Meta:
        model = SpotCheck

    check_made = factory.SubFactory(ShipCheckFactory)
    link = factory.SubFactory(ShipLinkFactory, check_made=factory.SelfAttribute("..check_made"))
    position = factory.Sequence(lambda number: number + 1)


class HarvestRequestFactory(DjangoModelFactory[HarvestRequest]):
    """A claim that waits to be searched."""

    class Meta:
        model = HarvestRequest

    draft = factory.SubFactory(DraftFactory)
    version = factory.SubFactory(DraftVersionFactory, draft=factory.SelfAttribute("..draft"))
    kind = RequestKind.MARKER
    claim = factory.Sequence(lambda number: f"The harbour has {number} boats.")
    key = factory.LazyAttribute(lambda row: sha256(f"{row.kind} {row.claim}"))
    query = factory.SelfAttribute("claim")
    asked_at = NOW


class RequestCandidateFactory(DjangoModelFactory[RequestCandidate]):
    """A verified page with a passage."""

    class Meta:
        model = RequestCandidate

    request = factory.SubFactory(HarvestRequestFactory)
    url = factory.Sequence(lambda number: f"https://gazette.example/{number}")
    key = factory.LazyAttribute(lambda row: sha256(f"url:{row.url}"))
    title = "Harbour survey"
    tool = "searxng"
    rank = 1
    verdict = Verdict.VERIFIED_ACCESSIBLE
    cause = Cause.CONTENT
    rules_version = RULES_VERSION
    passage = "The harbour has many boats."
    score = 0.5
    fetched_at = NOW
