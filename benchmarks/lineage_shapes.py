"""Graphs to measure walks on, as plain lists: the layered one of a pipeline, and the shapes that kill naive queries."""

import random
from dataclasses import dataclass, field

from lineage.core.relations import EntityType, Relation

_EDGES_OF_A_SOURCE = 70
_REPORTS_OF_TEN_SOURCES = 4
_RECYCLED = 0.3


@dataclass
class Graph:
    """`nodes` by place: type and level; `edges`: (dependent, relation, what it rests on) by places."""

    nodes: list[tuple[EntityType, int]] = field(default_factory=list)
    edges: list[tuple[int, Relation, int]] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    reports: list[int] = field(default_factory=list)

    def node(self, entity_type: EntityType, relation: Relation | None = None, rests_on: tuple[int, ...] = ()) -> int:
        """A new node; it is as restricted as the most restricted that it rests on."""
        place = len(self.nodes)
        self.nodes.append((entity_type, max((self.nodes[one][1] for one in rests_on), default=1)))
        self.edges += [(place, relation, one) for one in dict.fromkeys(rests_on) if relation is not None]
        return place


def layered(edges: int, *, every_restricted: int = 1_000) -> Graph:
    """About `edges` edges: source → 2 artifacts → 8 blocks → 8 chunks of 2 blocks → embeddings → hits on embedding and
    chunk → claims of 4 hits, old sources more often → reports of 10 claims, some made from earlier reports.

    Each `every_restricted`th source, and what rests on it, is restricted.
    """
    dice, graph = random.Random(edges), Graph()
    hits: list[list[int]] = []
    number = max(10, edges // _EDGES_OF_A_SOURCE)
    for count in range(number):
        source = graph.node(EntityType.SOURCE)
        if count % every_restricted == every_restricted - 1:
            graph.nodes[source] = (EntityType.SOURCE, 3)
        graph.sources.append(source)
        artifacts = [graph.node(EntityType.ARTIFACT, Relation.FETCHED_FROM, (source,)) for _ in range(2)]
        blocks = [graph.node(EntityType.BLOCK, Relation.PARSED_FROM, (artifacts[n // 4],)) for n in range(8)]
        hits.append([])
        for n in range(8):
            chunk = graph.node(EntityType.CHUNK, Relation.CHUNKED_FROM, (blocks[n], blocks[(n + 1) % 8]))
            embedding = graph.node(EntityType.EMBEDDING, Relation.EMBEDDED_FROM, (chunk,))
            hits[-1].append(graph.node(EntityType.RETRIEVAL_HIT, Relation.RETRIEVED_FROM, (embedding, chunk)))
    claims = [
        graph.node(
            EntityType.CLAIM,
            Relation.SUPPORTED_BY,
            tuple(dice.choice(hits[int(number * dice.random() ** 2.5)]) for _ in range(4)),
        )
        for _ in range(4 * number)
    ]
    for _ in range(number * _REPORTS_OF_TEN_SOURCES // 10):
        earlier = graph.reports if graph.reports and dice.random() < _RECYCLED else []
        rests_on = [dice.choice(claims) for _ in range(10)] + [dice.choice(earlier) for _ in earlier[:2]]
        graph.reports.append(graph.node(EntityType.REPORT, Relation.DERIVED_FROM, tuple(rests_on)))
    return graph


def ladder(steps: int) -> Graph:
    """Two rungs a step: 2^steps ways from the last node to the first."""
    graph = Graph()
    last = graph.node(EntityType.CHUNK)
    for _ in range(steps):
        rungs = tuple(graph.node(EntityType.CHUNK, Relation.DERIVED_FROM, (last,)) for _ in range(2))
        last = graph.node(EntityType.CHUNK, Relation.DERIVED_FROM, rungs)
    return graph


def chain(length: int) -> Graph:
    """One after the other, `length` edges."""
    graph = Graph()
    last = graph.node(EntityType.CHUNK)
    for _ in range(length):
        last = graph.node(EntityType.CHUNK, Relation.DERIVED_FROM, (last,))
    return graph


def star(width: int) -> Graph:
    """`width` chunks of one artifact."""
    graph = Graph()
    middle = graph.node(EntityType.ARTIFACT)
    for _ in range(width):
        graph.node(EntityType.CHUNK, Relation.CHUNKED_FROM, (middle,))
    return graph
