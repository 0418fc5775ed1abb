"""What the levels of nodes follow from: declared labels, edges and declassifications; and where they do not follow."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Case, F, Max, PositiveSmallIntegerField, Q, Value, When
from django.db.models.functions import Coalesce, Greatest

from lineage.core.relations import Label
from lineage.models import Declassification, Edge, Entity
from lineage.queries.key_sets import among

LEVELS = {label.value: label.level for label in Label}


@dataclass(frozen=True, slots=True)
class WrongLevel:
    """A node whose level does not follow from what it rests on; `level` < `expected` shows it to whom it must not."""

    entity_id: int
    ref: str
    type: str
    level: int
    expected: int


def own_levels(entity_ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Of each of these nodes the level of its declared label, and the level that it has now."""
    rows = Entity.objects.filter(pk__in=among(entity_ids)).values_list("pk", "classification", "level")
    return {pk: (LEVELS[declared], level) for pk, declared, level in rows}


def lowered(entity_ids: Iterable[int]) -> dict[int, int]:
    """Of those of these nodes that are declassified: down to which level."""
    rows = Declassification.objects.filter(entity__in=among(entity_ids), revoked_at__isnull=True)
    return {pk: LEVELS[label] for pk, label in rows.values_list("entity_id", "to_label")}


def inputs(entity_ids: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """(dependent, what it rests on, the level of that) for each dependence of these nodes; no order."""
    rows = Edge.objects.filter(from_entity__in=among(entity_ids), is_dependence=True)
    return rows.values_list("from_entity_id", "to_entity_id", "to_entity__level").iterator()


def dependents(entity_ids: Iterable[int]) -> set[int]:
    """What rests directly on any of these nodes."""
    rows = Edge.objects.filter(to_entity__in=among(entity_ids), is_dependence=True)
    return set(rows.values_list("from_entity_id", flat=True))


def wrong_levels(*, workspace_id: int) -> list[WrongLevel]:
    """The nodes of a workspace whose level is not the most restrictive of their own and their inputs', by key.

    Compared node by node with what each rests on directly: where all of these agree, all of the graph does. Reads the
    whole workspace. A declassification explains a lower level down to its own label.
    """
    own = Case(
        *[When(classification=name, then=Value(level)) for name, level in LEVELS.items()],
        output_field=PositiveSmallIntegerField(),
    )
    inherited = Max("edges_out__to_entity__level", filter=Q(edges_out__is_dependence=True))
    rows = (
        Entity.objects.filter(workspace_id=workspace_id)
        .annotate(own=own, inherited=Coalesce(inherited, 0))
        .annotate(expected=Greatest("own", "inherited"))
    )
    lowered_here = {
        pk: LEVELS[label]
        for pk, label in Declassification.objects.filter(
            entity__workspace_id=workspace_id, revoked_at__isnull=True
        ).values_list("entity_id", "to_label")
    }
    suspect = rows.filter(Q(pk__in=among(lowered_here)) | ~Q(level=F("expected"))).order_by("pk")
    found: list[WrongLevel] = []
    for pk, ref, kind, level, own_level, expected in suspect.values_list(
        "pk", "ref", "type", "level", "own", "expected"
    ):
        right = max(own_level, lowered_here[pk]) if pk in lowered_here else expected
        if level != right:
            found.append(WrongLevel(pk, ref, kind, level, right))
    return found
