"""Observations: written down, edited, deleted. Each deed is one ChangeSet that can be undone, and stands in lineage."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.http import Http404

from lineage import capture
from lineage.services.deletion import OnHold
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.core.chunking import hash_of
from sources.core.credentials import without_credentials
from sources.core.entries import ObservationKind
from sources.models import Observation, ObservationSource, Project, Turn
from sources.services import concepts as naming
from sources.services import observation_lineage

ADD_KIND = "observation.add"
EDIT_KIND = "observation.edit"
DELETE_KIND = "observation.delete"
MAX_BODY = 100_000
OBSERVATION = Observation._meta.label_lower
LINK = ObservationSource._meta.label_lower
_NOTE_LENGTH = 200


class ObservationRefused(ValueError):
    """It cannot be written down so; the message says why and what to do."""


class EditedMeanwhile(ValueError):
    """Somebody changed the observation after the person saw it; nothing was written."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an observation says: its text, what it is, and the names of the concepts it is about."""

    body: str
    kind: ObservationKind = ObservationKind.NOTE
    concepts: Sequence[str] = ()


def state_of(observation: Observation) -> str:
    """A mark of kind, concepts and text as they are now: an edit that was begun on another state is refused."""
    about = sorted(concept.pk for concept in observation.concepts.all())
    return hash_of(f"{observation.kind}\n{about}\n{observation.body}")


def turn_at(project: Project, at: datetime) -> Turn | None:
    """The turn that something written at `at` belongs to: the project's last one that had begun by then, or None."""
    begun = Turn.objects.filter(session__project=project, started_at__lte=at)
    return begun.order_by("-started_at", "-session", "-number").first()


def add(*, project: Project, said: Said, by: User, channel: Channel, at: datetime) -> Observation:
    """A new observation, in the project's last turn, with its lineage. Raises `ObservationRefused`."""
    permissions.check_can_curate(by, project.workspace_id)
    body = _checked(said.body)
    with transaction.atomic():
        row = Observation.objects.create(
            project=project, kind=said.kind, body=body, turn=turn_at(project, at), created_at=at, created_by=by
        )
        about, made = naming.named(workspace_id=project.workspace_id, names=said.concepts, at=at)
        row.concepts.set(about)
        observation_lineage.write_versions(workspace_id=project.workspace_id, observations=[row], at=at)
        changes.record(
            workspace_id=project.workspace_id,
            kind=ADD_KIND,
            actor=by,
            channel=channel,
            note=row.body[:_NOTE_LENGTH],
            at=at,
            changes=[*made, ChangeFacts(OBSERVATION, row.pk, before={}, after=facts_of(row))],
        )
    return row


def edit(
    *, observation: Observation, said: Said, seen: str = "", by: User, channel: Channel, at: datetime
) -> Observation:
    """Gives an observation another text, kind or concepts; nothing is written where nothing changed.

    `seen` is `state_of` what the person had before them, '' for who has seen nothing. Raises `ObservationRefused`,
    `EditedMeanwhile`. Another text is a new version in lineage; the old DOI field is never written.
    """
    workspace_id = observation.project.workspace_id
    permissions.check_can_curate(by, workspace_id)
    body = _checked(said.body)
    with transaction.atomic():
        row = locked(observation.pk)
        if seen and seen != state_of(row):
            raise EditedMeanwhile("Somebody changed this observation meanwhile. Look at it again, then change it.")
        before = facts_of(row)
        about, made = naming.named(workspace_id=workspace_id, names=said.concepts, at=at)
        is_new_text = (row.body, row.kind) != (body, said.kind)
        row.body, row.kind = body, said.kind.value
        if facts_of(row, concepts=[one.pk for one in about]) == before:
            return row
        row.save(update_fields=["body", "kind"])
        row.concepts.set(about)
        if is_new_text:
            observation_lineage.write_versions(workspace_id=workspace_id, observations=[row], at=at)
        changes.record(
            workspace_id=workspace_id,
            kind=EDIT_KIND,
            actor=by,
            channel=channel,
            note=row.body[:_NOTE_LENGTH],
            at=at,
            changes=[*made, ChangeFacts(OBSERVATION, row.pk, before=before, after=facts_of(row))],
        )
    return row


def delete(*, observation: Observation, by: User, channel: Channel, at: datetime) -> None:
    """Deletes an observation and its links, which frees their sources. Its lineage is tombstoned, never deleted.

    Raises `ObservationRefused` where a legal hold stands on it.
    """
    workspace_id = observation.project.workspace_id
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        row = locked(observation.pk)
        facts = [ChangeFacts(OBSERVATION, row.pk, before=facts_of(row), after={})]
        facts += [ChangeFacts(LINK, link.pk, link_facts(link), {}) for link in row.source_links.order_by("pk")]
        if row.entity_id is not None:
            try:
                capture.tombstone(entity_ids=[row.entity_id], why="The observation was deleted.", by=by, at=at)
            except OnHold as held:
                raise ObservationRefused(str(held)) from None
        row.delete()
        changes.record(
            workspace_id=workspace_id,
            kind=DELETE_KIND,
            actor=by,
            channel=channel,
            note=observation.body[:_NOTE_LENGTH],
            at=at,
            changes=facts,
        )


def locked(pk: int) -> Observation:
    """The row for an edit, with project and entity, locked until the transaction ends. Raises Http404 where somebody
    deleted it at this moment."""
    rows = Observation.objects.select_for_update(of=("self",), no_key=True).select_related("project", "entity")
    row = rows.filter(pk=pk).first()
    if row is None:
        raise Http404
    return row


def facts_of(observation: Observation, *, concepts: Sequence[int] | None = None) -> dict[str, object]:
    """The row as history keeps it, with all that bringing it back needs. `concepts` are keys, by default the row's."""
    about = observation.concepts.values_list("pk", flat=True) if concepts is None else concepts
    return {
        "uuid": str(observation.uuid),
        "project": observation.project_id,
        "kind": str(observation.kind),
        "body": observation.body,
        "source_doi": observation.source_doi,
        "concepts": sorted(about),
        "turn": observation.turn_id,
        "origin_host": observation.origin_host,
        "created_at": observation.created_at,
        "created_by": observation.created_by_id,
        "entity": observation.entity_id,
    }


def link_facts(link: ObservationSource) -> dict[str, object]:
    """A link as history keeps it."""
    return {
        "observation": link.observation_id,
        "source": link.source_id,
        "relationship": str(link.relationship),
        "created_at": link.created_at,
    }


def _checked(body: str) -> str:
    text = body.replace("\r\n", "\n").strip()
    if not text:
        raise ObservationRefused("Write what was observed: an observation says something.")
    if len(text) > MAX_BODY:
        raise ObservationRefused(f"An observation has at most {MAX_BODY:,} characters; this has {len(text):,}.")
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ObservationRefused("The text holds characters that cannot be kept (NUL, half surrogates). Type it anew.")
    return without_credentials(text)
