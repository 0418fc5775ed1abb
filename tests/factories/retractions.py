"""Rows about retractions: what is asserted, asked, derived, decided and meant."""

import factory
from factory.django import DjangoModelFactory

from provenance_site.changes.models import Channel
from sources.core.kinds import IdentifierType, ProposalKind, UseKind
from sources.core.records import Identity
from sources.core.retraction_status import STATUS_VERSION, Nature, Provider, Status
from sources.core.retraction_terms import HintKind
from sources.models import (
    RetractionAcknowledgement,
    RetractionAssertion,
    RetractionCheck,
    RetractionDecision,
    RetractionHint,
    RetractionPolicy,
    RetractionProposal,
    RetractionProposalRow,
    RetractionStanding,
    SourcePart,
    WorkVersion,
)
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory
from tests.factories.keys import sha256
from tests.factories.sources import SourceFactory


class RetractionAssertionFactory(DjangoModelFactory[RetractionAssertion]):
    """A retraction as Retraction Watch has it."""

    class Meta:
        model = RetractionAssertion

    key = factory.Sequence(lambda n: sha256(f"assertion {n}"))
    identifier_type = IdentifierType.DOI
    identifier_value = factory.Sequence(lambda n: f"10.5555/harbour.{n}")
    identifier_key = factory.LazyAttribute(
        lambda row: Identity(IdentifierType(row.identifier_type), row.identifier_value, "").key
    )
    provider = Provider.RETRACTION_WATCH
    record_id = factory.Sequence(str)
    nature = Nature.RETRACTED
    raw_nature = "Retraction"
    first_seen_at = NOW
    last_seen_at = NOW


class RetractionCheckFactory(DjangoModelFactory[RetractionCheck]):
    """An answer of Crossref."""

    class Meta:
        model = RetractionCheck

    identifier_key = factory.Sequence(lambda n: sha256(f"identifier {n}"))
    provider = Provider.CROSSREF
    answered_at = NOW


class RetractionStandingFactory(DjangoModelFactory[RetractionStanding]):
    """A source of which no retraction was found."""

    class Meta:
        model = RetractionStanding

    source = factory.SubFactory(SourceFactory)
    workspace = factory.SelfAttribute("source.workspace")
    status = Status.NONE_FOUND
    version = STATUS_VERSION
    changed_at = NOW


class RetractionDecisionFactory(DjangoModelFactory[RetractionDecision]):
    """An editor's word that a work is retracted."""

    class Meta:
        model = RetractionDecision

    source = factory.SubFactory(SourceFactory)
    status = Status.RETRACTED
    reason = "The journal's notice of May"
    by = factory.SubFactory(UserFactory)
    at = NOW


class RetractionHintFactory(DjangoModelFactory[RetractionHint]):
    """A title that may be this work's."""

    class Meta:
        model = RetractionHint

    source = factory.SubFactory(SourceFactory)
    kind = HintKind.TITLE
    provider = Provider.RETRACTION_WATCH
    record_id = factory.Sequence(str)
    words = "Boats of the harbour in spring"
    at = NOW


class SourcePartFactory(DjangoModelFactory[SourcePart]):
    """A chapter, by its own record."""

    class Meta:
        model = SourcePart

    part = factory.SubFactory(SourceFactory)
    whole = factory.SubFactory(SourceFactory, workspace=factory.SelfAttribute("..part.workspace"))
    at = NOW


class WorkVersionFactory(DjangoModelFactory[WorkVersion]):
    """A preprint and what was published of it, as Crossref has it."""

    class Meta:
        model = WorkVersion

    preprint_type = IdentifierType.DOI
    preprint_value = factory.Sequence(lambda n: f"10.1101/{100000 + n}")
    preprint_key = factory.LazyAttribute(lambda row: Identity(IdentifierType.DOI, row.preprint_value, "").key)
    published_type = IdentifierType.DOI
    published_value = factory.Sequence(lambda n: f"10.5555/published.{n}")
    published_key = factory.LazyAttribute(lambda row: Identity(IdentifierType.DOI, row.published_value, "").key)
    provider = Provider.CROSSREF
    first_seen_at = NOW


class RetractionAcknowledgementFactory(DjangoModelFactory[RetractionAcknowledgement]):
    """A use that is meant."""

    class Meta:
        model = RetractionAcknowledgement

    source = factory.SubFactory(SourceFactory)
    use_kind = UseKind.PROJECT
    use_id = factory.Sequence(lambda n: n + 1)
    reason = "Cited as an example of a retraction"
    by = factory.SubFactory(UserFactory)
    at = NOW


class RetractionPolicyFactory(DjangoModelFactory[RetractionPolicy]):
    """A workspace that wants two persons."""

    class Meta:
        model = RetractionPolicy

    workspace = factory.SubFactory(WorkspaceFactory)
    second_person = True


class RetractionProposalFactory(DjangoModelFactory[RetractionProposal]):
    """A list that waits for a second person."""

    class Meta:
        model = RetractionProposal

    workspace = factory.SubFactory(WorkspaceFactory)
    kind = ProposalKind.LIST
    note = "The list of May"
    planned = 1
    left = 0
    channel = Channel.PAGE
    proposed_by = factory.SubFactory(UserFactory)
    proposed_at = NOW


class RetractionProposalRowFactory(DjangoModelFactory[RetractionProposalRow]):
    """A line that would retract a source."""

    class Meta:
        model = RetractionProposalRow

    proposal = factory.SubFactory(RetractionProposalFactory)
    line = 1
    source = factory.SubFactory(SourceFactory, workspace=factory.SelfAttribute("..proposal.workspace"))
    status = Status.RETRACTED
    reason = "The list of May"
    spelling = "Harbour silt"
    before = "Not marked"
    after = "Retracted"
