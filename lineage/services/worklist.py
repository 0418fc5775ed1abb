"""The worklist: stale nodes that wait for someone, and what was done about each. It empties by work.

A node that was made anew (its new version supersedes it) is rebuilt, a claim that passed a verification since is
reverified: nobody has to say so. The rest is said by a person: an index was invalidated, or the node may stand
(dismissed with a reason: the cause does not touch it; accepted: it does, and we keep it on purpose).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Case, QuerySet, Value, When

from lineage import access
from lineage.core.asking import Asker
from lineage.core.causes import Outcome, Task
from lineage.core.pairs import OUTPUTS
from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity, Impact
from lineage.queries.key_sets import among
from lineage.services import impact
from lineage.services.in_turn import hold, wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.rows import in_parts

BY_HAND = frozenset({Outcome.INVALIDATED, Outcome.DISMISSED, Outcome.ACCEPTED})


class ReasonMissing(ValueError):
    """Letting a stale node stand needs a reason."""


class NotByHand(ValueError):
    """The outcome comes by work alone: a new version, or a verification."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: how many rows were dealt with, and how many had been before."""

    settled: int
    already: int


def waiting(asker: Asker) -> QuerySet[Impact]:
    """The impact rows that wait and whose nodes the asker may see: released outputs first, then other outputs, then by
    the time they fell. Give it a page; it is one query."""
    return (
        Impact.objects.filter(access.visible_at(asker, "entity_id"), outcome="", cause__cleared_at__isnull=True)
        .select_related("entity", "cause", "cause__entity", "entity__owner")
        .annotate(urgency=_urgency())
        .order_by("urgency", "-entity__released_at", "at", "pk")
    )


def task_for(entity_type: EntityType) -> Task:
    """What is to be done about a stale node of this type."""
    match entity_type:
        case EntityType.INDEX | EntityType.EMBEDDING:
            return Task.INVALIDATE_INDEX
        case EntityType.CLAIM | EntityType.DECISION:
            return Task.REVERIFY
        case _:
            return Task.REBUILD


def settle(*, impact_ids: Collection[int], outcome: Outcome, reason: str, asker: Asker, by: User, at: datetime) -> Done:
    """Deals with stale nodes by hand: all of `impact_ids` that the asker may see, in one transaction.

    Ids that they may not see count like ids that do not exist: not at all. Raises `ReasonMissing` for a dismissal or an
    acceptance without a reason, `NotByHand` for rebuilt and reverified, and like `check_role` below an editor. Twice
    changes nothing.
    """
    check_role(by, asker.workspace_id, Role.EDITOR)
    if outcome not in BY_HAND:
        raise NotByHand(f"{outcome} comes by work: {_WORK[outcome]}.")
    reason = reason.strip()
    if not reason and outcome is not Outcome.INVALIDATED:
        raise ReasonMissing("Say why it may stand: the next person who meets this node will ask.")
    settled = already = 0
    with transaction.atomic():
        wait_for_turn(workspace_id=asker.workspace_id)
        for part in in_parts(sorted(impact_ids)):
            rows = Impact.objects.filter(access.visible_at(asker, "entity_id"), pk__in=part)
            already += rows.exclude(outcome="").count()
            nodes = _done_with(rows, outcome=outcome, reason=reason, done_by=by, done_at=at)
            settled += len(nodes)
            impact.refresh(entities=Entity.objects.filter(pk__in=nodes))
    return Done(settled=settled, already=already)


def rebuilt(*, entity_ids: Iterable[int], at: datetime) -> int:
    """Tells that new versions took the place of stale nodes; gives how many rows are done with.

    A node whose successor is stale itself was not rebuilt: it waits until one is made of what still stands.
    """
    done = 0
    for part in in_parts(sorted(set(entity_ids))):
        edges = Edge.objects.filter(to_entity__in=part, relation=Relation.SUPERSEDES)
        succeeded = edges.filter(from_entity__stale_at__isnull=True).exclude(metadata__has_key="withdrawn_at")
        rows = Impact.objects.filter(
            entity__in=succeeded.values("to_entity"), outcome="", cause__cleared_at__isnull=True
        )
        nodes = _done_with(rows, outcome=Outcome.REBUILT, done_at=at)
        if nodes:
            done += len(nodes)
            impact.refresh(entities=Entity.objects.filter(pk__in=nodes))
    return done


def reverified(*, claim: Entity, at: datetime) -> int:
    """Tells that a claim passed a verification after the causes that wait at it; gives how many rows are done with."""
    rows = Impact.objects.filter(entity=claim, outcome="", at__lte=at, cause__cleared_at__isnull=True)
    done = len(_done_with(rows, outcome=Outcome.REVERIFIED, done_at=at))
    impact.refresh(entities=Entity.objects.filter(pk=claim.pk))
    return done


def _done_with(rows: QuerySet[Impact], **told: object) -> list[int]:
    """Writes what was done with those of these rows that wait, and gives their nodes, one a row. The rows of the nodes
    are held first, then those of their impact, each in the order of their keys."""
    waiting_here = rows.filter(outcome="")
    hold(waiting_here.values_list("entity", flat=True))
    kept = list(waiting_here.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk", "entity"))
    Impact.objects.filter(pk__in=among(pk for pk, _ in kept)).update(**told)
    return [entity for _, entity in kept]


_WORK = {
    Outcome.REBUILT: "record the new version that supersedes it",
    Outcome.REVERIFIED: "record a verification that passed",
}


def _urgency() -> Case:
    return Case(
        When(entity__released_at__isnull=False, then=Value(0)),
        When(entity__type__in=[one.value for one in OUTPUTS], then=Value(1)),
        default=Value(2),
    )
