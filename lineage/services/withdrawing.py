"""Dependences that hold no longer: the edge stays as history, and nothing is reached through it any more."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from lineage.models import Cause, Edge, Entity, Impact
from lineage.queries.key_sets import among
from lineage.queries.reach_of_each import descendants_of_each
from lineage.services import impact, labels
from lineage.services.in_turn import wait_for_turn
from provenance_site.kit.rows import update_rows


def withdraw(*, workspace_id: int, run_id: str, transform_type: str, ends: Collection[int], at: datetime) -> int:
    """Takes back the dependences that this run told by this transform and that have one of the nodes `ends` at an end;
    gives how many there were.

    They are walked no more, and say in their metadata since when (`withdrawn_at`). Dependents take the level of what
    they still rest on. What waited at nodes that their cause reaches by no other way waits no more; what somebody has
    dealt with stays as it is. Twice does nothing more.
    """
    if not run_id or not ends:
        return 0
    told = Edge.objects.filter(workspace_id=workspace_id, run_id=run_id, transform_type=transform_type)
    with transaction.atomic():
        wait_for_turn(workspace_id=workspace_id)
        held = told.filter(is_dependence=True).order_by("pk")
        edges = [edge for edge in held if edge.from_entity_id in ends or edge.to_entity_id in ends]
        for edge in edges:
            edge.is_dependence = False
            edge.metadata = {**edge.metadata, "withdrawn_at": at.isoformat()}
        update_rows(edges, ["is_dependence", "metadata"])
        freed = {edge.from_entity_id for edge in edges}
        labels.settle(workspace_id=workspace_id, entity_ids=freed)
        _let_go(freed)
    return len(edges)


def _let_go(freed: Collection[int]) -> None:
    if not freed:
        return
    below = {*freed, *(node for _, node in descendants_of_each(starts=sorted(freed)))}
    waiting = Impact.objects.filter(entity__in=among(below), cause__cleared_at=None, outcome="")
    for cause in Cause.objects.filter(pk__in=waiting.values("cause")).select_related("entity").order_by("pk"):
        reached = impact.reach_of(cause)
        waiting.filter(cause=cause).exclude(entity__in=among(reached)).delete()
    impact.refresh(entities=Entity.objects.filter(pk__in=among(below)))
