"""A node is as restricted as the most restricted thing it rests on, from the moment that its edge is written."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lineage import access, capture
from lineage.core import refs
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Edge, Entity
from lineage.queries.levels import wrong_levels
from lineage.services import labels
from lineage.services.labels import Declared, NotLowered
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Clearance, Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import WorkspaceFactory

pytestmark = pytest.mark.django_db


def node(number: int) -> Ref:
    return refs.make(EntityType.FILE, f"harbour/{number}", "v1")


class Graph:
    """Nodes 0, 1, 2 … of one workspace, each declared as told, with edges from dependents to what they rest on."""

    def __init__(self, workspace_id: int, declared: Sequence[Label], edges: Iterable[tuple[int, int]] = ()) -> None:
        self.workspace_id = workspace_id
        facts = [capture.EntityFacts(node(at), classification=label) for at, label in enumerate(declared)]
        ids = capture.record_ids(workspace_id=workspace_id, entities=facts, at=NOW)
        self.keys = [ids[str(fact.ref)] for fact in facts]
        self.join(edges)

    def join(self, edges: Iterable[tuple[int, int]]) -> None:
        told = [capture.EdgeFacts(node(one), Relation.DERIVED_FROM, node(other)) for one, other in edges]
        ends = {str(node(at)): key for at, key in enumerate(self.keys)}
        capture.record_edges(workspace_id=self.workspace_id, edges=told, entities=ends, at=NOW)

    def declare(self, **declared: Label) -> int:
        told = {self.keys[int(name[1:])]: Declared(label) for name, label in declared.items()}
        return labels.declare(workspace_id=self.workspace_id, declared=told)

    @property
    def labels(self) -> list[Label]:
        levels = dict(Entity.objects.filter(workspace_id=self.workspace_id).values_list("pk", "level"))
        return [Label.at_level(levels[key]) for key in self.keys]


PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Label
_EDGE = st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] > pair[1])


@given(
    declared=st.lists(st.sampled_from(Label), min_size=8, max_size=8),
    steps=st.lists(st.lists(_EDGE, min_size=1, max_size=5), max_size=4),
    edits=st.lists(st.tuples(st.integers(0, 7), st.sampled_from(Label)), max_size=3),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_level_is_the_greatest_of_the_node_and_all_its_ancestors(
    declared: list[Label], steps: list[list[tuple[int, int]]], edits: list[tuple[int, Label]], db: None
) -> None:
    graph = Graph(WorkspaceFactory().pk, declared)
    for edges in steps:
        graph.join(edges)
    for at, label in edits:
        graph.declare(**{f"n{at}": label})
        declared[at] = label
    expected = list(declared)
    for at in range(8):
        above = [expected[other] for one, other in {edge for edges in steps for edge in edges} if one == at]
        expected[at] = max([declared[at], *above], key=lambda label: label.level)
    assert graph.labels == expected
    assert wrong_levels(workspace_id=graph.workspace_id) == []


def test_a_raised_label_reaches_all_that_rests_on_it_and_a_lowered_one_too() -> None:
    # A claim (2) on a public (0) and a confidential (1) passage, and a report (3) of the claim.
    graph = Graph(WorkspaceFactory().pk, [PUBLIC, CONFIDENTIAL, PUBLIC, PUBLIC], [(2, 0), (2, 1), (3, 2)])
    assert graph.labels == [PUBLIC, CONFIDENTIAL, CONFIDENTIAL, CONFIDENTIAL]
    assert graph.declare(n0=RESTRICTED) == 3
    assert graph.labels == [RESTRICTED, CONFIDENTIAL, RESTRICTED, RESTRICTED]
    assert graph.declare(n0=RESTRICTED) == 0
    assert graph.declare(n3=PUBLIC, n0=PUBLIC) == 3
    assert graph.labels == [PUBLIC, CONFIDENTIAL, CONFIDENTIAL, CONFIDENTIAL]


def test_thousands_of_dependents_follow_in_a_few_statements() -> None:
    graph = Graph(WorkspaceFactory().pk, [PUBLIC] * 1_500, [(at, at // 3) for at in range(1, 1_500)])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert graph.declare(n0=CONFIDENTIAL) == 1_500
    assert len(queries) <= 15


def test_a_declassified_node_keeps_its_level_and_hands_it_on(desk: Desk) -> None:
    graph = Graph(desk.workspace.pk, [RESTRICTED, PUBLIC, PUBLIC], [(1, 0), (2, 1)])
    about: dict[str, Any] = {"workspace_id": desk.workspace.pk, "ref": node(1), "channel": Channel.PAGE, "at": NOW}
    for wrong, reason in ((RESTRICTED, "Cleared."), (PUBLIC, " ")):
        with pytest.raises(NotLowered):
            labels.declassify(**about, to=wrong, reason=reason, by=desk.person(Role.ADMIN))
    deed = labels.declassify(**about, to=INTERNAL, reason="Cleared by the board.", by=desk.person(Role.ADMIN))
    assert graph.labels == [RESTRICTED, INTERNAL, INTERNAL]
    graph.declare(n0=CONFIDENTIAL)
    graph.join([(2, 0)])
    assert graph.labels == [CONFIDENTIAL, INTERNAL, CONFIDENTIAL]
    graph.declare(n1=RESTRICTED)
    assert graph.labels == [CONFIDENTIAL, RESTRICTED, RESTRICTED], "what is declared of it later holds"
    graph.declare(n1=PUBLIC)
    assert wrong_levels(workspace_id=desk.workspace.pk) == []
    changes.undo(change_set=deed, by=desk.person(Role.ADMIN), at=NOW)
    assert graph.labels == [CONFIDENTIAL] * 3
    assert deed.note == "Cleared by the board."


def test_what_a_person_may_not_read_they_cannot_declassify(desk: Desk) -> None:
    Graph(desk.workspace.pk, [RESTRICTED, PUBLIC], [(1, 0)])
    Membership.objects.filter(user=desk.person(Role.ADMIN)).update(clearance=Clearance.CONFIDENTIAL)
    for there in (node(1), node(99)):
        with pytest.raises(access.NoSuchEntity):
            labels.declassify(
                workspace_id=desk.workspace.pk, ref=there, to=PUBLIC, reason="Please.",
                by=desk.person(Role.ADMIN), channel=Channel.PAGE, at=NOW,
            )  # fmt: skip


def test_a_node_that_shows_more_than_its_inputs_is_found() -> None:
    graph = Graph(WorkspaceFactory().pk, [PUBLIC, RESTRICTED, PUBLIC], [(1, 0), (2, 1)])
    Entity.objects.filter(pk=graph.keys[2]).update(level=0)
    (wrong,) = wrong_levels(workspace_id=graph.workspace_id)
    assert (wrong.entity_id, wrong.level, wrong.expected) == (graph.keys[2], 0, 3)
    labels.settle(workspace_id=graph.workspace_id, entity_ids=[wrong.entity_id])
    assert graph.labels == [PUBLIC, RESTRICTED, RESTRICTED]


def test_nodes_on_a_ring_that_came_with_old_data_settle_too() -> None:
    graph = Graph(WorkspaceFactory().pk, [PUBLIC] * 3, [(1, 0), (2, 1)])
    back = Edge(from_entity_id=graph.keys[0], to_entity_id=graph.keys[2])
    for name in ("workspace_id", "relation", "is_dependence", "created_at"):
        setattr(back, name, getattr(Edge.objects.first(), name))
    back.save()
    assert graph.declare(n1=RESTRICTED) == 3


def test_a_placeholder_that_is_told_of_raises_what_rests_on_it() -> None:
    workspace_id = WorkspaceFactory().pk
    named = capture.EntityFacts(node(0), classification=PUBLIC, is_placeholder=True)
    known = capture.EntityFacts(node(1), classification=PUBLIC)
    ids = capture.record_ids(workspace_id=workspace_id, entities=[named, known], at=NOW)
    edge = capture.EdgeFacts(node(1), Relation.DERIVED_FROM, node(0))
    capture.record_edges(workspace_id=workspace_id, edges=[edge], entities=ids, at=NOW)
    told = capture.EntityFacts(node(0), classification=RESTRICTED, content_hash="a" * 64)
    capture.record_ids(workspace_id=workspace_id, entities=[told], at=NOW)
    whole, dependent = Entity.objects.order_by("ref")
    assert (whole.is_placeholder, whole.content_hash, whole.level) == (False, "a" * 64, RESTRICTED.level)
    assert dependent.label is RESTRICTED


def test_what_people_may_read_and_what_things_are_labelled_with_is_one_scale() -> None:
    assert [(one.value, one.level) for one in Clearance] == [(one.value, one.level) for one in Label]
