"""Rows of closed-corpus writing: outlines, corpora, drafts."""

import hashlib

import factory
from factory.django import DjangoModelFactory

from sources.core.findings import Verdict
from sources.models import CorpusEntry, Draft, DraftVersion, OutlineSection
from tests.clock import NOW
from tests.factories.sources import CatalogEntryFactory, ProjectFactory, SectionFactory


class OutlineSectionFactory(DjangoModelFactory[OutlineSection]):
    """A section that asks one question."""

    class Meta:
        model = OutlineSection

    project = factory.SubFactory(ProjectFactory)
    section = factory.SubFactory(SectionFactory, project=factory.SelfAttribute("..project"))
    guiding_questions = factory.LazyFunction(lambda: ["How high is the tide?"])
    preferred_sources = factory.LazyFunction(lambda: ["harbour.example"])
    position = factory.Sequence(lambda n: n + 1)


class CorpusEntryFactory(DjangoModelFactory[CorpusEntry]):
    """A verified source with an excerpt."""

    class Meta:
        model = CorpusEntry

    entry = factory.SubFactory(CatalogEntryFactory)
    section = factory.SubFactory(SectionFactory, project=factory.SelfAttribute("..entry.project"))
    excerpt = "The tide rises twice a day. The harbour keeps a gauge."
    summary = "The tide rises twice a day."
    retrieval_query = "tide harbour"
    retrieval_tool = "searxng"
    verdict = Verdict.VERIFIED_ACCESSIBLE
    kept_at = NOW


class DraftFactory(DjangoModelFactory[Draft]):
    """A draft without a version."""

    class Meta:
        model = Draft

    project = factory.SubFactory(ProjectFactory)
    name = factory.Sequence(lambda n: f"Memo {n}")
    created_at = NOW


class DraftVersionFactory(DjangoModelFactory[DraftVersion]):
    """A version that cites nothing."""

    class Meta:
        model = DraftVersion

    draft = factory.SubFactory(DraftFactory)
    number = factory.Sequence(lambda n: n + 1)
    text = "The harbour is old.\n"
    gated_text = factory.SelfAttribute("text")
    sha256 = factory.LazyAttribute(lambda version: hashlib.sha256(version.gated_text.encode()).hexdigest())
    created_at = NOW
