"""Concepts: made by name where people use them, described, and linked to observations and projects."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.http import Http404

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.core.chunking import hash_of
from sources.core.credentials import without_credentials
from sources.core.lines import one_line
from sources.models import Concept, Observation, Project

EDIT_KIND = "concept.edit"
DELETE_KIND = "concept.delete"
MAX_NAME = 500
_CONCEPT = Concept._meta.label_lower
_EDITED = ("name", "description", "identifier_type", "identifier_value")


class ConceptRefused(ValueError):
    """A concept cannot be kept so; the message says why. `field` is the field it is about."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class ConceptChanged(ValueError):
    """Somebody described the concept anew after the person saw it; nothing was written."""


@dataclass(frozen=True, slots=True)
class Described:
    """What people say of a concept. The identifier pair is free text (`orcid`, `ror`, `fundref`, `doi`)."""

    name: str
    description: str = ""
    identifier_type: str = ""
    identifier_value: str = ""


def names_in(text: str) -> list[str]:
    """The names in a text that parts them by commas or line ends, each once, in their order."""
    names = (one_line(name) for line in text.splitlines() for name in line.split(","))
    return list(dict.fromkeys(name for name in names if name))


def named(*, workspace_id: int, names: Sequence[str], at: datetime) -> tuple[list[Concept], list[ChangeFacts]]:
    """The workspace's concepts of these names, made where there are none, and what was made, for the caller's deed.

    Names count as they are written, case included. Raises `ConceptRefused` for one that is too long.
    """
    wanted = list(dict.fromkeys(one_line(name) for name in names if one_line(name)))
    for name in wanted:
        if len(name) > MAX_NAME:
            raise ConceptRefused(
                f"A concept's name has at most {MAX_NAME} characters. Shorten “{name[:40]}…”.", field="concepts"
            )
    known = set(Concept.objects.filter(workspace_id=workspace_id, name__in=wanted).values_list("name", flat=True))
    missing = [name for name in wanted if name not in known]
    Concept.objects.bulk_create(
        [Concept(workspace_id=workspace_id, name=name, created_at=at) for name in missing], ignore_conflicts=True
    )
    found = {one.name: one for one in Concept.objects.filter(workspace_id=workspace_id, name__in=wanted)}
    made = [ChangeFacts(_CONCEPT, found[name].pk, before={}, after=_facts(found[name])) for name in missing]
    return [found[name] for name in wanted], made


def state_of(concept: Concept) -> str:
    """A mark of what the concept says now: an edit that was begun on another state is refused."""
    return hash_of("\n".join(str(value) for value in _facts(concept).values()))


def edit(*, concept: Concept, given: Described, by: User, channel: Channel, at: datetime, seen: str = "") -> Concept:
    """Describes a concept anew, in one ChangeSet; nothing is written where nothing changed.

    `seen` is `state_of` what the person had before them, '' for who has seen nothing. Raises `ConceptRefused` and
    `ConceptChanged`.
    """
    permissions.check_can_curate(by, concept.workspace_id)
    wanted = _checked(given)
    with transaction.atomic():
        row = _locked(concept.pk)
        if seen and seen != state_of(row):
            raise ConceptChanged("Somebody described this concept anew meanwhile. Look at it again, then change it.")
        before = _facts(row)
        for field in _EDITED:
            setattr(row, field, getattr(wanted, field))
        if _facts(row) == before:
            return row
        try:
            with transaction.atomic():
                row.save(update_fields=list(_EDITED))
        except IntegrityError:
            raise ConceptRefused(
                f"There is a concept called “{wanted.name}” already. Open it, or choose another name.", field="name"
            ) from None
        changes.record(
            workspace_id=row.workspace_id,
            kind=EDIT_KIND,
            actor=by,
            channel=channel,
            note=row.name,
            at=at,
            changes=[ChangeFacts(_CONCEPT, row.pk, before=before, after=_facts(row))],
        )
    return row


def delete(*, concept: Concept, by: User, channel: Channel, at: datetime) -> None:
    """Deletes a concept with its links, in one ChangeSet that can be undone. Observations and projects stay."""
    permissions.check_can_curate(by, concept.workspace_id)
    with transaction.atomic():
        row = _locked(concept.pk)
        kept = {
            **_facts(row),
            "uuid": row.uuid,
            "origin_host": row.origin_host,
            "created_at": row.created_at,
            "observations": list(row.observations.order_by("pk").values_list("pk", flat=True)),
            "projects": list(row.projects.order_by("pk").values_list("pk", flat=True)),
        }
        fact = ChangeFacts(_CONCEPT, row.pk, before=kept, after={})
        row.delete()
        changes.record(
            workspace_id=concept.workspace_id,
            kind=DELETE_KIND,
            actor=by,
            channel=channel,
            note=concept.name,
            at=at,
            changes=[fact],
        )


def _locked(pk: int) -> Concept:
    """Raises Http404 where somebody deleted it at this moment."""
    row = Concept.objects.select_for_update(no_key=True).filter(pk=pk).first()
    if row is None:
        raise Http404
    return row


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes back an edit or a deletion where nobody changed it since. Registered for both kinds."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        permissions.check_can_curate(by, change.change_set.workspace_id)
        result = _undo_one(change)
        (skipped if isinstance(result, str) else undone).append(result)  # type: ignore[arg-type]
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def remove_unused(*, made: Iterable[Change]) -> list[ChangeFacts]:
    """Deletes concepts that a deed made by the way and that nothing uses or describes by now; gives what went."""
    gone: list[ChangeFacts] = []
    for change in made:
        unused = Concept.objects.filter(
            pk=change.object_id, name=change.after["name"], description="", identifier_value=""
        ).filter(observations__isnull=True, projects__isnull=True)
        if unused.exists():
            Concept.objects.filter(pk=change.object_id).delete()
            gone.append(ChangeFacts(_CONCEPT, change.object_id, before=change.after, after={}))
    return gone


def _undo_one(change: Change) -> ChangeFacts | str:
    workspace_id, name = change.change_set.workspace_id, str(change.before["name"])
    row = Concept.objects.select_for_update(no_key=True).filter(pk=change.object_id, workspace_id=workspace_id).first()
    before = _facts(row) if row else {}
    if before != change.after:
        return f"The concept “{name}” was changed since"
    if Concept.objects.filter(workspace_id=workspace_id, name=name).exclude(pk=change.object_id).exists():
        return f"Another concept is called “{name}” now"
    if row is not None:
        for field in _EDITED:
            setattr(row, field, change.before[field])
        row.save(update_fields=list(_EDITED))
        return ChangeFacts(_CONCEPT, row.pk, before=before, after=_facts(row))
    kept = change.before
    row = Concept(
        pk=change.object_id,
        uuid=kept["uuid"],
        workspace_id=workspace_id,
        origin_host=kept["origin_host"],
        created_at=kept["created_at"],
        **{field: kept[field] for field in _EDITED},
    )
    row.save(force_insert=True)
    row.observations.set(Observation.objects.filter(pk__in=kept["observations"], project__workspace_id=workspace_id))
    row.projects.set(Project.objects.filter(pk__in=kept["projects"], workspace_id=workspace_id))
    return ChangeFacts(_CONCEPT, row.pk, before={}, after=_facts(row))


def _checked(given: Described) -> Described:
    name = one_line(given.name)
    if not 0 < len(name) <= MAX_NAME:
        raise ConceptRefused(f"A concept's name has 1 to {MAX_NAME} characters; this has {len(name)}.", field="name")
    kind, value = one_line(given.identifier_type).lower(), one_line(given.identifier_value)
    if bool(kind) != bool(value):
        missing = "identifier_value" if kind else "identifier_type"
        raise ConceptRefused("An identifier has a type and a value: fill in both, or none.", field=missing)
    return Described(name, without_credentials(given.description.strip()), kind[:30], value[:500])


def _facts(concept: Concept) -> dict[str, object]:
    return {field: getattr(concept, field) for field in _EDITED}
