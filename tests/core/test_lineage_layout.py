"""Pictures of lineage: where nodes stand, and what is drawn as one."""

import time
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.core.drawing import MOST_SIBLINGS, Node, Side, drawing
from lineage.core.layout import COLUMN, ROW, layout
from lineage.core.relations import EntityState, EntityType
from lineage.core.steps import Link, Transform

GRAPHS = st.integers(1, 24).flatmap(
    lambda size: st.tuples(
        st.just(size), st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=60)
    )
)
_MS = 1_000


@settings(max_examples=60, deadline=None)
@given(GRAPHS)
def test_no_two_nodes_stand_on_each_other(graph: tuple[int, list[tuple[int, int]]]) -> None:
    size, edges = graph
    places = layout(nodes=range(size), edges=edges).places
    assert set(places) == set(range(size))
    for one, two in combinations(places.values(), 2):
        assert abs(one.x - two.x) >= COLUMN or abs(one.y - two.y) >= ROW - 0.2


@settings(max_examples=60, deadline=None)
@given(GRAPHS)
def test_edges_lead_from_the_right_to_the_left_and_all_lies_inside(graph: tuple[int, list[tuple[int, int]]]) -> None:
    size, pairs = graph
    edges = [(max(pair), min(pair)) for pair in pairs if pair[0] != pair[1]]
    found = layout(nodes=range(size), edges=edges)
    assert set(found.ways) == set(edges)
    for (dependent, other), points in found.ways.items():
        assert found.places[dependent].column > found.places[other].column
        assert [x for x, _ in points] == sorted((x for x, _ in points), reverse=True)
        assert all(0 <= x <= found.width and -0.2 <= y <= found.height + 0.2 for x, y in points)


@settings(max_examples=40, deadline=None)
@given(GRAPHS, st.randoms(use_true_random=False))
def test_the_order_in_which_a_graph_comes_does_not_move_it(graph: tuple[int, list[tuple[int, int]]], any_order) -> None:  # type: ignore[no-untyped-def]
    size, edges = graph
    nodes, mixed = list(range(size)), list(edges)
    any_order.shuffle(nodes)
    any_order.shuffle(mixed)
    assert layout(nodes=nodes, edges=mixed) == layout(nodes=range(size), edges=edges)


def test_two_thousand_nodes_take_milliseconds() -> None:
    layers = [range(at, at + 200) for at in range(0, 2_000, 200)]
    edges = [
        (node, before[(node * 7 + step * 31) % 200])
        for before, layer in pairwise(layers)
        for node in layer
        for step in range(3)
    ]
    begun = time.process_time()
    layout(nodes=range(2_000), edges=edges)
    assert (time.process_time() - begun) * _MS < 300


def test_a_chain_and_a_star_of_two_thousand_are_placed() -> None:
    chain = layout(nodes=range(2_000), edges=[(node + 1, node) for node in range(1_999)])
    assert (chain.columns, chain.height) == (2_000, ROW)
    star = layout(nodes=range(2_000), edges=[(node, 0) for node in range(1, 2_000)])
    assert star.columns == 2
    ladder = [(node, 0) for node in range(2, 1_000)] + [(node + 1, node) for node in range(999)]
    assert layout(nodes=range(1_000), edges=ladder).columns == 1_000


def link(dependent: int, other: int) -> Link:
    return Link(0, dependent, other, "CHUNKED_FROM", Transform(), "")


def nodes_of(number: int, kind: EntityType = EntityType.CHUNK, **states: EntityState) -> dict[int, Node]:
    start = {0: Node(EntityType.ARTIFACT, EntityState.CURRENT, "h0")}
    return start | {
        key: Node(kind, states.get(f"n{key}", EntityState.CURRENT), f"h{key}") for key in range(1, number + 1)
    }


def test_more_than_twelve_siblings_are_one_group_until_it_is_opened() -> None:
    for number in (MOST_SIBLINGS, MOST_SIBLINGS + 1):
        links = [link(key, 0) for key in range(1, number + 1)]
        found = drawing(start=0, nodes=nodes_of(number), links=links)
        assert len(found.boxes) == (1 + number if number == MOST_SIBLINGS else 2)
    group = found.boxes[1]
    assert (group.is_group, len(group.members), group.side, group.parent) == (True, 13, Side.DOWN, 0)
    opened = drawing(start=0, nodes=nodes_of(number), links=links, opened=[group.handle])
    assert len(opened.boxes) == 14
    assert [(one.handle, one.number) for one in opened.opened] == [(group.handle, 13)]
    assert found.opened == []


def test_what_hangs_on_members_of_a_group_hangs_on_the_group() -> None:
    nodes = nodes_of(40)
    links = [link(key, 0) for key in range(1, 21)] + [link(key + 20, key) for key in range(1, 21)]
    found = drawing(start=0, nodes=nodes, links=links)
    assert [(box.key, len(box.members)) for box in found.boxes.values()] == [(0, 1), (1, 20), (21, 20)]
    assert list(found.edges) == [(1, 0), (21, 1)]


def test_only_what_fell_keeps_the_way_to_it() -> None:
    links = [link(1, 0), link(2, 1), link(3, 0)]
    found = drawing(start=0, nodes=nodes_of(3, n2=EntityState.STALE), links=links, only_fallen=True)
    assert set(found.boxes) == {0, 1, 2}


def test_a_node_on_both_ways_of_a_diamond_is_drawn_once_with_both_edges() -> None:
    links = [link(1, 0), link(2, 0), link(3, 1), link(3, 2)]
    found = drawing(start=0, nodes=nodes_of(3), links=links)
    assert len(found.boxes) == 4
    assert set(found.edges) == {(1, 0), (2, 0), (3, 1), (3, 2)}
