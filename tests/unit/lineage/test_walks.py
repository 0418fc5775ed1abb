"""Walks over dependences: exact, each node once, one statement, at a cost of the answer."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.core.asking import Asker, system
from lineage.core.relations import Label, Relation
from lineage.models import Entity
from lineage.queries import bounded, listing, questions, walks
from lineage.queries.bounded import Cut
from lineage.queries.walks import Direction, Walk
from tests.unit.lineage.graphs import Drawn, draw, many, told_ref

pytestmark = pytest.mark.django_db

DIAMOND = "b1 b2 > a, c > b1 b2"


def below(graph: Drawn, names: str, asker: Asker | None = None) -> str:
    found = walks.descendant_ids(starts=graph.keys(names), asker=asker or graph.system)
    assert len(found) == len(set(found))
    return graph.names(found)


def above(graph: Drawn, names: str, asker: Asker | None = None) -> str:
    found = walks.ancestor_ids(starts=graph.keys(names), asker=asker or graph.system)
    assert len(found) == len(set(found))
    return graph.names(found)


def ladder(steps: int) -> str:
    return ", ".join(f"c{n}x c{n}y > c{n}, c{n + 1} > c{n}x c{n}y" for n in range(steps))


def test_a_diamond_is_walked_once() -> None:
    graph = draw(DIAMOND)
    assert below(graph, "a") == "b1 b2 c"
    assert above(graph, "c") == "a b1 b2"
    for size in (1, 2, 3, 50):
        pages = [
            questions.descendants(ref=graph.ref("a"), asker=graph.system, page=n, per_page=size) for n in (1, 2, 3)
        ]
        assert {page.total for page in pages} == {3}
        met = [node.pk for page in pages[: pages[0].pages] for node in page.nodes]
        assert graph.names(met) == "b1 b2 c"


def test_ways_that_double_at_each_step_cost_as_much_as_their_nodes() -> None:
    graph = draw(ladder(60))
    with CaptureQueriesContext(connection) as queries:
        assert len(below(graph, "c0").split()) == 180
        assert (
            len(bounded.path_of(dependent=graph.nodes["c60"].pk, origin=graph.nodes["c0"].pk, asker=graph.system))
            == 121
        )
    assert len(queries) == 2


def test_structure_and_succession_are_not_walked() -> None:
    graph = draw("b > a, c > b", told=[("a", Relation.CONTAINS, "b"), ("c2", Relation.SUPERSEDES, "c")])
    assert above(graph, "a") == ""
    assert below(graph, "b") == "c"
    assert below(graph, "c") == ""


def test_an_output_rests_on_what_it_contains() -> None:
    assert below(draw("k > c, r > k"), "c") == "k r"


def test_a_circle_of_foreign_data_ends_and_leaves_its_start_out() -> None:
    graph = draw("c1 > c3, c2 > c1, c3 > c2")
    assert below(graph, "c1") == "c2 c3"
    assert above(graph, "c1") == "c2 c3"
    assert questions.explain(ref=graph.ref("c1"), asker=graph.system).cut is Cut.NOWHERE


def test_several_starts_are_one_walk() -> None:
    graph = draw("c1 > a1, c2 > a2, k > c1 c2, h > c3")
    with CaptureQueriesContext(connection) as queries:
        assert below(graph, "a1 a2") == "c1 c2 k"
    assert len(queries) == 1
    assert below(graph, "") == ""


def test_a_walk_stays_in_its_workspace() -> None:
    graph = draw(DIAMOND)
    draw(DIAMOND)
    assert below(graph, "a") == "b1 b2 c"


def test_what_may_not_be_read_is_not_walked_through() -> None:
    names = "c1 c2 c3 c4 c5 c6 c7 c8"
    graph = draw(
        f"{names} > s, k > c1 c4, r > k",
        labels={"s": Label.PUBLIC},
        lowered={f"c{n}": Label.PUBLIC for n in (1, 2, 3)} | {f"c{n}": Label.RESTRICTED for n in range(4, 9)},
    )
    viewer = graph.asker(Label.PUBLIC)
    assert below(graph, "s", viewer) == "c1 c2 c3"
    page = questions.descendants(ref=graph.ref("s"), asker=viewer, per_page=2)
    assert (page.total, page.pages, list(page.counts.values())) == (3, 2, [3])
    assert below(graph, "s") == f"{names} k r"


# SQLite takes 32,766 parameters a statement. PostgreSQL takes a minute and a half to look through so many foreign keys
# when the test is taken back.
@pytest.mark.parametrize(
    "wide",
    [pytest.param(40_000, marks=pytest.mark.sqlite), pytest.param(2_000, marks=pytest.mark.postgres)],
)
def test_however_wide_each_page_stands(wide: int) -> None:
    workspace, artifact = many(wide + 1, rests_on=lambda n: "0")
    asker = system(workspace)
    assert len(walks.descendant_ids(starts=[artifact], asker=asker)) == wide
    ref = told_ref(workspace, artifact)
    first = questions.descendants(ref=ref, asker=asker, per_page=500)
    last = questions.descendants(ref=ref, asker=asker, per_page=500, page=wide // 500)
    assert (first.total, first.pages, len(first.nodes), len(last.nodes)) == (wide, wide // 500, 500, 500)
    assert first.nodes[0].pk == artifact + 1
    assert last.nodes[-1].pk == artifact + wide
    picture = questions.picture(ref=ref, asker=asker, most=300)
    assert (len(picture.nodes), picture.cut) == (300, Cut.NODES)


def test_ten_thousand_deep_and_nothing_is_lost() -> None:
    workspace, first = many(10_001, rests_on=lambda n: f"{n} - 1")
    asker = system(workspace)
    with CaptureQueriesContext(connection) as queries:
        assert len(walks.ancestor_ids(starts=[first + 10_000], asker=asker)) == 10_000
    assert len(queries) == 1
    assert len(walks.descendant_ids(starts=[first], asker=Asker(workspace, Label.INTERNAL.level))) == 10_000
    assert len(bounded.path_of(dependent=first + 10_000, origin=first, asker=asker)) == 10_001
    assert walks.rests_on(dependent=first + 10_000, other=first, asker=asker)
    assert not walks.rests_on(dependent=first, other=first + 10_000, asker=asker)


@pytest.mark.postgres
@pytest.mark.parametrize("label", Label)
def test_postgresql_never_reads_the_whole_table_of_edges_of_a_small_graph(label: Label) -> None:
    workspace, first = many(1_000, rests_on=lambda n: f"{n} - 1")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE lineage_edge")
        cursor.execute("ANALYZE lineage_entity")
    for direction in Direction:
        walk = Walk.of([first], direction, Asker(workspace, label.level))
        plan = "\n".join(line for (line,) in walks.rows(f"EXPLAIN {walk.select}", walk.parameters))
        assert "on lineage_edge" in plan
        assert "Seq Scan on lineage" not in plan


@pytest.mark.sqlite
@pytest.mark.parametrize("label", Label)
def test_sqlite_never_goes_over_a_whole_table_for_one_question(label: Label) -> None:
    workspace, first = many(1_000, rests_on=lambda n: f"{n} - 1")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    asker = Asker(workspace, label.level)
    with CaptureQueriesContext(connection) as queries:
        for direction in Direction:
            filters = listing.Filters(relations=frozenset({Relation.DERIVED_FROM}))
            start = Entity.objects.get(pk=first)
            list(questions.reached(start=start, direction=direction, asker=asker)[:10])
            list(questions.reached(start=start, direction=direction, asker=asker, filters=filters)[:10])
        walks.descendant_ids(starts=[first], asker=asker)
        bounded.path_of(dependent=first + 9, origin=first, asker=asker)
    for query in queries.captured_queries:
        plan = [row[-1] for row in walks.rows(f"EXPLAIN QUERY PLAN {query['sql']}", [])]
        assert not [line for line in plan if "BLOOM" in line or line.startswith(("SCAN lineage", "SCAN e", "SCAN x"))]


def test_a_search_ends_where_the_smaller_side_ends() -> None:
    graph = draw("c1 > a, c2 > c1, k > c2, h > c9")
    one = {name: node.pk for name, node in graph.nodes.items()}
    assert walks.rests_on(dependent=one["k"], other=one["a"], asker=graph.system)
    assert not walks.rests_on(dependent=one["a"], other=one["k"], asker=graph.system)
    assert not walks.rests_on(dependent=one["a"], other=one["a"], asker=graph.system)
    assert not walks.rests_on(dependent=one["k"], other=one["c9"], asker=graph.system)


def test_a_search_goes_on_past_its_first_look() -> None:
    workspace, first = many(2_500, rests_on=lambda n: f"({n} - 1) / 2")
    below = many(1_200, rests_on=lambda n: f"{n} - 1")
    assert walks.rests_on(dependent=first + 2_499, other=first, asker=system(workspace))
    assert walks.rests_on(dependent=below[1] + 1_199, other=below[1], asker=system(below[0]))


def test_the_nearest_nodes_come_with_their_distances_and_say_where_they_end() -> None:
    graph = draw("b1 b2 > a, c > b1, k > c b2")
    start = graph.keys("a")

    def near(most: int, depth: int | None = None) -> tuple[dict[str, int], int, Cut]:
        found = bounded.nearest(starts=start, direction=Direction.DOWN, asker=graph.system, most=most, depth=depth)
        return {graph.names([key]): one for key, one in found.depths.items()}, len(found.links), found.cut

    assert near(5) == ({"a": 0, "b1": 1, "b2": 1, "c": 2, "k": 2}, 5, Cut.NOWHERE)
    assert near(4) == ({"a": 0, "b1": 1, "b2": 1, "c": 2}, 3, Cut.NODES) or near(4)[2] is Cut.NODES
    assert near(5, depth=1) == ({"a": 0, "b1": 1, "b2": 1}, 2, Cut.DEPTH)
    assert near(4, depth=1) == ({"a": 0, "b1": 1, "b2": 1}, 2, Cut.DEPTH)
    assert near(5, depth=2)[2] is Cut.NOWHERE
