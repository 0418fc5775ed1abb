"""Steps of a story: what was made in one way is one step, after all that it rests on."""

from lineage.core.relations import EntityType, Relation
from lineage.core.steps import Link, Step, Transform, steps

PARSER = Transform("parse", "pdf", "3", "a" * 64)
CHUNKER = Transform("chunk", "lines", "1", "b" * 64)
BARE = Transform()


def link(dependent: int, other: int, transform: Transform = BARE, run: str = "") -> Link:
    return Link(dependent * 1_000 + other, dependent, other, Relation.DERIVED_FROM, transform, run)


def told(links: list[Link], **types: EntityType) -> list[Step]:
    ends = {end for one in links for end in (one.dependent, one.other)}
    return steps(links=links, types={end: types.get(f"n{end}", EntityType.CHUNK) for end in ends})


def shape(found: list[Step]) -> list[tuple[str, list[int], list[int]]]:
    return [(step.transform.type, step.made, step.inputs) for step in found]


def test_what_one_transform_made_in_one_run_is_one_step() -> None:
    found = told([link(2, 1, PARSER, "r1"), link(3, 1, PARSER, "r1"), link(4, 2, CHUNKER), link(4, 3, CHUNKER)])
    assert shape(found) == [("parse", [2, 3], [1]), ("chunk", [4], [2, 3])]


def test_another_run_version_or_rank_is_another_step() -> None:
    newer = PARSER._replace(version="4")
    found = told(
        [link(2, 1, PARSER, "r1"), link(2, 1, PARSER, "r2"), link(3, 1, newer, "r1"), link(5, 2, PARSER, "r1")]
    )
    assert [(step.transform.version, step.run_id, step.made) for step in found] == [
        ("3", "r1", [2]),
        ("3", "r2", [2]),
        ("4", "r1", [3]),
        ("3", "r1", [5]),
    ]


def test_a_step_stands_after_all_that_it_rests_on_by_the_longest_way() -> None:
    found = told([link(4, 1), link(4, 3), link(3, 2), link(2, 1)])
    assert [step.made for step in found] == [[2], [3], [4]]


def test_models_and_prompts_are_what_it_was_made_with() -> None:
    found = told([link(2, 1, PARSER), link(2, 8), link(2, 9)], n8=EntityType.MODEL, n9=EntityType.PROMPT)
    assert [(step.transform, step.inputs, step.means) for step in found] == [(PARSER, [1], [8, 9])]


def test_a_circle_ends_and_loses_nothing() -> None:
    found = told([link(1, 2), link(2, 3), link(3, 1), link(4, 1)])
    assert sorted(node for step in found for node in step.made) == [1, 2, 3, 4]


def test_ten_thousand_deep_is_no_recursion() -> None:
    assert [step.made[0] for step in told([link(n + 1, n) for n in range(10_000)])] == list(range(1, 10_001))
