"""What observations rest on: links to sources, made and taken away, single and in bulk."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.core.entries import Relationship
from sources.models import Observation, ObservationSource, Source
from sources.services import observation_lineage
from sources.services.observations import LINK, link_facts, locked

LINK_KIND = "observation.link"
UNLINK_KIND = "observation.unlink"
_BATCH = 500


class ForeignSource(ValueError):
    """An observation and a source of two workspaces cannot be linked."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """An observation that is to rest on a source."""

    observation_id: int
    source_id: int
    relationship: Relationship


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
        for start in range(0, len(wanted), _BATCH):
            made += _make(workspace_id=workspace_id, links=wanted[start : start + _BATCH], at=at)
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


def _make(*, workspace_id: int, links: Sequence[NewLink], at: datetime) -> list[ObservationSource]:
    """Inserts what is missing, in one order, and gives those rows with observation and source loaded."""
    observations = {
        row.pk: row
        for row in Observation.objects.select_for_update(of=("self",))
        .select_related("entity")
        .filter(project__workspace_id=workspace_id, pk__in={one.observation_id for one in links})
        .order_by("pk")
    }
    found = (
        Source.objects.select_related("entity", "merged_into__entity")
        .filter(workspace_id=workspace_id, pk__in={one.source_id for one in links})
        .order_by("pk")
    )
    sources = {row.pk: row.merged_into or row for row in found}
    if any(one.observation_id not in observations or one.source_id not in sources for one in links):
        raise ForeignSource("The observation or the source is not in this workspace any more. Load the page again.")
    there = set(
        ObservationSource.objects.filter(observation__in=observations).values_list(
            "observation_id", "source_id", "relationship"
        )
    )
    rows: dict[tuple[int, int, str], ObservationSource] = {}
    for one in links:
        key = (one.observation_id, sources[one.source_id].pk, one.relationship.value)
        if key not in there:
            rows[key] = ObservationSource(
                observation=observations[one.observation_id],
                source=sources[one.source_id],
                relationship=one.relationship,
                created_at=at,
            )
    made = [rows[key] for key in sorted(rows)]
    # The observations are locked, so nobody can have been first with one of these.
    return ObservationSource.objects.bulk_create(made, batch_size=_BATCH)
