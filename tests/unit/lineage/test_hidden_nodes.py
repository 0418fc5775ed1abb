"""What an asker may not see leaves no trace: each answer is that of a graph in which it never was."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.access import NoSuchEntity
from lineage.core.asking import Asker
from lineage.core.relations import Label, Relation
from lineage.core.steps import Link, Step
from lineage.models import Entity
from lineage.queries import bounded, questions, walks
from lineage.queries.listing import Filters, Listing
from lineage.queries.walks import Direction
from tests.unit.lineage.graphs import Drawn, Told, draw

pytestmark = pytest.mark.django_db

LAYERS = ["s", "v", "b", "c", "h", "k", "r"]
NAMES = [f"{letter}{n}" for letter in LAYERS for n in range(5)]


def random_edges(dice: random.Random) -> list[Told]:
    """Edges from each layer to the one before it and now and then past it, of two runs."""
    relations = [Relation.FETCHED_FROM, Relation.PARSED_FROM, Relation.CHUNKED_FROM, Relation.RETRIEVED_FROM]
    relations += [Relation.SUPPORTED_BY, Relation.GENERATED_FROM]
    edges: list[Told] = []
    for layer, relation in enumerate(relations):
        for n in range(5):
            for other in {dice.randrange(5) for _ in range(2)}:
                how = {"transform_type": relation.lower(), "config_hash": "c" * 64, "run_id": f"r{dice.randrange(2)}"}
                edges.append((f"{LAYERS[layer + 1]}{n}", relation, f"{LAYERS[layer]}{other}", how))
    edges += [(f"k{n}", Relation.DERIVED_FROM, f"s{dice.randrange(5)}") for n in range(2)]
    return edges


@pytest.mark.parametrize("seed", range(6))
def test_leaving_out_inside_the_walk_is_leaving_out_afterwards(seed: int) -> None:
    dice = random.Random(seed)
    graph = draw(told=random_edges(dice), labels={name: dice.choice(list(Label)) for name in dice.sample(NAMES, 12)})
    for label in Label:
        asker, readable = graph.asker(label), {key.pk for key in graph.nodes.values() if key.level <= label.level}
        for walk in (walks.descendant_ids, walks.ancestor_ids):
            for start in sorted(readable):
                everything = walk(starts=[start], asker=graph.system)
                assert set(walk(starts=[start], asker=asker)) == set(everything) & readable


def listing(found: Listing) -> Any:
    return names(found.nodes), found.total, found.page, found.pages, sorted(found.counts.items())


def names(nodes: Any) -> list[str]:
    return [node.logical_id for node in nodes]


def links(found: list[Link], nodes: dict[int, Entity]) -> list[Any]:
    return [(nodes[one.dependent].ref, nodes[one.other].ref, *one[3:]) for one in found]


def step(one: Step, nodes: dict[int, Entity]) -> Any:
    keys = [[nodes[key].ref for key in part] for part in (one.made, one.inputs, one.means)]
    return one.rank, one.transform, one.run_id, one.relations, keys


def pictured(ref: str, asker: Asker) -> Any:
    found = questions.picture(ref=ref, asker=asker, depth=3)
    depths = {found.nodes[key].ref: one for key, one in found.depths.items()}
    return depths, links(found.links, found.nodes), found.cut


def told(ref: str, asker: Asker) -> Any:
    found = questions.explain(ref=ref, asker=asker)
    return [step(one, found.nodes) for one in found.steps], names(found.origins), sorted(names(found.nodes.values()))


def planned(ref: str, asker: Asker) -> Any:
    found = questions.replay_plan(ref=ref, asker=asker)
    return [(step(one.step, found.nodes), [gap.explanation for gap in one.gaps]) for one in found.steps]


def evident(ref: str, asker: Asker) -> Any:
    found = questions.evidence_for(claim=ref, asker=asker, per_page=2)
    return [(piece.node.ref, names(piece.sources)) for piece in found.pieces], found.total, found.pages


def away(ref: str, asker: Asker) -> Any:
    found = questions.descendants(ref=ref, asker=asker)
    keys = {node.pk: node.ref for node in found.nodes}
    assert found.start is not None
    steps = bounded.steps_to(nodes=list(keys), start=found.start.pk, direction=Direction.DOWN, asker=asker)
    assert steps.keys() == keys.keys()
    return {keys[key]: number for key, number in steps.items()}


def way(ref: str, asker: Asker) -> Any:
    found = questions.path(a=ref, b="source://pier/s0/v1", asker=asker)
    return [(hop.node.ref, hop.link and hop.link[3:]) for hop in found.hops]


def compared(asker: Asker) -> Any:
    found = questions.diff(first="r0", second="r1", asker=asker, per_page=5)
    pairs = [(one.role, one.change, *(end and end.ref for end in (one.first, one.second))) for one in found.differences]
    return pairs, found.counts, found.same, found.total, found.pages, found.transforms


OF_A_REF: dict[str, Callable[[str, Asker], Any]] = {
    "descendants": lambda ref, asker: listing(questions.descendants(ref=ref, asker=asker, per_page=3)),
    "ancestors": lambda ref, asker: listing(questions.ancestors(ref=ref, asker=asker, page=2, per_page=3)),
    "by relation": lambda ref, asker: listing(
        questions.descendants(ref=ref, asker=asker, filters=Filters(relations=frozenset({Relation.CHUNKED_FROM})))
    ),
    "by text": lambda ref, asker: listing(
        questions.descendants(ref=ref, asker=asker, filters=Filters(text="PIER/C"), per_page=3)
    ),
    "steps": away,
    "evidence_for": evident,
    "explain": told,
    "replay_plan": planned,
    "picture": pictured,
    "path": way,
}
OF_A_WORKSPACE: dict[str, Callable[[Asker], Any]] = {
    "outputs_for_run": lambda asker: listing(questions.outputs_for_run(run_id="r1", asker=asker, per_page=4)),
    "recall": lambda asker: listing(questions.recall(transform="parsed_from", asker=asker, per_page=4)),
    "recall by relation": lambda asker: listing(
        questions.recall(
            config_hash="c" * 64, asker=asker, filters=Filters(relations=frozenset({Relation.CHUNKED_FROM}))
        )
    ),
    "diff": compared,
}


def worlds(seed: int) -> tuple[Drawn, Asker, Asker]:
    """A graph with a viewer who may not read all of it, and one who asks the same graph without what is hidden."""
    dice = random.Random(seed)
    edges = random_edges(dice)
    labels = dict.fromkeys(dice.sample([one for one in NAMES if one not in {"s0", "k0"}], 6), Label.RESTRICTED)
    lowered = dict.fromkeys(("s0", "k0", "r0", "c0"), Label.PUBLIC)
    only_named = dice.sample(["h1", "h2", "b1", "b2"], 2)
    first = draw(told=edges, labels=labels, lowered=lowered, only_named=only_named)
    viewer = first.asker(Label.INTERNAL)
    hidden = [name for name, node in first.nodes.items() if node.level > viewer.level]
    second = draw(told=edges, labels=labels, lowered=lowered, only_named=only_named, without=hidden)
    assert hidden
    return first, viewer, second.asker(Label.INTERNAL)


@pytest.mark.parametrize("seed", range(3))
def test_every_answer_is_that_of_a_graph_where_the_hidden_nodes_never_were(seed: int) -> None:
    first, viewer, other = worlds(seed)

    def asked(ask: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
        with CaptureQueriesContext(connection) as queries:
            answer = ask(*arguments)
        return answer, [query["sql"].split()[0] for query in queries.captured_queries]

    for name, ask in OF_A_REF.items():
        for start in ("s0", "k0", "r0", "c0"):
            ref = first.ref(start)
            assert asked(ask, ref, viewer) == asked(ask, ref, other), (name, start)
    for name, of_all in OF_A_WORKSPACE.items():
        assert asked(of_all, viewer) == asked(of_all, other), name


def test_a_hidden_a_foreign_and_a_missing_node_are_refused_by_one_and_the_same_query() -> None:
    here = draw("c > b", labels={"b": Label.RESTRICTED}, only_named=["c"])
    draw("b9 > a9")
    for name, ask in OF_A_REF.items():
        statements = []
        for ref in (here.ref("b"), here.ref("b9"), here.ref("b77"), here.ref("c")):
            with CaptureQueriesContext(connection) as queries, pytest.raises(NoSuchEntity):
                ask(ref, here.asker(Label.INTERNAL))
            assert len(queries) == 1, name
            statements.append(len(queries.captured_queries[0]["sql"]))
        assert len(set(statements)) == 1, name


def test_whoever_sees_the_end_but_not_the_middle_sees_no_way() -> None:
    graph = draw("c > b, k > c", labels={"c": Label.RESTRICTED}, lowered={"k": Label.PUBLIC})
    viewer = graph.asker(Label.INTERNAL)
    one = {name: node.pk for name, node in graph.nodes.items()}
    assert walks.rests_on(dependent=one["k"], other=one["b"], asker=graph.system)
    assert not walks.rests_on(dependent=one["k"], other=one["b"], asker=viewer)
    assert bounded.path_of(dependent=one["k"], origin=one["b"], asker=viewer) == []
    assert bounded.nearest(starts=[one["b"]], direction=Direction.DOWN, asker=viewer, most=9).depths == {one["b"]: 0}
