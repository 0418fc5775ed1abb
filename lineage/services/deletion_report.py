"""What became of all that rested on something that was removed, as far as the asker may see."""

from collections import Counter
from collections.abc import Collection, Mapping

from lineage import access
from lineage.core.asking import Asker
from lineage.core.deletion import DeletionReport, Descendant, Fate, Gone
from lineage.core.pairs import MEANS
from lineage.core.relations import EntityType
from lineage.models import Edge, Entity, LegalHold, Tombstone
from lineage.queries import walks
from lineage.queries.key_sets import among
from provenance_site.kit.text import counted


def report(*, entity_ids: Collection[int], asker: Asker) -> DeletionReport:
    """The tombstones of these nodes and the fate of every node that rested on one of them, now; by type, then ref.

    Computed from the graph each time, so it is as true later as on the day. Nodes that the asker may not read are not
    in it, and neither is what rests on removed nodes only through them. Eight statements, whatever the number.
    """
    gone = list(
        Tombstone.objects.filter(entity__in=access.visible(asker).filter(pk__in=among(entity_ids)))
        .select_related("entity", "by")
        .order_by("type", "ref", "entity")
    )
    starts = [stone.entity_id for stone in gone]
    reached = walks.descendant_ids(starts=starts, asker=asker) if starts else []
    rows = access.visible(asker).filter(pk__in=among(reached)).order_by("type", "ref", "pk")
    held = _holds(reached)
    others = _standing_inputs(reached, asker=asker)
    return DeletionReport(
        gone=tuple(_told(stone) for stone in gone),
        descendants=tuple(_descendant(one, held=held, others=others) for one in rows if one.pk not in set(starts)),
    )


def _told(stone: Tombstone) -> Gone:
    return Gone(
        ref=stone.ref,
        ref_key=stone.entity.ref_key,
        type=EntityType(stone.type),
        content_hash=stone.content_hash,
        at=stone.at,
        by=stone.by.get_username() if stone.by else "",
        why=stone.why,
        is_erased=stone.is_erased,
    )


def _descendant(entity: Entity, *, held: Mapping[int, str], others: Mapping[int, int]) -> Descendant:
    kind = entity.as_type
    if entity.pk in held:
        return Descendant(entity.ref, kind, Fate.HELD, held[entity.pk])
    if entity.tombstoned_at is not None:
        return Descendant(entity.ref, kind, Fate.REMOVED)
    if number := others.get(entity.pk, 0):
        return Descendant(entity.ref, kind, Fate.SUPPORTED, f"Rests on {counted(number, 'other thing')}.")
    return Descendant(entity.ref, kind, Fate.UNSUPPORTED)


def _holds(entity_ids: Collection[int]) -> dict[int, str]:
    rows = LegalHold.objects.filter(entity__in=among(entity_ids), released_at__isnull=True)
    return dict(rows.values_list("entity_id", "reason"))


def _standing_inputs(entity_ids: Collection[int], *, asker: Asker) -> Counter[int]:
    """Of each of these nodes how many of the things that it rests on directly stand by themselves: they are neither
    removed nor themselves among these nodes. Means (a model, a run) are no ground to stand on."""
    among_these = set(entity_ids)
    edges = Edge.objects.filter(
        from_entity__in=among(entity_ids),
        is_dependence=True,
        to_entity__tombstoned_at__isnull=True,
        to_entity__is_placeholder=False,
        to_entity__level__lte=asker.level,
    ).exclude(to_entity__type__in=MEANS)
    found = edges.values_list("from_entity_id", "to_entity_id").distinct()
    return Counter(dependent for dependent, rests_on in found.iterator() if rests_on not in among_these)
