"""What a picture around one node holds: nodes by their side, many siblings of one type drawn as one group. Pure."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from lineage.core.relations import EntityState, EntityType
from lineage.core.steps import Link

# So many siblings of one type under one parent are drawn one by one.
MOST_SIBLINGS = 12
MOST_IN_SVG = 300
MOST_DRAWN = 2_000
MOST_COLUMNS = 300
FALLEN = frozenset({EntityState.STALE, EntityState.RETRACTED})


class Side(StrEnum):
    """Where a node stands from the one that is asked about."""

    START = "start"
    UP = "up"
    DOWN = "down"


class Means(StrEnum):
    """How a picture of this size is shown."""

    SVG = "svg"
    CANVAS = "canvas"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Node:
    """What a picture must know of a node; `handle` names it to the outside instead of its key."""

    type: EntityType
    state: EntityState
    handle: str


@dataclass(slots=True)
class Box:
    """One thing that is drawn: a node, or a group with the keys of its members in order.

    `key` is the node's, or the group's first member's. `parent` is the box through which it was reached, None for the
    start; `relations` say how the two are joined.
    """

    key: int
    handle: str
    type: EntityType
    side: Side
    depth: int
    members: list[int]
    parent: int | None = None
    relations: list[str] = field(default_factory=list)

    @property
    def is_group(self) -> bool:
        """True where it stands for more than one node."""
        return len(self.members) > 1


@dataclass(frozen=True, slots=True)
class Opened:
    """A group that is drawn one by one: the handle by which it was opened, of which type, and how many they are."""

    handle: str
    type: EntityType
    number: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """The boxes by key, nearest first, and the relations of each edge (dependent, other) between them; `opened` are the
    groups that stand one by one and could be drawn as one."""

    boxes: Mapping[int, Box]
    edges: Mapping[tuple[int, int], Sequence[str]]
    opened: Sequence[Opened] = ()

    def means(self, columns: int) -> Means:
        """How it is shown where it takes so many columns."""
        if len(self.boxes) > MOST_DRAWN or columns > MOST_COLUMNS:
            return Means.WORDS
        return Means.SVG if len(self.boxes) <= MOST_IN_SVG else Means.CANVAS


def drawing(
    *,
    start: int,
    nodes: Mapping[int, Node],
    links: Iterable[Link],
    opened: Collection[str] = (),
    only_fallen: bool = False,
) -> Drawing:
    """The boxes of a picture; `opened` are the handles of groups that are drawn one by one.

    With `only_fallen` what fell, and what lies between it and the start. All linear. A node that is reached on no side
    (it is no part of the walk from the start) is left out.
    """
    joined: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for link in links:
        if link.dependent in nodes and link.other in nodes and link.dependent != link.other:
            joined[link.dependent, link.other].add(link.relation)
    above: defaultdict[int, list[int]] = defaultdict(list)
    below: defaultdict[int, list[int]] = defaultdict(list)
    for dependent, other in sorted(joined):
        above[dependent].append(other)
        below[other].append(dependent)
    boxes = {start: Box(start, nodes[start].handle, nodes[start].type, Side.START, 0, [start])}
    box_of = {start: start}
    stand_open: list[Opened] = []
    for side, ways, back in ((Side.UP, above, below), (Side.DOWN, below, above)):
        kept = _on_the_way(start, ways, back, nodes) if only_fallen else nodes.keys()
        stand_open += _place(side, start, ways=ways, nodes=nodes, kept=kept, opened=opened, boxes=boxes, box_of=box_of)
    edges: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for (dependent, other), relations in joined.items():
        if dependent in box_of and other in box_of and box_of[dependent] != box_of[other]:
            edges[box_of[dependent], box_of[other]] |= relations
    for box in boxes.values():
        if box.parent is not None:
            pair = (box.parent, box.key) if box.side is Side.UP else (box.key, box.parent)
            box.relations = sorted(edges[pair])
    return Drawing(boxes, {pair: sorted(relations) for pair, relations in sorted(edges.items())}, stand_open)


def _place(
    side: Side,
    start: int,
    *,
    ways: Mapping[int, Sequence[int]],
    nodes: Mapping[int, Node],
    kept: Collection[int],
    opened: Collection[str],
    boxes: dict[int, Box],
    box_of: dict[int, int],
) -> list[Opened]:
    """Adds the boxes of one side, of nodes in `kept`, level by level, so that a group can be the parent of another;
    gives the groups that are open."""
    stand_open: list[Opened] = []
    level, depth = [start], 0
    while level:
        depth += 1
        siblings: defaultdict[tuple[int, EntityType], list[int]] = defaultdict(list)
        met: set[int] = set()
        for node in level:
            for further in ways.get(node, ()):
                if further in box_of or further in met or further not in kept:
                    continue
                met.add(further)
                siblings[box_of[node], nodes[further].type].append(further)
        for (parent, kind), found in siblings.items():
            found.sort()
            handle = _handle(boxes[parent].handle, side, kind)
            if len(found) > MOST_SIBLINGS and handle not in opened:
                boxes[found[0]] = Box(found[0], handle, kind, side, depth, found, parent)
                box_of.update(dict.fromkeys(found, found[0]))
                continue
            if len(found) > MOST_SIBLINGS:
                stand_open.append(Opened(handle, kind, len(found)))
            for node in found:
                boxes[node] = Box(node, nodes[node].handle, kind, side, depth, [node], parent)
                box_of[node] = node
        level = sorted(met)
    return stand_open


def _on_the_way(
    start: int, ways: Mapping[int, Sequence[int]], back: Mapping[int, Sequence[int]], nodes: Mapping[int, Node]
) -> set[int]:
    """What fell on this side, and all between it and the start."""
    side = _reached({start}, ways, None)
    return _reached({node for node in side if nodes[node].state in FALLEN}, back, side)


def _reached(starts: set[int], ways: Mapping[int, Sequence[int]], within: set[int] | None) -> set[int]:
    found, waiting = set(starts), sorted(starts)
    while waiting:
        for further in ways.get(waiting.pop(), ()):
            if further not in found and (within is None or further in within):
                found.add(further)
                waiting.append(further)
    return found


def _handle(parent: str, side: Side, kind: EntityType) -> str:
    return hashlib.sha256(f"{parent} {side} {kind}".encode()).hexdigest()[:12]
