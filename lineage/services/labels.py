"""Labels: the level of a node is the most restrictive of its own declared one and of all that it rests on.

Levels move with what they follow from, in the same transaction, however many nodes rest on it. Only a declassification
lowers a node below what it inherits; what rests on that node then inherits the lowered level.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from lineage import access
from lineage.core.asking import system
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Label
from lineage.models import Declassification, Entity
from lineage.queries import levels, walks
from lineage.queries.key_sets import among
from lineage.services.in_turn import hold, wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone

CHANGE_KIND = "lineage.declassify"
REVOKE_KIND = "lineage.reclassify"
_ENTITY = Entity._meta.label_lower


class NotLowered(ValueError):
    """The node cannot be lowered so; the message says why and the way out."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What is said of a node itself: its label, and how much it is worth ('' where nothing is said)."""

    label: Label
    authority: str = ""


def declare(*, workspace_id: int, declared: Mapping[int, Declared]) -> int:
    """Writes what is declared of nodes, by their keys, and settles them and all that rests on them, in one transaction.

    Gives how many nodes are on another level now. A node never goes below what it inherits, whatever is declared. Nodes
    of other workspaces are left alone. Idempotent; who declared it is the history of whoever calls.
    """
    with transaction.atomic():
        rows = Entity.objects.filter(workspace_id=workspace_id, pk__in=among(declared))
        known = {
            pk: (label, authority) for pk, label, authority in rows.values_list("pk", "classification", "authority")
        }
        relabelled: dict[Label, list[int]] = defaultdict(list)
        revalued: dict[str, list[int]] = defaultdict(list)
        for pk, (label, authority) in known.items():
            if declared[pk].label != label:
                relabelled[declared[pk].label].append(pk)
            if declared[pk].authority not in {"", authority}:
                revalued[declared[pk].authority].append(pk)
        if not relabelled and not revalued:
            return 0
        wait_for_turn(workspace_id=workspace_id)
        moving = [pk for keys in relabelled.values() for pk in keys]
        revaluing = [pk for keys in revalued.values() for pk in keys]
        hold([*revaluing, *with_dependents(workspace_id=workspace_id, entity_ids=moving)])
        for authority, keys in revalued.items():
            Entity.objects.filter(pk__in=among(keys)).update(authority=authority)
        for label, keys in relabelled.items():
            Entity.objects.filter(pk__in=among(keys)).update(classification=label)
        return settle(workspace_id=workspace_id, entity_ids=moving)


def with_dependents(*, workspace_id: int, entity_ids: Iterable[int]) -> list[int]:
    """These nodes and all that rests on them: the rows that a change of the first may change, to be held at once."""
    starts = sorted(set(entity_ids))
    return [*starts, *walks.descendant_ids(starts=starts, asker=system(workspace_id))]


def settle(*, workspace_id: int, entity_ids: Iterable[int]) -> int:
    """Computes the levels of these nodes and of all that rests on them anew; gives how many moved.

    For who changed what levels follow from: declared labels, edges, declassifications. Must run in that transaction.
    Seven statements at most, and one for each level that nodes move to; the same again only where something came to
    rest on the moved ones meanwhile. Linear in the nodes and their edges, rings too. Idempotent.
    """
    starts = sorted(set(entity_ids))
    if not starts:
        return 0
    wait_for_turn(workspace_id=workspace_id)
    moved_in_all = 0
    asker = system(workspace_id)
    while starts:
        reached = [*starts, *walks.descendant_ids(starts=starts, asker=asker)]
        now, then = _levels_of(reached)
        moved: dict[int, list[int]] = defaultdict(list)
        for pk, level in then.items():
            if now[pk] != level:
                moved[level].append(pk)
        changed = [pk for keys in moved.values() for pk in keys]
        hold(changed)
        for level, keys in moved.items():
            Entity.objects.filter(pk__in=among(keys)).update(level=level)
        moved_in_all += len(changed)
        # An edge that another transaction wrote during our walk is seen now: its writer held rows we waited for.
        starts = sorted(levels.dependents(changed) - set(reached)) if changed else []
    return moved_in_all


def declassify(
    *, workspace_id: int, ref: Ref | str, to: Label, reason: str, by: User, channel: Channel, at: datetime
) -> ChangeSet:
    """Lowers a node to `to` whatever it rests on, and with it what rests on it; one ChangeSet that can be undone.

    An admin may, who reads the node itself. Its own declared label goes down with it, except a source's, which the
    registry declares. Raises `NotLowered` without a reason, for a label that is not lower, for a source declared higher
    itself, and where a declassification stands; `NoSuchEntity` for what the person may not read.
    """
    check_role(by, workspace_id, Role.ADMIN)
    if not reason.strip():
        raise NotLowered("Say why this may be read by more people: the reason is kept.")
    with transaction.atomic():
        wait_for_turn(workspace_id=workspace_id)
        entity = access.entity_read_by(by, workspace_id=workspace_id, ref=ref)
        if to.level >= entity.level:
            raise NotLowered(f"It is {entity.label} now, and {to} is not lower. Choose a lower label.")
        if entity.as_type is EntityType.SOURCE and Label(entity.classification).level > to.level:
            raise NotLowered(
                f"The source itself is declared {entity.classification}. Change its classification in the registry."
            )
        if entity.declassifications.filter(revoked_at__isnull=True).exists():
            raise NotLowered("It is declassified already. Revoke that first; then lower it anew.")
        hold(with_dependents(workspace_id=workspace_id, entity_ids=[entity.pk]))
        before = _facts(entity)
        row = Declassification.objects.create(
            entity=entity, from_label=entity.label, to_label=to, reason=reason.strip(), by=by, at=at
        )
        if Label(entity.classification).level > to.level:
            entity.classification = to
            entity.save(update_fields=["classification"])
        after = _resettled(entity) | {"declassification": row.pk}
        facts = [ChangeFacts(_ENTITY, entity.pk, before=before, after=after)]
        return changes.record(
            workspace_id=workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note=reason.strip(),
            at=at,
            changes=facts,
        )


def revoke(*, workspace_id: int, ref: Ref | str, reason: str, by: User, channel: Channel, at: datetime) -> ChangeSet:
    """Ends a declassification: the node and what rests on it follow their inputs again. One ChangeSet.

    An admin may. Raises `NotLowered` where none stands, `NoSuchEntity` for what the person may not read.
    """
    check_role(by, workspace_id, Role.ADMIN)
    with transaction.atomic():
        wait_for_turn(workspace_id=workspace_id)
        entity = access.entity_read_by(by, workspace_id=workspace_id, ref=ref)
        before = _facts(entity)
        if not entity.declassifications.filter(revoked_at__isnull=True).update(revoked_at=at):
            raise NotLowered("It is not declassified: its label follows from what it rests on.")
        facts = [ChangeFacts(_ENTITY, entity.pk, before=before, after=_resettled(entity))]
        return changes.record(
            workspace_id=workspace_id,
            kind=REVOKE_KIND,
            actor=by,
            channel=channel,
            note=reason.strip(),
            at=at,
            changes=facts,
        )


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes a declassification back where it still stands, with the declared label of before. Registered for
    `lineage.declassify`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        workspace_id = change.change_set.workspace_id
        check_role(by, workspace_id, Role.ADMIN)
        wait_for_turn(workspace_id=workspace_id)
        entity = Entity.objects.filter(workspace_id=workspace_id, pk=change.object_id).first()
        row = Declassification.objects.filter(pk=change.after["declassification"], revoked_at__isnull=True)
        if entity is None or not row.update(revoked_at=at):
            skipped.append("It was revoked or lowered anew since")
            continue
        hold(with_dependents(workspace_id=workspace_id, entity_ids=[entity.pk]))
        before = _facts(entity)
        if entity.classification == change.after["classification"]:
            entity.classification = change.before["classification"]
            entity.save(update_fields=["classification"])
        undone.append(ChangeFacts(_ENTITY, entity.pk, before=before, after=_resettled(entity)))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _resettled(entity: Entity) -> dict[str, object]:
    settle(workspace_id=entity.workspace_id, entity_ids=[entity.pk])
    entity.refresh_from_db()
    return _facts(entity)


def _facts(entity: Entity) -> dict[str, object]:
    return {"classification": entity.classification, "level": entity.label}


def _levels_of(reached: Iterable[int]) -> tuple[dict[int, int], dict[int, int]]:
    """The levels of these nodes as they are, and as they follow from what is declared and from their inputs.

    From the strictest level down, each level flows along the edges as far as nothing stricter was before it: every node
    and edge is looked at once. A declassified node takes nothing from its inputs.
    """
    own = levels.own_levels(reached)
    lowered = levels.lowered(reached)
    floor = {pk: max(declared, lowered.get(pk, 0)) for pk, (declared, _) in own.items()}
    dependents: dict[int, list[int]] = defaultdict(list)
    for dependent, rests_on, level in levels.inputs(reached):
        if dependent in lowered:
            continue
        if rests_on in own:
            dependents[rests_on].append(dependent)
        else:
            floor[dependent] = max(floor[dependent], level)
    by_floor: dict[int, list[int]] = defaultdict(list)
    for pk, level in floor.items():
        by_floor[level].append(pk)
    settled: dict[int, int] = {}
    for level in sorted(by_floor, reverse=True):
        waiting = by_floor[level]
        while waiting:
            pk = waiting.pop()
            if pk not in settled:
                settled[pk] = level
                waiting += dependents[pk]
    return {pk: level for pk, (_, level) in own.items()}, settled
