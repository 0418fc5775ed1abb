"""Finds observations, concepts, sessions and stores among what the person may see; all else answers 404."""

from uuid import UUID

from django.shortcuts import get_object_or_404

from provenance_site.accounts.models import User
from sources.models import Chunk, ChunkStore, Concept, Observation, ObservationSource, Session, Turn
from sources.queries.observations import whole
from sources.queries.readable import readable


def observation_for(user: User, uuid: UUID) -> Observation:
    """The observation with all that its page shows, or Http404."""
    mine = readable(Observation.objects.all()).filter(project__workspace__memberships__user=user)
    return get_object_or_404(whole(mine), uuid=uuid)


def link_for(observation: Observation, number: str) -> ObservationSource:
    """A link of the observation by its number as a form sends it, or Http404."""
    links = (
        readable(ObservationSource.objects.all())
        .filter(observation=observation)
        .select_related("observation__project", "source")
    )
    return get_object_or_404(links, pk=int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0)


def concept_for(user: User, uuid: UUID) -> Concept:
    """The concept, or Http404."""
    return get_object_or_404(Concept.objects.filter(workspace__memberships__user=user), uuid=uuid)


def session_for(user: User, pk: int) -> Session:
    """The session with its project, or Http404."""
    mine = Session.objects.filter(project__workspace__memberships__user=user)
    return get_object_or_404(mine.select_related("project"), pk=pk)


def turn_for(user: User, pk: int) -> Turn:
    """The turn with its project, or Http404."""
    mine = Turn.objects.filter(session__project__workspace__memberships__user=user)
    return get_object_or_404(mine.select_related("session__project"), pk=pk)


def store_for(user: User, pk: int) -> ChunkStore:
    """The store, or Http404."""
    return get_object_or_404(ChunkStore.objects.filter(workspace__memberships__user=user), pk=pk)


def chunk_for(user: User, pk: int) -> Chunk:
    """The chunk with all that its provenance needs, or Http404."""
    mine = readable(Chunk.objects.all()).filter(store__workspace__memberships__user=user)
    return get_object_or_404(mine.select_related("store", "source", "version", "entity"), pk=pk)
