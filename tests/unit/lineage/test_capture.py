"""Lineage is written in bulk: the same told twice is there once, and nothing that was told is overwritten."""

from functools import partial

import pytest

from lineage import capture
from lineage.core import refs
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, EntityType, Label, Relation, WrongPair
from lineage.models import Edge, Entity
from provenance_site.accounts.models import Workspace
from tests.clock import NOW
from tests.factories import WorkspaceFactory
from tests.unit.sources.disturbance import together

pytestmark = pytest.mark.django_db

SOURCE = refs.make(EntityType.SOURCE, "tides", "v1")
VERSION = refs.make(EntityType.SOURCE_VERSION, "tides", "a" * 64)
FETCHED = capture.EdgeFacts(VERSION, Relation.FETCHED_FROM, SOURCE, transform_type="fetch", run_id="run-1")


@pytest.fixture
def workspace() -> Workspace:
    return WorkspaceFactory()


def record(workspace: Workspace, *told: Ref, content_hash: str = "") -> dict[str, int]:
    facts = [capture.EntityFacts(ref=ref, content_hash=content_hash) for ref in told]
    return capture.record_ids(workspace_id=workspace.pk, entities=facts, at=NOW)


def test_a_node_holds_what_was_told_of_it(workspace: Workspace) -> None:
    fact = capture.EntityFacts(
        ref=VERSION,
        content_hash="a" * 64,
        source_time=NOW,
        authority="official",
        classification=Label.RESTRICTED,
        metadata={"final_url": "https://tides.example/'a\"\\"},
    )
    found = capture.record_entities(workspace_id=workspace.pk, entities=[fact], at=NOW)[str(VERSION)]
    assert found == Entity.objects.get()
    assert (found.type, found.logical_id, found.version, found.ref) == (
        "source-version", "tides", "a" * 64, f"source-version://tides/{'a' * 64}",
    )  # fmt: skip
    assert (found.content_hash, found.source_time, found.authority, found.created_at) == (
        "a" * 64,
        NOW,
        "official",
        NOW,
    )
    assert (found.classification, found.state, found.valid_to) == (Label.RESTRICTED, EntityState.CURRENT, None)
    assert found.metadata == {"final_url": "https://tides.example/'a\"\\"}


def test_nodes_and_edges_told_twice_are_there_once(workspace: Workspace) -> None:
    many = [refs.make(EntityType.SOURCE, f"tides/{number}", "v1") for number in range(1_200)]
    first = record(workspace, *many, VERSION)
    again = record(workspace, VERSION, *reversed(many), many[0])
    assert first == again == dict(Entity.objects.values_list("ref", "pk"))
    edges = [capture.EdgeFacts(VERSION, Relation.FETCHED_FROM, one) for one in many]
    for _ in range(2):
        told = capture.record_edges(workspace_id=workspace.pk, edges=[*edges, edges[0]], entities=first, at=NOW)
        assert told == 1_201
    rows = Edge.objects.filter(from_entity=first[str(VERSION)]).values_list("to_entity_id", flat=True)
    assert sorted(rows) == sorted(first[str(one)] for one in many)


def test_an_edge_joins_whole_nodes_as_well_as_their_keys(workspace: Workspace) -> None:
    ids = record(workspace, SOURCE, VERSION)
    ends: dict[str, Entity | int] = {
        str(SOURCE): Entity.objects.get(pk=ids[str(SOURCE)]),
        str(VERSION): ids[str(VERSION)],
    }
    capture.record_edges(workspace_id=workspace.pk, edges=[FETCHED], entities=ends, at=NOW)
    edge = Edge.objects.get()
    assert (edge.from_entity_id, edge.to_entity_id) == (ids[str(VERSION)], ids[str(SOURCE)])
    assert (edge.edge_key, edge.relation, edge.transform_type, edge.run_id, edge.metadata, edge.trace_id) == (
        FETCHED.key, Relation.FETCHED_FROM, "fetch", "run-1", {}, "",
    )  # fmt: skip


def test_a_ref_with_another_hash_is_a_conflict_and_nothing_is_written(workspace: Workspace) -> None:
    record(workspace, VERSION, content_hash="a" * 64)
    with pytest.raises(capture.HashConflict, match="source-version://tides/"):
        record(workspace, SOURCE, VERSION, content_hash="b" * 64)
    assert list(Entity.objects.values_list("ref", "content_hash")) == [(str(VERSION), "a" * 64)]


def test_a_node_that_is_told_without_a_hash_is_no_conflict(workspace: Workspace) -> None:
    assert record(workspace, VERSION, content_hash="a" * 64) == record(workspace, VERSION)


def test_a_wrong_pair_among_many_edges_writes_none(workspace: Workspace) -> None:
    ends = record(workspace, SOURCE, VERSION)
    wrong = capture.EdgeFacts(SOURCE, Relation.FETCHED_FROM, VERSION)
    with pytest.raises(WrongPair):
        capture.record_edges(workspace_id=workspace.pk, edges=[FETCHED, wrong], entities=ends, at=NOW)
    with pytest.raises(KeyError):
        capture.record_edges(workspace_id=workspace.pk, edges=[FETCHED], entities={}, at=NOW)
    assert not Edge.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_several_writers_of_the_same_nodes_all_get_the_one_row(workspace: Workspace) -> None:
    many = [refs.make(EntityType.SOURCE, f"tides/{number}", "v1") for number in range(50)]
    orders = [many[shift:] + many[:shift] for shift in (0, 10, 25, 40)]
    given = together(*(partial(record, workspace, *order) for order in orders), meet_before="INSERT")
    assert given == [dict(Entity.objects.values_list("ref", "pk"))] * 4
    assert Entity.objects.count() == 50


@pytest.mark.django_db(transaction=True)
def test_a_writer_who_comes_second_with_another_hash_meets_the_conflict(workspace: Workspace) -> None:
    deeds = (partial(record, workspace, VERSION, content_hash=letter * 64) for letter in "ab")
    given = together(*deeds, meet_before="INSERT")
    assert {type(one) for one in given} == {dict, capture.HashConflict}
    assert Entity.objects.count() == 1
