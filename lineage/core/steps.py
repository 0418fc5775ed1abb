"""How an output came to be, as steps in order: nodes made in one way are one step, however many there are.

A step is what one transform in one version with one config did in one run, between nodes of one rank. The rank of a
node is the longest way to where its line begins, as the column of a picture is, so that what a step rests on always
stands in earlier steps.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineage.core.layout import columns_of
from lineage.core.pairs import MEANS
from lineage.core.relations import EntityType, Relation


class Transform(NamedTuple):
    """What made something; all '' where an edge tells only that the one rests on the other."""

    type: str = ""
    implementation: str = ""
    version: str = ""
    config_hash: str = ""

    @property
    def is_told(self) -> bool:
        """True where it says at least what kind of work it was."""
        return bool(self.type or self.implementation)


class Link(NamedTuple):
    """An edge by the keys of its ends: `dependent` rests on `other`."""

    id: int
    dependent: int
    other: int
    relation: str
    transform: Transform
    run_id: str


@dataclass(slots=True)
class Step:
    """One step: what it made, from what, with what. Nodes by their keys, in key order."""

    rank: int
    type: EntityType
    transform: Transform
    run_id: str
    relations: list[Relation]
    made: list[int]
    inputs: list[int]
    means: list[int]


@dataclass(slots=True)
class _Parts:
    relations: set[str] = field(default_factory=set)
    made: set[int] = field(default_factory=set)
    inputs: set[int] = field(default_factory=set)
    means: set[int] = field(default_factory=set)


def steps(*, links: Iterable[Link], types: Mapping[int, EntityType]) -> list[Step]:
    """The steps in an order in which they can be done: by rank, then by the order in which their types are listed.

    `types` are of all nodes that the links join. What a node rests on without a transform belongs to the transforms
    that made it, where there are any. Linear; a circle, which only an import of foreign data can hold, ends.
    """
    by_node: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        by_node[link.dependent].append(link)
    rank = columns_of(nodes=types, edges=[(link.dependent, link.other) for own in by_node.values() for link in own])
    found: defaultdict[tuple[int, EntityType, Transform, str], _Parts] = defaultdict(_Parts)
    for node, own in by_node.items():
        ways = {(link.transform, link.run_id) for link in own if link.transform.is_told} or {(Transform(), "")}
        for transform, run_id in ways:
            parts = found[rank[node], types[node], transform, run_id]
            parts.made.add(node)
            for link in own:
                if link.transform.is_told and (link.transform, link.run_id) != (transform, run_id):
                    continue
                parts.relations.add(link.relation)
                (parts.means if types[link.other] in MEANS else parts.inputs).add(link.other)
    order = {one: place for place, one in enumerate(EntityType)}
    return [
        Step(
            rank=key[0],
            type=key[1],
            transform=key[2],
            run_id=key[3],
            relations=[one for one in Relation if one in parts.relations],
            made=sorted(parts.made),
            inputs=sorted(parts.inputs),
            means=sorted(parts.means),
        )
        for key, parts in sorted(
            found.items(), key=lambda one: (one[0][0], order[one[0][1]], one[0][2:], min(one[1].made))
        )
    ]
