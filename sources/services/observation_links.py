"""What observations rest on: links to sources, made and taken away, single and in bulk."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts
from sources import permissions
from sources.core.entries import Relationship
from sources.models import Observation, ObservationSource, Source
from sources.queries import known
from sources.services import observation_lineage
from sources.services.observations import LINK, link_facts, locked

LINK_KIND = "observation.link"
UNLINK_KIND = "observation.unlink"


class ForeignSource(ValueError):
    """An observation and a source of two workspaces cannot be linked."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """An observation that is to rest on a source."""

    observation_id: int
    source_id: int
    relationship: Relationship


@dataclass(frozen=True, slots=True)
class Made:
    """New links with observation and source loaded, and those whose end is not in the workspace (any more)."""

    made: list[ObservationSource]
    gone: list[NewLink]


def link(
    *,
    observation: Observation,
    source: Source,
    relationship: Relationship,
    by: User,
    channel: Channel,
    at: datetime,
) -> bool:
    """Links an observation to a source; False where it was linked so already, and then nothing is written."""
    wanted = NewLink(observation.pk, source.pk, relationship)
    workspace_id = observation.project.workspace_id
    made = link_many(
        workspace_id=workspace_id, links=[wanted], note=f"#{observation.pk}: {source}", by=by, channel=channel, at=at
    )
    return bool(made)


def link_many(
    *, workspace_id: int, links: Sequence[NewLink], note: str, by: User, channel: Channel, at: datetime
) -> int:
    """Makes the links that are not there yet, with their edges, in one ChangeSet; gives how many. Idempotent.

    A source that was merged into another stands for that one. Raises `ForeignSource` for a row of another workspace or
    one that is gone. A fixed number of queries per 500.
    """
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        made: list[ObservationSource] = []
        wanted = list(dict.fromkeys(links))
        for part in in_parts(wanted):
            done = make(workspace_id=workspace_id, links=part, at=at)
            if done.gone:
                raise ForeignSource(
                    "The observation or the source is not in this workspace any more. Load the page again."
                )
            made += done.made
        observation_lineage.write_edges(workspace_id=workspace_id, links=made, at=at)
        if made:
            changes.record(
                workspace_id=workspace_id,
                kind=LINK_KIND,
                actor=by,
                channel=channel,
                note=note[:200],
                at=at,
                changes=[ChangeFacts(LINK, row.pk, before={}, after=link_facts(row)) for row in made],
            )
    return len(made)


def unlink(*, link: ObservationSource, by: User, channel: Channel, at: datetime) -> None:
    """Takes a link away, in one ChangeSet. In lineage the observation gets a new version that rests on the others."""
    workspace_id = link.observation.project.workspace_id
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        observation = locked(link.observation_id)
        fact = ChangeFacts(LINK, link.pk, before=link_facts(link), after={})
        gone, _ = ObservationSource.objects.filter(pk=link.pk).delete()
        if not gone:
            return
        observation_lineage.write_versions(workspace_id=workspace_id, observations=[observation], at=at)
        changes.record(
            workspace_id=workspace_id,
            kind=UNLINK_KIND,
            actor=by,
            channel=channel,
            note=f"#{observation.pk}: {link.source}"[:200],
            at=at,
            changes=[fact],
        )


def make(*, workspace_id: int, links: Sequence[NewLink], at: datetime) -> Made:
    """Inserts what is missing of at most some hundred links, in one order, in the caller's transaction; writes no edge.

    The observations stay locked. A source that was merged into another stands for the one at the end of the chain.
    """
    observations = {
        row.pk: row
        for row in Observation.objects.select_for_update(of=("self",), no_key=True)
        .select_related("entity")
        .filter(project__workspace_id=workspace_id, pk__in={one.observation_id for one in links})
        .order_by("pk")
    }
    found = Source.objects.select_related("entity").filter(
        workspace_id=workspace_id, pk__in={one.source_id for one in links}
    )
    sources = known.standing_for({row.pk: row for row in found})
    there = set(
        ObservationSource.objects.filter(observation__in=observations).values_list(
            "observation_id", "source_id", "relationship"
        )
    )
    rows: dict[tuple[int, int, str], ObservationSource] = {}
    gone: list[NewLink] = []
    for one in links:
        observation, source = observations.get(one.observation_id), sources.get(one.source_id)
        if observation is None or source is None:
            gone.append(one)
            continue
        key = (observation.pk, source.pk, one.relationship.value)
        if key not in there:
            rows[key] = ObservationSource(
                observation=observation, source=source, relationship=one.relationship, created_at=at
            )
    # The observations are locked, so nobody can have been first with one of these.
    return Made(ObservationSource.objects.bulk_create([rows[key] for key in sorted(rows)]), gone)
