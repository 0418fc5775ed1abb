"""What the questions answer: exact lists, evidence, runs, recalls, ways, stories and plans."""

import pytest

from lineage.core.measures import Measure
from lineage.core.relations import EntityState, EntityType, Label, Pin, Relation
from lineage.models import Edge, Entity
from lineage.queries import bounded, measures, questions
from lineage.queries.bounded import Cut
from lineage.queries.listing import Filters
from lineage.queries.runs import Change, Role
from lineage.queries.stories import Missing
from lineage.queries.walks import Direction
from tests import factories as make
from tests.clock import NOW
from tests.unit.lineage.graphs import Drawn, Told, draw

pytestmark = pytest.mark.django_db

PIPELINE = "v > s, b1 b2 > v, c1 > b1, c2 > b2, h1 > c1, h2 > c2, k > h1 h2, r > k"
PARSED = {
    "transform_type": "parse",
    "transform_implementation": "pdf",
    "transform_version": "3",
    "config_hash": "c" * 64,
}


def by(run: str, **how: str) -> dict[str, str]:
    return {**PARSED, "run_id": run, **how}


def test_filters_narrow_the_total_and_leave_the_counts() -> None:
    graph = draw(PIPELINE, states={"c1": EntityState.STALE})
    chunks = Filters(types=frozenset({EntityType.CHUNK}))
    found = questions.descendants(ref=graph.ref("s"), asker=graph.system, filters=chunks)
    assert (graph.names(found.nodes), found.total) == ("c1 c2", 2)
    assert found.counts[EntityType.CHUNK, EntityState.STALE] == 1
    assert sum(found.counts.values()) == 9
    stale = Filters(states=frozenset({EntityState.STALE}))
    assert graph.names(questions.descendants(ref=graph.ref("s"), asker=graph.system, filters=stale).nodes) == "c1"
    parsed = Filters(relations=frozenset({Relation.PARSED_FROM}))
    assert graph.names(questions.descendants(ref=graph.ref("s"), asker=graph.system, filters=parsed).nodes) == "b1 b2"
    assert graph.names(questions.ancestors(ref=graph.ref("r"), asker=graph.system, filters=parsed).nodes) == "v"


def test_text_finds_refs_and_titles_and_narrows_the_counts_too() -> None:
    graph = draw(PIPELINE)
    Entity.objects.filter(pk=graph.nodes["k"].pk).update(metadata={"title": "The Sea rises"})

    def told(text: str) -> tuple[str, int]:
        found = questions.descendants(ref=graph.ref("s"), asker=graph.system, filters=Filters(text=text))
        assert found.total == sum(found.counts.values())
        return graph.names(found.nodes), found.total

    assert told("chunk://") == ("c1 c2", 2)
    assert told("sea RISES") == ("k", 1)
    assert told("%") == ("", 0)
    assert told("block://pier/b1@v1") == ("b1", 1)


def test_steps_are_those_of_a_shortest_way_on_either_side() -> None:
    graph = draw(PIPELINE, told=[("r", Relation.DERIVED_FROM, "b1")])
    nodes = graph.keys("v b1 b2 c1 k r")
    down = bounded.steps_to(nodes=nodes, start=graph.nodes["s"].pk, direction=Direction.DOWN, asker=graph.system)
    assert [down[key] for key in nodes] == [1, 2, 2, 3, 5, 3]
    nodes = graph.keys("s v b1 b2 c1 k")
    up = bounded.steps_to(nodes=nodes, start=graph.nodes["r"].pk, direction=Direction.UP, asker=graph.system)
    assert [up[key] for key in nodes] == [3, 2, 1, 4, 3, 1]


def test_a_page_past_the_end_is_the_last_one() -> None:
    graph = draw(PIPELINE)
    last = questions.descendants(ref=graph.ref("s"), asker=graph.system, page=9, per_page=4)
    assert (last.page, last.pages, len(last.nodes)) == (3, 3, 1)


def test_what_is_only_named_is_walked_through_and_neither_listed_nor_counted() -> None:
    graph = draw(PIPELINE, only_named=["c1", "b1"])
    found = questions.ancestors(ref=graph.ref("h1"), asker=graph.system)
    assert (graph.names(found.nodes), found.total) == ("s v", 2)
    way = questions.path(a=graph.ref("h1"), b=graph.ref("s"), asker=graph.system)
    assert [(graph.names([hop.node]), hop.link is None) for hop in way.hops] == [
        ("h1", True),
        ("v", False),
        ("s", True),
    ]
    picture = questions.picture(ref=graph.ref("h1"), asker=graph.system)
    assert graph.names(picture.nodes.values()) == "h1 k r s v"
    plan = questions.replay_plan(ref=graph.ref("h1"), asker=graph.system)
    assert plan.steps[-1].gaps[-1].explanation == "It rests on something that is known by name only."


def test_the_same_relation_told_by_two_runs_is_one_node_in_each() -> None:
    graph = draw(told=[("c", Relation.CHUNKED_FROM, "b", by("r1")), ("c", Relation.CHUNKED_FROM, "b", by("r2"))])
    assert Edge.objects.count() == 2
    assert questions.ancestors(ref=graph.ref("c"), asker=graph.system).total == 1
    for run in ("r1", "r2"):
        assert graph.names(questions.outputs_for_run(run_id=run, asker=graph.system).nodes) == "c"
    assert questions.outputs_for_run(run_id="r3", asker=graph.system).total == 0
    assert questions.outputs_for_run(run_id="", asker=graph.system).total == 0
    Edge.objects.filter(run_id="r1").delete()
    assert questions.ancestors(ref=graph.ref("c"), asker=graph.system).total == 1


def test_a_recall_gives_what_the_faulty_config_made_and_all_below_it() -> None:
    bad, good = "d" * 64, "e" * 64
    graph = draw(
        "c1 > b1, c2 > b2, c3 > b3, k > c1",
        told=[
            ("b1", Relation.PARSED_FROM, "a", by("r5", config_hash=bad)),
            ("b2", Relation.PARSED_FROM, "a", by("r6", config_hash=bad)),
            ("b3", Relation.PARSED_FROM, "a", by("r7", config_hash=good)),
        ],
    )
    asked = {"asker": graph.system, "transform": "parse", "version": "3", "config_hash": bad}
    found = questions.recall(**asked)
    assert (graph.names(found.nodes), found.total) == ("b1 b2 c1 c2 k", 5)
    parts = [questions.outputs_for_run(run_id=run, asker=graph.system).nodes for run in ("r5", "r6")]
    below = [questions.descendants(ref=node.ref, asker=graph.system).nodes for part in parts for node in part]
    assert {node.pk for part in [*parts, *below] for node in part} == {node.pk for node in found.nodes}
    by_relation = questions.recall(**asked, filters=Filters(relations=frozenset({Relation.PARSED_FROM})))
    assert graph.names(by_relation.nodes) == "b1 b2"
    assert questions.recall(asker=graph.system, config_hash=good).total == 2
    assert questions.recall(asker=graph.system, transform="parse", version="4").total == 0
    with pytest.raises(questions.NothingToRecall):
        questions.recall(asker=graph.system, version="3")


def test_a_way_is_shortest_and_found_from_either_end() -> None:
    graph = draw("b > a, c1 > b, c2 > c1, k > c2 b, h > c9")
    for one, other in (("k", "a"), ("a", "k")):
        way = questions.path(a=graph.ref(one), b=graph.ref(other), asker=graph.system)
        assert [hop.node.ref for hop in way.hops] == [graph.ref(name) for name in ("k", "b", "a")]
        assert [hop.link and hop.link.relation for hop in way.hops] == ["SUPPORTED_BY", "PARSED_FROM", None]
    assert not questions.path(a=graph.ref("k"), b=graph.ref("h"), asker=graph.system).exists
    assert [hop.node.ref for hop in questions.path(a=graph.ref("k"), b=graph.ref("k"), asker=graph.system).hops] == [
        graph.ref("k")
    ]


def test_evidence_says_how_it_bears_and_which_sources_stand_behind_it() -> None:
    graph = draw("c1 > v1, v1 > s1, c2 > s1, c3 > v2, h1 > c1 c2, h2 > c3, k > h1 h2")
    edge = Edge.objects.get(to_entity=graph.nodes["h2"])
    make.EvidenceFactory(edge=edge, support="partial", rank=1, is_verified=True)
    make.ClaimFactory(entity=graph.nodes["k"])
    make.VerificationFactory(claim=graph.nodes["k"], at=NOW, result="FAIL")
    found = questions.evidence_for(claim=graph.ref("k"), asker=graph.system)
    told = [
        (graph.names([piece.node]), piece.evidence and piece.evidence.support, graph.names(piece.sources))
        for piece in found.pieces
    ]
    assert told == [("h2", "partial", "v2"), ("h1", None, "s1")]
    assert (found.total, found.record is not None, found.verification and found.verification.result) == (
        2,
        True,
        "FAIL",
    )
    assert len(questions.evidence_for(claim=graph.ref("k"), asker=graph.system, page=2, per_page=1).pieces) == 1


def story_graph(**more: str) -> Drawn:
    told: list[Told] = [
        ("b1", Relation.PARSED_FROM, "v", by("r1")),
        ("b2", Relation.PARSED_FROM, "v", by("r1")),
        ("c", Relation.CHUNKED_FROM, "b1", by("r1", transform_type="chunk", **more)),
        ("c", Relation.CHUNKED_FROM, "b2", by("r1", transform_type="chunk", **more)),
        ("r", Relation.GENERATED_FROM, "c", by("r2", transform_type="write")),
        ("r", Relation.GENERATED_FROM, "m", by("r2", transform_type="write")),
        ("r", Relation.TRANSFORMED_BY, "p"),
    ]
    return draw(told=told)


def test_a_story_tells_each_step_with_its_transform_and_what_it_was_made_with() -> None:
    graph = story_graph()
    story = questions.explain(ref=graph.ref("r"), asker=graph.system)
    told = [
        (step.transform.type, step.run_id, *(graph.names(keys) for keys in (step.made, step.inputs, step.means)))
        for step in story.steps
    ]
    assert told == [
        ("parse", "r1", "b1 b2", "v", ""),
        ("chunk", "r1", "c", "b1 b2", ""),
        ("write", "r2", "r", "c", "m p"),
    ]
    assert graph.names(story.origins) == "v"
    assert story.cut is Cut.NOWHERE
    assert questions.explain(ref=graph.ref("r"), asker=graph.system, most=3).cut is Cut.NODES


def test_a_plan_can_be_replayed_where_every_version_and_config_is_known() -> None:
    graph = story_graph()
    plan = questions.replay_plan(ref=graph.ref("r"), asker=graph.system)
    assert [planned.step.transform.type for planned in plan.steps] == ["parse", "chunk", "write"]
    assert plan.can_be_replayed
    assert not questions.replay_plan(ref=graph.ref("r"), asker=graph.system, most=3).can_be_replayed
    assert not questions.replay_plan(ref=graph.ref("v"), asker=graph.system).can_be_replayed


@pytest.mark.parametrize(
    ("how", "missing"),
    [({"transform_version": ""}, Missing.VERSION), ({"config_hash": ""}, Missing.CONFIG)],
)
def test_a_plan_names_what_is_missing(how: dict[str, str], missing: Missing) -> None:
    graph = story_graph(**how)
    plan = questions.replay_plan(ref=graph.ref("r"), asker=graph.system)
    assert [[gap.missing for gap in planned.gaps] for planned in plan.steps] == [[], [missing], []]
    assert not plan.can_be_replayed


@pytest.mark.parametrize("nearest", [1, 3, 5, 200])
@pytest.mark.parametrize(
    ("how", "is_gone"), [({}, False), ({}, True), ({"transform_version": ""}, False), ({"config_hash": ""}, False)]
)
def test_the_measure_of_replays_says_what_the_whole_plan_says(
    monkeypatch: pytest.MonkeyPatch, nearest: int, how: dict[str, str], is_gone: bool
) -> None:
    graph = story_graph(**how)
    if is_gone:
        Entity.objects.filter(pk=graph.nodes["v"].pk).update(state=EntityState.TOMBSTONED)
    monkeypatch.setattr(measures, "NEAREST", nearest)
    lacking = measures.behind(measure=Measure.REPLAY, asker=graph.system)
    plan = questions.replay_plan(ref=graph.ref("r"), asker=graph.system)
    assert [one.ref for one in lacking] == ([] if plan.can_be_replayed else [graph.ref("r")])
    assert plan.can_be_replayed is not (bool(how) or is_gone)


def test_a_plan_names_inputs_that_are_gone_or_have_no_fixed_version() -> None:
    graph = story_graph()
    Entity.objects.filter(pk=graph.nodes["v"].pk).update(state=EntityState.TOMBSTONED)
    Entity.objects.filter(pk=graph.nodes["m"].pk).update(pin=Pin.UNRESOLVED, version="")
    # Made again by the plan itself, so that its loss does not matter.
    Entity.objects.filter(pk=graph.nodes["c"].pk).update(state=EntityState.TOMBSTONED)
    plan = questions.replay_plan(ref=graph.ref("r"), asker=graph.system)
    assert [[gap.explanation for gap in planned.gaps] for planned in plan.steps] == [
        [f"{graph.ref('v')} was removed."],
        [],
        [f"{graph.ref('m')} has no fixed version."],
    ]


def test_two_runs_differ_in_what_they_read_and_made_and_with_what() -> None:
    graph = draw(
        told=[
            ("b1", Relation.PARSED_FROM, "a1", by("r1")),
            ("b1", Relation.PARSED_FROM, "a1", by("r2", transform_version="4")),
            ("b2", Relation.PARSED_FROM, "a1", by("r1")),
            ("b3", Relation.PARSED_FROM, "a2", by("r2", transform_version="4")),
        ]
    )
    Entity.objects.filter(pk=graph.nodes["b3"].pk).update(logical_id="pier/b2", content_hash="f" * 64)
    found = questions.diff(first="r1", second="r2", asker=graph.system)
    assert found.same == {Role.INPUT: 1, Role.OUTPUT: 1}
    assert found.counts == {(Role.INPUT, Change.ADDED): 1, (Role.OUTPUT, Change.CHANGED): 1}
    told = [
        (one.role, one.change, one.first and one.first.ref, one.second and one.second.ref) for one in found.differences
    ]
    assert told == [
        (Role.INPUT, Change.ADDED, None, graph.ref("a2")),
        (Role.OUTPUT, Change.CHANGED, graph.ref("b2"), graph.ref("b3")),
    ]
    assert [[one.version for one in side] for side in found.transforms] == [["3"], ["4"]]
    assert questions.diff(first="r1", second="r1", asker=graph.system).total == 0
    assert not any(one.has_same_content for one in found.differences)


def test_what_no_run_told_is_of_no_run() -> None:
    graph = draw(told=[("c1", Relation.CHUNKED_FROM, "b1"), ("c2", Relation.CHUNKED_FROM, "b1", {"run_id": "R"})])
    found = questions.diff(first="", second="R", asker=graph.system)
    assert [(one.role, one.change) for one in found.differences] == [("input", "added"), ("output", "added")]
    assert questions.outputs_for_run(run_id="", asker=graph.system).total == 0


def test_questions_of_a_viewer_end_where_their_sight_ends() -> None:
    graph = draw(PIPELINE, labels={"b2": Label.RESTRICTED})
    viewer = graph.asker(Label.INTERNAL)
    assert graph.names(questions.descendants(ref=graph.ref("s"), asker=viewer).nodes) == "b1 c1 h1 v"
