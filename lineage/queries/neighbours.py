"""How much stands next to a node: exact, also where a picture of it is cut."""

from django.db.models import Count

from lineage import access
from lineage.core.asking import Asker
from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity
from lineage.queries.walks import Direction

_MOST_VERSIONS = 20


def beside(*, entity: Entity, direction: Direction, asker: Asker) -> dict[EntityType, int]:
    """How many nodes of each type the node rests on directly, or that rest on it directly. One statement."""
    near, far = ("from_entity", "to_entity") if direction is Direction.UP else ("to_entity", "from_entity")
    rows = access.readable_edges(asker).filter(**{near: entity, "is_dependence": True, f"{far}__is_placeholder": False})
    counted = rows.order_by().values_list(f"{far}__type").annotate(number=Count(far, distinct=True))
    return {EntityType(kind): number for kind, number in counted}


def versions_beside(*, entity: Entity, asker: Asker) -> tuple[list[Entity], list[Entity]]:
    """The newest versions that this one took the place of, and the newest that took its place. Two statements."""
    edges = Edge.objects.filter(relation=Relation.SUPERSEDES)
    visible = access.visible(asker).order_by("-pk")
    before = visible.filter(pk__in=edges.filter(from_entity=entity).values("to_entity"))
    after = visible.filter(pk__in=edges.filter(to_entity=entity).values("from_entity"))
    return list(before[:_MOST_VERSIONS]), list(after[:_MOST_VERSIONS])
