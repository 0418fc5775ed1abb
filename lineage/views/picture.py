"""The picture around one node, ready to be drawn: what stands where, in which words; and the same content as a list."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.core.asking import Asker
from lineage.core.drawing import FALLEN, Box, Drawing, Means, Node, Side, drawing
from lineage.core.layout import Layout, columns_of, layout
from lineage.core.relations import EntityState, EntityType, Relation
from lineage.models import Entity
from lineage.queries import questions
from lineage.queries.bounded import Cut
from lineage.queries.neighbours import beside
from lineage.queries.stories import MOST_TO_DRAW
from lineage.queries.walks import Direction
from lineage.views import filters
from lineage.views.asking import Row, address, rows_of
from provenance_site.kit.text import counted

DEPTHS = (1, 2, 3, 4)
_WORDS = {"tool-result": "tool results", "retrieval-hit": "retrieval hits", "index": "indexes"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the surroundings is asked for."""

    direction: str
    depth: int
    opened: tuple[str, ...]
    only_fallen: bool

    @classmethod
    def of(cls, params: Any) -> "Wanted":
        """What the query string asks for: one hop on both sides, unless it says otherwise."""
        direction = params.get("direction", "")
        return cls(
            direction=direction if direction in {"up", "down"} else "both",
            depth=min(max(filters.whole(params.get("depth", ""), 1), 1), DEPTHS[-1]),
            opened=tuple(params.getlist("open")[:50]),
            only_fallen=params.get("stale") == "1",
        )

    @property
    def directions(self) -> list[Direction]:
        """The directions to walk."""
        return [one for one in Direction if self.direction in {"both", one.value}]


@dataclass(frozen=True, slots=True)
class Thing:
    """A box with its words. `total` is how many nodes it stands for, also where the walk was cut before."""

    box: Box
    words: str
    note: str
    url: str
    total: int
    states: Mapping[EntityState, int]
    row: Row | None

    @property
    def state(self) -> EntityState:
        """The state that is shown: of a group, the worst of its members."""
        order = [EntityState.RETRACTED, EntityState.STALE, EntityState.TOMBSTONED, EntityState.SUPERSEDED]
        return next((one for one in order if self.states.get(one)), EntityState.CURRENT)


@dataclass(slots=True)
class Branch:
    """A thing in the list, what joins it to the thing above it, and what is reached through it."""

    thing: Thing
    relations: list[str]
    also: list[tuple[str, Thing]] = field(default_factory=list)
    branches: list["Branch"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Closing:
    """A group that stands open: what it would be called closed, and the address at which it is."""

    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture with all that is said of it; `closings` lead to the same picture with one open group closed."""

    start: Entity
    wanted: Wanted
    things: Mapping[int, Thing]
    drawing: Drawing
    layout: Layout
    means: Means
    columns: int
    cut: Cut
    up: list[Branch]
    down: list[Branch]
    closings: list[Closing]

    @property
    def extent(self) -> str:
        """Whether all is there, in words; never silent."""
        match self.cut:
            case Cut.NOWHERE:
                told = "Complete: nothing that you may see was left out."
                return told if not self.wanted.only_fallen else "Complete, of what fell."
            case Cut.DEPTH:
                steps = counted(self.wanted.depth, "step")
                return f"Cut at {steps}: there is more further away."
            case Cut.NODES:
                return f"Cut at {MOST_TO_DRAW:,} nodes on a side: the table has all of them."

    @property
    def sentence(self) -> str:
        """What the picture shows, for whoever does not see it."""
        number = sum(thing.total for thing in self.things.values()) - 1
        fallen = sum(n for thing in self.things.values() for state, n in thing.states.items() if state in FALLEN)
        words = f"{counted(number, 'node')} around {self.things[self.start.pk].words}"
        return f"{words}, {fallen:,} of them stale or retracted. The list after the picture says the same."


def shown(*, ref: str, wanted: Wanted, asker: Asker) -> Shown:
    """The picture of a node's surroundings; raises `NoSuchEntity`. A fixed number of statements."""
    found = questions.picture(ref=ref, directions=wanted.directions, asker=asker, depth=wanted.depth)
    nodes = {key: Node(one.as_type, one.as_state, one.ref_key) for key, one in found.nodes.items()}
    drawn = drawing(
        start=found.start.pk, nodes=nodes, links=found.links, opened=wanted.opened, only_fallen=wanted.only_fallen
    )
    totals = (
        {}
        if wanted.only_fallen
        else {
            side: beside(entity=found.start, direction=direction, asker=asker)
            for side, direction in ((Side.UP, Direction.UP), (Side.DOWN, Direction.DOWN))
        }
    )
    things = _things(drawn, found.nodes, found.start, wanted, totals)
    edges = list(drawn.edges)
    columns = 1 + max(columns_of(nodes=drawn.boxes, edges=edges).values())
    means = drawn.means(columns)
    placed = Layout({}, {}, 0, 0, 0) if means is Means.WORDS else layout(nodes=list(drawn.boxes), edges=edges)
    up, down = _branches(drawn, things, found.start.pk)
    closings = [
        Closing(
            _counted(one.number, one.type),
            _address(found.start, wanted, [other for other in wanted.opened if other != one.handle]),
        )
        for one in drawn.opened
    ]
    return Shown(found.start, wanted, things, drawn, placed, means, columns, found.cut, up, down, closings)


def _things(
    drawn: Drawing,
    nodes: Mapping[int, Entity],
    start: Entity,
    wanted: Wanted,
    totals: Mapping[Side, Mapping[EntityType, int]],
) -> dict[int, Thing]:
    singles = rows_of(nodes[key] for key, box in drawn.boxes.items() if not box.is_group)
    row_of = {row.entity.pk: row for row in singles}
    things: dict[int, Thing] = {}
    for key, box in drawn.boxes.items():
        states: defaultdict[EntityState, int] = defaultdict(int)
        for member in box.members:
            states[nodes[member].as_state] += 1
        row = row_of.get(key)
        if row is not None:
            state = nodes[key].as_state
            note = box.type if state is EntityState.CURRENT else f"{box.type}, {state}"
            things[key] = Thing(box, row.words, note, row.url, 1, states, row)
            continue
        total = len(box.members)
        if box.parent == start.pk:
            total = max(total, totals.get(box.side, {}).get(box.type, 0))
        told = [f"{states[one]:,} {one}" for one in (EntityState.STALE, EntityState.RETRACTED) if states[one]]
        url = _address(start, wanted, [*wanted.opened, box.handle])
        things[key] = Thing(box, _counted(total, box.type), ", ".join(told) or "a group", url, total, states, None)
    return things


def _counted(number: int, kind: EntityType) -> str:
    return counted(number, kind.value, _WORDS.get(kind, f"{kind}s"))


def _address(start: Entity, wanted: Wanted, opened: Sequence[str]) -> str:
    """The same surroundings with other groups open."""
    url = address(
        "lineage-entity",
        ref=start.ref,
        direction="" if wanted.direction == "both" else wanted.direction,
        depth="" if wanted.depth == 1 else wanted.depth,
        stale="1" if wanted.only_fallen else "",
    )
    return url + "".join(f"&open={one}" for one in opened if one.isalnum())


def _branches(drawn: Drawing, things: Mapping[int, Thing], start: int) -> tuple[list[Branch], list[Branch]]:
    branches = {key: Branch(things[key], [_words(one) for one in box.relations]) for key, box in drawn.boxes.items()}
    sides: dict[Side, list[Branch]] = {Side.UP: [], Side.DOWN: []}
    for key, box in drawn.boxes.items():
        if box.parent == start:
            sides[box.side].append(branches[key])
        elif box.parent is not None:
            branches[box.parent].branches.append(branches[key])
    for (dependent, other), relations in drawn.edges.items():
        if drawn.boxes[other].parent == dependent or drawn.boxes[dependent].parent == other:
            continue
        told = " and ".join(_words(one) for one in relations)
        branches[dependent].also.append((told, things[other]))
    return sides[Side.UP], sides[Side.DOWN]


def _words(relation: str) -> str:
    return Relation(relation).words
