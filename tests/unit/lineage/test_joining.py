"""No node comes to rest on itself, however far round, and whoever tries leaves nothing behind."""

from functools import partial

import pytest

from lineage import capture
from lineage.core import refs
from lineage.core.asking import system
from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity
from lineage.queries import walks
from provenance_site.accounts.models import Workspace
from tests.clock import NOW
from tests.factories import WorkspaceFactory
from tests.unit.sources.disturbance import together

pytestmark = pytest.mark.django_db
LATER = NOW.replace(hour=11)


@pytest.fixture
def workspace() -> Workspace:
    return WorkspaceFactory()


def write(workspace: Workspace, *edges: str, relation: Relation = Relation.DERIVED_FROM, kind: str = "file") -> None:
    """Writes edges told as "b>a", b resting on a, and their nodes."""
    pairs = [[refs.make(EntityType(kind), name, "v1") for name in edge.split(">")] for edge in edges]
    facts = [capture.EntityFacts(ref) for pair in pairs for ref in pair]
    ids = capture.record_ids(workspace_id=workspace.pk, entities=facts, at=LATER)
    told = [capture.EdgeFacts(dependent, relation, rests_on) for dependent, rests_on in pairs]
    capture.record_edges(workspace_id=workspace.pk, edges=told, entities=ids, at=LATER)


def test_an_edge_of_a_node_to_itself_is_refused(workspace: Workspace) -> None:
    with pytest.raises(capture.SelfEdge):
        write(workspace, "c>b", "a>a")
    with pytest.raises(capture.SelfEdge):
        write(workspace, "a>a", relation=Relation.SUPERSEDES)
    assert not Edge.objects.exists()


@pytest.mark.parametrize(
    "steps",
    [[["b>a", "a>b"]], [["b>a"], ["a>b"]], [["b>a"], ["c>b"], ["a>c"]], [["b>a"], ["c>b", "d>c", "a>d"]],
     [["c>b", "b>a"], ["x>y", "a>c"]]],
)  # fmt: skip
def test_a_ring_is_refused_however_its_edges_come(workspace: Workspace, steps: list[list[str]]) -> None:
    *before, last = steps
    for edges in before:
        write(workspace, *edges)
    there = Edge.objects.count()
    with pytest.raises(capture.Ring):
        write(workspace, *last)
    assert Edge.objects.count() == there


def test_the_pair_of_a_refused_ring_names_one_of_the_new_edges(workspace: Workspace) -> None:
    write(workspace, "b>a", "c>b")
    with pytest.raises(capture.Ring) as refused:
        write(workspace, "x>c", "a>c")
    names = dict(Entity.objects.values_list("pk", "logical_id"))
    assert [names[pk] for pk in refused.value.pair] == ["a", "c"]


def test_diamonds_and_edges_told_again_are_no_rings(workspace: Workspace) -> None:
    for _ in range(2):
        write(workspace, "b>a", "c>a", "d>b", "d>c", "d>a")
    write(workspace, "e>d", "e>a")
    assert Edge.objects.count() == 7


def test_a_whole_and_its_parts_are_no_ring(workspace: Workspace) -> None:
    block, page = refs.make(EntityType.BLOCK, "block", "v1"), refs.make(EntityType.ARTIFACT, "page", "v1")
    ids = capture.record_ids(
        workspace_id=workspace.pk, entities=[capture.EntityFacts(block), capture.EntityFacts(page)], at=NOW
    )
    edges = [capture.EdgeFacts(block, Relation.PARSED_FROM, page), capture.EdgeFacts(page, Relation.CONTAINS, block)]
    assert capture.record_edges(workspace_id=workspace.pk, edges=edges, entities=ids, at=NOW) == 2
    assert walks.ancestor_ids(starts=[ids[str(page)]], asker=system(workspace.pk)) == []


def test_no_edge_leads_into_another_workspace_as_none_leads_to_what_never_was(workspace: Workspace) -> None:
    here, there = refs.make(EntityType.FILE, "here", "v1"), refs.make(EntityType.FILE, "there", "v1")
    own = capture.record_ids(workspace_id=workspace.pk, entities=[capture.EntityFacts(here)], at=NOW)
    other = capture.record_ids(workspace_id=WorkspaceFactory().pk, entities=[capture.EntityFacts(there)], at=NOW)
    edge = capture.EdgeFacts(here, Relation.DERIVED_FROM, there)
    for ends in ({**own, **other}, {**own, str(there): 10**9}, own):
        with pytest.raises(KeyError):
            capture.record_edges(workspace_id=workspace.pk, edges=[edge], entities=ends, at=NOW)
    assert not Edge.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_edges_that_close_a_ring_at_once_one_is_refused(workspace: Workspace) -> None:
    write(workspace, "b>a", "d>c")
    deeds = [partial(write, workspace, edge) for edge in ("a>d", "c>b")]
    given = together(*deeds, meet_before='INSERT INTO "lineage_edge"')
    assert {type(one) for one in given} == {type(None), capture.Ring}
