"""How an output came to be, for people to read or look at, and what it would take to make it again.

All of them are of a bounded part of the graph, nearest first, and say where it is cut.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from lineage import access
from lineage.core import steps
from lineage.core.asking import Asker
from lineage.core.pairs import MEANS
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, Pin
from lineage.core.steps import Link, Step
from lineage.models import Entity
from lineage.queries import bounded
from lineage.queries.bounded import Cut
from lineage.queries.walks import Direction

MOST_TO_DRAW = 2_000
MOST_TO_READ = 2_000
MOST_TO_REPLAY = 20_000


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes around one node by their distance from it, 0 for itself, and the links that join them, both by key."""

    start: Entity
    nodes: dict[int, Entity]
    depths: dict[int, int]
    links: list[Link]
    cut: Cut


@dataclass(frozen=True, slots=True)
class Story:
    """The steps from where the lines begin to the output, in order; `nodes` by the keys that the steps hold.

    `origins`: where the lines begin, for this asker.
    """

    output: Entity
    steps: list[Step]
    origins: list[Entity]
    nodes: dict[int, Entity]
    cut: Cut


class Missing(StrEnum):
    """Why a step cannot be done again."""

    TRANSFORM = "transform"
    VERSION = "version"
    CONFIG = "config"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class Gap:
    """What a step lacks; for an input, which one: None where it was named but never told of."""

    missing: Missing
    node: Entity | None = None

    @property
    def explanation(self) -> str:
        """The gap in words."""
        match self.missing:
            case Missing.TRANSFORM:
                return "No transform is recorded for this step."
            case Missing.VERSION:
                return "The version of the transform is not recorded."
            case Missing.CONFIG:
                return "The config of the transform is not recorded."
            case Missing.INPUT if self.node is None:
                return "It rests on something that is known by name only."
            case Missing.INPUT if self.node.as_state is EntityState.TOMBSTONED:
                return f"{self.node.ref} was removed."
            case Missing.INPUT:
                return f"{self.node.ref} has no fixed version."


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step that would be done again, and what it lacks."""

    step: Step
    gaps: list[Gap]


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done again to make the output anew, in order. `nodes` by the keys that the steps hold."""

    output: Entity
    steps: list[PlannedStep]
    nodes: dict[int, Entity]
    cut: Cut

    @property
    def complete(self) -> bool:
        """True where nothing was left out of the plan."""
        return self.cut is Cut.NOWHERE

    @property
    def can_be_replayed(self) -> bool:
        """True where nothing is missing and nothing was left out of the plan."""
        return self.complete and bool(self.steps) and not any(planned.gaps for planned in self.steps)


def picture(
    *,
    ref: Ref | str,
    directions: Iterable[Direction] = (Direction.UP, Direction.DOWN),
    asker: Asker,
    most: int = MOST_TO_DRAW,
    depth: int | None = None,
) -> Picture:
    """The nodes nearest to one, `most` at most in each wanted direction. Two statements a direction, and two."""
    start = access.entity_at(ref, asker=asker)
    depths: dict[int, int] = {}
    links: set[Link] = set()
    cut = Cut.NOWHERE
    for direction in directions:
        part = bounded.nearest(starts=[start.pk], direction=direction, asker=asker, most=most, depth=depth)
        depths = {**part.depths, **depths}
        links |= set(part.links)
        cut = part.cut if cut is not Cut.NODES and not part.complete else cut
    nodes = _told(depths, start)
    return Picture(
        start=start,
        nodes=nodes,
        depths={key: one for key, one in depths.items() if key in nodes},
        links=sorted(link for link in links if link.dependent in nodes and link.other in nodes),
        cut=cut,
    )


def explain(*, ref: Ref | str, asker: Asker, most: int = MOST_TO_READ) -> Story:
    """The story of an output: what was fetched, parsed, cut, embedded, retrieved, claimed, with what and in which run.

    Four statements. Of `most` nodes at most, the nearest to the output.
    """
    output, part, nodes, found = _told_steps(ref, asker, most)
    dependents = {link.dependent for link in part.links}
    origins = [node for key, node in nodes.items() if key not in dependents and node.as_type not in MEANS]
    return Story(output, found, sorted(origins, key=lambda node: node.pk), nodes, part.cut)


def replay_plan(*, ref: Ref | str, asker: Asker, most: int = MOST_TO_REPLAY) -> Plan:
    """What would be done again to make the node anew, with which versions, in order, and what is missing for it.

    Nothing is run. Four statements. A plan that is cut cannot be replayed.
    """
    output, part, nodes, found = _told_steps(ref, asker, most)
    remade = {link.dependent for link in part.links}
    unknown = {link.dependent for link in part.links if link.other not in nodes}
    return Plan(output, [PlannedStep(step, _gaps(step, nodes, remade, unknown)) for step in found], nodes, part.cut)


def _told_steps(
    ref: Ref | str, asker: Asker, most: int
) -> tuple[Entity, bounded.Bounded, dict[int, Entity], list[Step]]:
    output = access.entity_at(ref, asker=asker)
    part = bounded.nearest(starts=[output.pk], direction=Direction.UP, asker=asker, most=most)
    everything = Entity.objects.in_bulk(list(part.depths))
    found = steps.steps(links=part.links, types={key: node.as_type for key, node in everything.items()})
    nodes = {key: node for key, node in everything.items() if not node.is_placeholder}
    for step in found:
        step.made = [key for key in step.made if key in nodes]
        step.inputs = [key for key in step.inputs if key in nodes]
        step.means = [key for key in step.means if key in nodes]
    return output, part, nodes, [step for step in found if step.made]


def _gaps(step: Step, nodes: dict[int, Entity], remade: set[int], unknown: set[int]) -> list[Gap]:
    gaps = []
    if not step.transform.is_told:
        gaps.append(Gap(Missing.TRANSFORM))
    else:
        gaps += [Gap(Missing.VERSION)] if not step.transform.version else []
        gaps += [Gap(Missing.CONFIG)] if not step.transform.config_hash else []
    for key in [*step.inputs, *step.means]:
        node = nodes[key]
        is_gone = node.as_state is EntityState.TOMBSTONED and key not in remade
        if is_gone or node.pin == Pin.UNRESOLVED:
            gaps.append(Gap(Missing.INPUT, node))
    if unknown.intersection(step.made):
        gaps.append(Gap(Missing.INPUT))
    return gaps


def _told(keys: Iterable[int], start: Entity) -> dict[int, Entity]:
    """The nodes of these keys that were told of, not only named. The walk that found them kept to what may be read."""
    return {start.pk: start, **Entity.objects.filter(is_placeholder=False).in_bulk(list(keys))}
