"""Rows of the registry beside sources: observations, concepts, sessions, chunks, pairs, views, exports."""

import factory
from factory.django import DjangoModelFactory

from sources.core.entries import Relationship
from sources.core.kinds import PairReason
from sources.models import (
    Chunk,
    ChunkStore,
    Concept,
    DuplicatePair,
    Export,
    ExportOrder,
    Observation,
    ObservationSource,
    SavedView,
    Session,
    Tag,
    TitleKey,
    Turn,
    TurnSource,
)
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory
from tests.factories.keys import sha256
from tests.factories.sources import ProjectFactory, SourceFactory


class TagFactory(DjangoModelFactory[Tag]):
    """A tag on nothing yet."""

    class Meta:
        model = Tag

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"tag-{n}")


class ConceptFactory(DjangoModelFactory[Concept]):
    """A concept without an identifier."""

    class Meta:
        model = Concept

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"Concept {n}")
    created_at = NOW


class ObservationFactory(DjangoModelFactory[Observation]):
    """A note that rests on no source yet."""

    class Meta:
        model = Observation

    project = factory.SubFactory(ProjectFactory)
    body = factory.Sequence(lambda n: f"The pier was rebuilt {n} times.")
    created_at = NOW


class ObservationSourceFactory(DjangoModelFactory[ObservationSource]):
    """An observation cites a source of its workspace."""

    class Meta:
        model = ObservationSource

    observation = factory.SubFactory(ObservationFactory)
    source = factory.LazyAttribute(lambda link: SourceFactory(workspace=link.observation.project.workspace))
    relationship = Relationship.CITED
    created_at = NOW


class SessionFactory(DjangoModelFactory[Session]):
    """A session without turns."""

    class Meta:
        model = Session

    project = factory.SubFactory(ProjectFactory)
    name = factory.Sequence(lambda n: f"session-{n}")
    imported_at = NOW


class TurnFactory(DjangoModelFactory[Turn]):
    """A turn that retrieved nothing."""

    class Meta:
        model = Turn

    session = factory.SubFactory(SessionFactory)
    number = factory.Sequence(lambda n: n + 1)
    user = "ANA"
    started_at = NOW


class TurnSourceFactory(DjangoModelFactory[TurnSource]):
    """A document that a turn retrieved."""

    class Meta:
        model = TurnSource

    turn = factory.SubFactory(TurnFactory)
    position = factory.Sequence(lambda n: n + 1)
    store = "harbour"
    chunk_count = 3
    top_score = 0.87
    path = "tides.md"


class ChunkStoreFactory(DjangoModelFactory[ChunkStore]):
    """An empty store."""

    class Meta:
        model = ChunkStore

    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"store-{n}")
    created_at = NOW


class ChunkFactory(DjangoModelFactory[Chunk]):
    """A passage of a document that no source is known for."""

    class Meta:
        model = Chunk

    store = factory.SubFactory(ChunkStoreFactory)
    path = "tides.md"
    path_key = factory.LazyAttribute(lambda chunk: sha256(chunk.path))
    content = factory.Sequence(lambda n: f"Passage {n} about the tides.")
    content_hash = factory.LazyAttribute(lambda chunk: sha256(chunk.content))
    indexed_at = NOW


class DuplicatePairFactory(DjangoModelFactory[DuplicatePair]):
    """Two sources of one workspace that may be one work."""

    class Meta:
        model = DuplicatePair

    workspace = factory.SubFactory(WorkspaceFactory)
    first = factory.LazyAttribute(lambda pair: SourceFactory(workspace=pair.workspace))
    second = factory.LazyAttribute(lambda pair: SourceFactory(workspace=pair.workspace))
    reason = PairReason.SIMILAR_TITLE
    found_at = NOW


class TitleKeyFactory(DjangoModelFactory[TitleKey]):
    """A key that no title of a test has."""

    class Meta:
        model = TitleKey

    source = factory.SubFactory(SourceFactory)
    workspace = factory.SelfAttribute("source.workspace")
    key = factory.Sequence(lambda n: n)


class SavedViewFactory(DjangoModelFactory[SavedView]):
    """A person's own view."""

    class Meta:
        model = SavedView

    workspace = factory.SubFactory(WorkspaceFactory)
    owner = factory.SubFactory(UserFactory)
    name = factory.Sequence(lambda n: f"View {n}")
    query = "disposition=review"
    created_at = NOW


class ExportOrderFactory(DjangoModelFactory[ExportOrder]):
    """A large file that nobody makes yet."""

    class Meta:
        model = ExportOrder

    workspace = factory.SubFactory(WorkspaceFactory)
    format = "bibtex"
    is_list = True
    created_at = NOW


class ExportFactory(DjangoModelFactory[Export]):
    """A file that was handed on."""

    class Meta:
        model = Export

    workspace = factory.SubFactory(WorkspaceFactory)
    format = "bibtex"
    file_name = "sources.bib"
    media_type = "application/x-bibtex"
    sha256 = factory.Sequence(lambda n: sha256(f"export {n}"))
    byte_count = 120
    source_count = 1
    created_at = NOW
