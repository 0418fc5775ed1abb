"""Removing: what is left of a node whose object went, what must not go, and what became of all that rested on it.

Removal starts with the durable object, in the registry; here the graph follows. A node is never deleted: its tombstone
says what it was, when it went, by whom and why. Its metadata can be erased, down to the key of its ref, by which the
same ref is still known.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from lineage import access
from lineage.core.refs import Ref
from lineage.models import Claim, Entity, LegalHold, Tombstone
from lineage.queries.key_sets import among
from lineage.services import in_turn, mentions, states
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts

HOLD_KIND = "lineage.hold"
RELEASE_KIND = "lineage.release-hold"
DEIDENTIFY_KIND = "lineage.deidentify"
_ENTITY = Entity._meta.label_lower
# What stands in an erased node where a version must be.
ERASED = "erased"


class OnHold(ValueError):
    """A legal hold forbids it; the message names the hold. `hold` is the row."""

    def __init__(self, hold: LegalHold) -> None:
        super().__init__(
            f"“{hold.entity.ref}” is under a legal hold since {hold.at:%Y-%m-%d}: {hold.reason} "
            "It cannot be removed before an admin releases the hold."
        )
        self.hold = hold


class NoHold(ValueError):
    """The hold cannot be set or released so; the message says why."""


def hold(*, workspace_id: int, ref: Ref | str, reason: str, by: User, channel: Channel, at: datetime) -> ChangeSet:
    """Forbids removing and de-identifying a node until `release`; one ChangeSet. An admin may, who reads the node.

    Raises `NoHold` without a reason and where a hold stands, `NoSuchEntity` for what the person may not read.
    """
    check_role(by, workspace_id, Role.ADMIN)
    if not reason.strip():
        raise NoHold("Say what the hold is for: whoever wants to remove the node is told.")
    with transaction.atomic():
        entity = access.entity_read_by(by, workspace_id=workspace_id, ref=ref)
        # Whoever removes it at this moment is through before, or meets the hold.
        in_turn.hold([entity.pk])
        if entity.holds.filter(released_at__isnull=True).exists():
            raise NoHold("A hold stands on it already.")
        LegalHold.objects.create(entity=entity, reason=reason.strip(), by=by, at=at)
        facts = [ChangeFacts(_ENTITY, entity.pk, before={"held": False}, after={"held": True})]
        return _recorded(workspace_id, HOLD_KIND, note=reason.strip(), by=by, channel=channel, at=at, facts=facts)


def release(*, workspace_id: int, ref: Ref | str, reason: str, by: User, channel: Channel, at: datetime) -> ChangeSet:
    """Ends the hold on a node; one ChangeSet. An admin may. Raises `NoHold` where none stands, `NoSuchEntity`."""
    check_role(by, workspace_id, Role.ADMIN)
    with transaction.atomic():
        entity = access.entity_read_by(by, workspace_id=workspace_id, ref=ref)
        if not entity.holds.filter(released_at__isnull=True).update(released_at=at):
            raise NoHold("No hold stands on it.")
        facts = [ChangeFacts(_ENTITY, entity.pk, before={"held": True}, after={"held": False})]
        return _recorded(workspace_id, RELEASE_KIND, note=reason.strip(), by=by, channel=channel, at=at, facts=facts)


def check_not_held(*, entity_ids: Iterable[int]) -> None:
    """Raises `OnHold`, with the oldest hold, where one stands on any of these nodes."""
    standing = LegalHold.objects.filter(entity__in=among(entity_ids), released_at__isnull=True)
    found = standing.select_related("entity").order_by("at", "pk").first()
    if found is not None:
        raise OnHold(found)


def held(*, entity_ids: Iterable[int]) -> frozenset[int]:
    """Those of these nodes on which a hold stands."""
    standing = LegalHold.objects.filter(entity__in=among(entity_ids), released_at__isnull=True)
    return frozenset(standing.values_list("entity_id", flat=True))


def bury(*, entity_ids: Iterable[int], why: str, by: User | None, at: datetime) -> int:
    """Tombstones nodes whose object was removed, in the transaction of that; gives how many were not until now.

    The rows are held first, so that no legal hold comes between the look for one and the tombstones. `by` is None for
    the desk itself. Idempotent: the first tombstone stands. Raises `OnHold`, and marks none then.
    """
    wanted = sorted(set(entity_ids))
    if not wanted:
        return 0
    in_turn.hold(wanted)
    check_not_held(entity_ids=wanted)
    going = list(Entity.objects.filter(pk__in=among(wanted), tombstoned_at__isnull=True).order_by("pk"))
    Tombstone.objects.bulk_create(
        [
            Tombstone(entity=one, ref=one.ref, type=one.type, content_hash=one.content_hash, why=why, by=by, at=at)
            for one in going
        ],
        ignore_conflicts=True,
    )
    return states.tombstone(entity_ids=[one.pk for one in going], at=at)


def bring_back(*, entity_ids: Iterable[int]) -> int:
    """Takes tombstones and succession back for objects that are there again; gives how many nodes that were.

    What was erased stays tombstoned: nothing is left that could stand again. Idempotent.
    """
    asked = set(entity_ids)
    gone = Entity.objects.filter(Q(tombstoned_at__isnull=False) | Q(superseded_at__isnull=False), pk__in=among(asked))
    if not gone.exists():
        return 0
    # Held before they are looked at: one that is erased at this moment stays tombstoned.
    in_turn.hold(asked)
    wanted = set(gone.values_list("pk", flat=True))
    stones = Tombstone.objects.filter(entity__in=among(wanted))
    erased = set(stones.filter(is_erased=True).values_list("entity_id", flat=True))
    stones.filter(is_erased=False).delete()
    return states.stand_again(entity_ids=wanted - erased)


def erase(*, entity_ids: Iterable[int], why: str, by: User | None, at: datetime) -> int:
    """Tombstones nodes and erases what they say: ref, version, hash, metadata, owner, text of a claim, and their
    mention in events that were kept. Edges and the key of the ref stay. Gives how many were not erased until now.

    Nothing brings them back. Idempotent. Raises `OnHold`, and erases none then.
    """
    wanted = sorted(set(entity_ids))
    bury(entity_ids=wanted, why=why, by=by, at=at)
    rows = list(Entity.objects.filter(pk__in=among(wanted)).exclude(ref=""))
    for workspace_id in {row.workspace_id for row in rows}:
        mentions.erase(workspace_id=workspace_id, refs=[row.ref for row in rows if row.workspace_id == workspace_id])
    keys = [row.pk for row in rows]
    Claim.objects.filter(entity__in=among(keys)).update(text="")
    Tombstone.objects.filter(entity__in=among(keys)).update(ref="", content_hash="", is_erased=True)
    return Entity.objects.filter(pk__in=among(keys)).update(
        ref="", logical_id="", version=ERASED, pin="pinned", content_hash="", metadata={}, owner=None
    )


def deidentify(
    *, workspace_id: int, ref: Ref | str, reason: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Takes from a node what may name a person: its owner, its metadata, the text of a claim, and all that the events
    which told of it hold. It stays what it is, under its ref. One ChangeSet, which cannot be undone: what was taken is
    kept nowhere.

    An admin may, who reads the node. Raises `OnHold`, and `NoSuchEntity` for what the person may not read.
    """
    check_role(by, workspace_id, Role.ADMIN)
    with transaction.atomic():
        entity = access.entity_read_by(by, workspace_id=workspace_id, ref=ref)
        in_turn.hold([entity.pk])
        check_not_held(entity_ids=[entity.pk])
        taken = [name for name, had in (("owner", entity.owner_id), ("metadata", entity.metadata)) if had]
        if Claim.objects.filter(entity=entity).exclude(text="").update(text=""):
            taken.append("text")
        if mentions.empty(workspace_id=workspace_id, refs=[entity.ref]):
            taken.append("events")
        entity.owner, entity.metadata = None, {}
        entity.save(update_fields=["owner", "metadata"])
        facts = [ChangeFacts(_ENTITY, entity.pk, before={"had": taken}, after={"had": []})]
        return _recorded(workspace_id, DEIDENTIFY_KIND, note=reason.strip(), by=by, channel=channel, at=at, facts=facts)


def _recorded(
    workspace_id: int, kind: str, *, note: str, by: User, channel: Channel, at: datetime, facts: list[ChangeFacts]
) -> ChangeSet:
    return changes.record(
        workspace_id=workspace_id, kind=kind, actor=by, channel=channel, note=note, at=at, changes=facts
    )
