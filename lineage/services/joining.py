"""What comes with new dependences: no node rests on itself, however far round; dependents take the level they inherit.

`lineage.capture` calls `before` and `after` around its insert, in one transaction. What is written most, edges of nodes
that nothing rests on yet, costs three small statements; only an edge of an older node can close a ring, and only for
those the workspace's writers wait for each other (and a statement more).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from itertools import compress

from django.db import connection
from django.db.models import Exists, OuterRef

from lineage.core.asking import system
from lineage.models import Edge, Entity
from lineage.queries import walks
from lineage.queries.key_sets import among
from lineage.services import labels
from lineage.services.in_turn import wait_for_turn

Pair = tuple[int, int]


class SelfEdge(ValueError):
    """A node cannot rest on itself. A newer version of it can."""


class Ring(ValueError):
    """The edge would close a ring: what it rests on rests on it already. `pair` has the keys of its two ends."""

    def __init__(self, pair: Pair) -> None:
        super().__init__("An edge would close a ring: what it is to rest on rests on it already. Tell a new version.")
        self.pair = pair


@dataclass(frozen=True, slots=True)
class Ends:
    """What was found of the ends of new dependences before they are written.

    `late` are pairs that may close a ring. `leaves` are dependents that are new and that nothing rested on. `levels`
    are those of all ends; what is rested on keeps its own until the transaction ends.
    """

    pairs: Sequence[Pair]
    late: Sequence[Pair]
    leaves: Collection[int]
    levels: Mapping[int, int]


def before(*, workspace_id: int, pairs: Sequence[Pair], is_dependence: Sequence[bool], at: datetime) -> Ends:
    """Looks at the ends of edges, (dependent, what it rests on) by their keys, that are about to be written; what is no
    dependence (`is_dependence`, one for each) may form rings, but joins no node to itself.

    Raises `SelfEdge`, `Ring` where the pairs alone close one, and KeyError for what is no node of the workspace. A node
    that was written at the very moment `at` is taken to be this transaction's own.
    """
    if any(dependent == rests_on for dependent, rests_on in pairs):
        raise SelfEdge("A node cannot rest on itself. Tell the newer state as a new version that rests on the older.")
    wanted = list(dict.fromkeys(compress(pairs, is_dependence)))
    if not wanted:
        return Ends((), (), frozenset(), {})
    _refuse_ring_among(wanted)
    carries = Exists(Edge.objects.filter(to_entity=OuterRef("pk"), is_dependence=True))
    rows = Entity.objects.filter(workspace_id=workspace_id, pk__in=among(dependent for dependent, _ in wanted))
    known = rows.annotate(carries=carries).values_list("pk", "level", "created_at", "carries")
    levels: dict[int, int] = {}
    leaves: set[int] = set()
    for pk, level, created_at, carried in known:
        levels[pk] = level
        if created_at == at and not carried:
            leaves.add(pk)
    late = unjoined([pair for pair in wanted if pair[0] not in leaves])
    if late:
        wait_for_turn(workspace_id=workspace_id)
        # Whoever had the turn before may have moved their levels: read before it, a node would seem as restricted as
        # what it comes to rest on, and stay below it.
        older = rows.filter(pk__in=among(dependent for dependent, _ in late))
        levels |= dict(older.values_list("pk", "level"))
    held = held_levels((workspace_id, rests_on) for _, rests_on in wanted)
    levels |= {rests_on: level for (_, rests_on), level in held.items()}
    if missing := {end for pair in wanted for end in pair} - levels.keys():
        raise KeyError(min(missing))
    return Ends(wanted, late, leaves, levels)


def after(*, workspace_id: int, ends: Ends) -> None:
    """Refuses a ring that the written edges close (`Ring`, the caller's transaction must then go back), and lets their
    dependents take the levels they inherit."""
    _refuse_ring(ends.late, workspace_id=workspace_id)
    rising = {dependent for dependent, rests_on in ends.pairs if ends.levels[rests_on] > ends.levels[dependent]}
    if not rising:
        return
    if all(dependent in ends.leaves for dependent, _ in ends.pairs):
        _raise_leaves(ends)
    else:
        labels.settle(workspace_id=workspace_id, entity_ids=rising)


def _raise_leaves(ends: Ends) -> None:
    """Nothing else rests on these, so that the pairs themselves tell all; new nodes are not declassified."""
    levels = dict(ends.levels)
    inputs: dict[int, list[int]] = defaultdict(list)
    for dependent, rests_on in ends.pairs:
        inputs[dependent].append(rests_on)
    for node in TopologicalSorter(inputs).static_order():
        levels[node] = (
            max((levels[one] for one in inputs.get(node, ())), default=0)
            if node not in levels
            else max([levels[node], *(levels[one] for one in inputs.get(node, ()))])
        )
    moved: dict[int, list[int]] = defaultdict(list)
    for node in inputs:
        if levels[node] != ends.levels[node]:
            moved[levels[node]].append(node)
    for level, keys in moved.items():
        Entity.objects.filter(pk__in=among(keys)).update(level=level)


def _refuse_ring_among(pairs: Sequence[Pair]) -> None:
    dependents = {dependent for dependent, _ in pairs}
    inner: dict[int, list[int]] = defaultdict(list)
    for dependent, rests_on in pairs:
        if rests_on in dependents:
            inner[dependent].append(rests_on)
    try:
        TopologicalSorter(inner).prepare()
    except CycleError as ring:
        # Each node of the list is rested on by the next one.
        rests_on, dependent, *_ = ring.args[1]
        raise Ring((dependent, rests_on)) from None


def _refuse_ring(late: Sequence[Pair], *, workspace_id: int) -> None:
    """One walk up from all of them mostly tells that there is none; only what it meets is looked at alone."""
    asker = system(workspace_id)
    targets = sorted({rests_on for _, rests_on in late})
    if not targets:
        return
    above = {*targets, *walks.ancestor_ids(starts=targets, asker=asker)}
    for dependent, rests_on in late:
        if dependent in above and dependent in walks.ancestor_ids(starts=[rests_on], asker=asker):
            raise Ring((dependent, rests_on))


def unjoined(pairs: Sequence[Pair]) -> list[Pair]:
    """Those that no dependence joins yet: one more between the same two nodes closes nothing and raises no level."""
    if not pairs:
        return []
    edges = Edge.objects.filter(from_entity__in=among(dependent for dependent, _ in pairs), is_dependence=True)
    joined = set(edges.values_list("from_entity_id", "to_entity_id"))
    return [pair for pair in pairs if pair not in joined]


def held_levels(nodes: Iterable[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """The levels of these nodes (a workspace and a key in it) that there are, whose rows nobody changes until the
    transaction ends: a label that rises meanwhile waits, and then sees our edges. SQLite has one writer anyway."""
    wanted = set(nodes)
    keys = {key for _, key in wanted}
    if connection.vendor != "postgresql":
        found = list(Entity.objects.filter(pk__in=among(keys)).values_list("workspace_id", "pk", "level"))
    else:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT workspace_id, id, level FROM lineage_entity WHERE id = ANY(%s) ORDER BY id FOR SHARE",
                [sorted(keys)],
            )
            found = cursor.fetchall()
    return {(where, key): level for where, key, level in found if (where, key) in wanted}
