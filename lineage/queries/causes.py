"""Causes as a person may know of them."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage import access
from lineage.core.asking import Asker
from lineage.models import Cause, Entity, Impact


def visible_causes(asker: Asker) -> QuerySet[Cause]:
    """The causes whose node the asker may see; of transforms those that reach something they may see."""
    reached = Impact.objects.filter(access.visible_at(asker, "entity_id"), cause=OuterRef("pk"))
    known = access.visible_at(asker, "entity_id") | Q(entity__isnull=True) & Exists(reached)
    return Cause.objects.filter(known, workspace_id=asker.workspace_id).select_related("entity", "by")


def standing_at(*, entity: Entity) -> list[Cause]:
    """The causes that began at this node and stand, the newest first."""
    return list(Cause.objects.filter(entity=entity, cleared_at=None).select_related("by", "entity").order_by("-at"))


def waiting_at(*, entity: Entity) -> list[Impact]:
    """The impact rows that wait at this node, with their causes, oldest first."""
    rows = Impact.objects.filter(entity=entity, outcome="", cause__cleared_at__isnull=True)
    return list(rows.select_related("cause", "cause__entity").order_by("at", "pk"))
