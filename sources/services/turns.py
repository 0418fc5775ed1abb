"""Observations and the turns they belong to: placed by time, and linked to what their turn retrieved."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core import citing
from sources.core.entries import Relationship
from sources.models import Observation, Project, Source, Turn, TurnSource
from sources.queries import known
from sources.queries.readable import hidden_keys, readable
from sources.queries.turns import Offer, offers_of, waiting
from sources.services import observation_links
from sources.services.documents import Document, register
from sources.services.observation_links import NewLink

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Linked:
    """What linking did: how many links are new, and over how many observations it went."""

    links: int
    observations: int


def place(*, project: Project) -> int:
    """Puts every observation of the project into its turn: the last one that had begun when it was written.

    Gives how many moved. For after an import of sessions or observations; twice is safe. Must run inside the caller's
    transaction.
    """
    turns = Turn.objects.filter(session__project=project).order_by("started_at", "session", "number")
    rows = list(Observation.objects.filter(project=project).only("created_at", "turn").order_by("pk"))
    found = citing.turns_of([row.created_at for row in rows], turns.iterator(), begun_at=lambda turn: turn.started_at)
    moved: list[Observation] = []
    for row, turn in zip(rows, found, strict=True):
        if row.turn_id != (turn.pk if turn else None):
            row.turn = turn
            moved.append(row)
    Observation.objects.bulk_update(moved, ["turn"], batch_size=_BATCH)
    return len(moved)


def link_retrieved(*, observation: Observation, by: User, channel: Channel, at: datetime) -> Linked:
    """Links an observation to the documents of its turn, `retrieved`; see `link_many`."""
    return link_many(
        workspace_id=observation.project.workspace_id,
        observations=[observation],
        note=f"#{observation.pk} to what its turn retrieved",
        by=by,
        channel=channel,
        at=at,
    )


def link_project(*, project: Project, by: User, channel: Channel, at: datetime) -> Linked:
    """Links all observations of the project that wait for it, in one ChangeSet; see `link_many`."""
    return link_many(
        workspace_id=project.workspace_id,
        observations=list(waiting(project=project)),
        note=f"Observations of {project.name} to what their turns retrieved",
        by=by,
        channel=channel,
        at=at,
    )


def link_turn(*, turn: Turn, by: User, channel: Channel, at: datetime) -> Linked:
    """Links all observations of one turn to its documents, in one ChangeSet; see `link_many`."""
    return link_many(
        workspace_id=turn.session.project.workspace_id,
        observations=list(readable(turn.observations.all()).order_by("pk")),
        note=f"Observations of {turn.session.name}, turn {turn.number}, to what it retrieved",
        by=by,
        channel=channel,
        at=at,
    )


def link_many(
    *, workspace_id: int, observations: Sequence[Observation], note: str, by: User, channel: Channel, at: datetime
) -> Linked:
    """Registers the documents of the observations' turns as sources and links them, `retrieved`, in one ChangeSet.

    Idempotent. Undoing takes the links away; sources that became known stay in the registry.
    """
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        offers = offers_of({row.turn_id for row in observations if row.turn_id is not None})
        sources = _registered(workspace_id=workspace_id, offers=[one for of in offers.values() for one in of], at=at)
        links = [
            NewLink(row.pk, sources[offer.row.pk].pk, Relationship.RETRIEVED)
            for row in observations
            for offer in offers.get(row.turn_id or 0, ())
            if offer.row.pk in sources
        ]
        made = observation_links.link_many(
            workspace_id=workspace_id, links=links, note=note, by=by, channel=channel, at=at
        )
    return Linked(links=made, observations=len({link.observation_id for link in links}))


def _registered(*, workspace_id: int, offers: Sequence[Offer], at: datetime) -> dict[int, Source]:
    """The source of each offer by the key of its row; rows that did not know theirs keep it from now on.

    A row whose source was merged into another is given that one. What the person may not read is left out: they cannot
    cite it, and an observation that rested on it would be hidden from them.
    """
    unknown = {offer.row.pk: _document(offer) for offer in offers if offer.row.source is None}
    found = register(workspace_id=workspace_id, documents=unknown.values(), at=at)
    sources = known.standing_for({offer.row.pk: offer.row.source or found[unknown[offer.row.pk]] for offer in offers})
    hidden = hidden_keys(Source, {source.pk for source in sources.values()})
    sources = {key: source for key, source in sources.items() if source.pk not in hidden}
    moved: list[TurnSource] = []
    for row in (offer.row for offer in offers if offer.row.pk in sources):
        if row.source != sources[row.pk]:
            row.source = sources[row.pk]
            moved.append(row)
    TurnSource.objects.bulk_update(moved, ["source"], batch_size=_BATCH)
    return sources


def _document(offer: Offer) -> Document:
    shown = offer.shown
    return Document(title=shown.title, identity=shown.identity, store=offer.row.store, path=offer.row.path)
