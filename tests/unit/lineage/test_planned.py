"""What was made ready before its transaction stands as if it had been recorded in it."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, models, transaction
from pytest_django import DjangoAssertNumQueries

from lineage import capture
from lineage.core import refs
from lineage.core.causes import CauseKind
from lineage.core.refs import Ref
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.models import Edge, Entity, OutboxEvent, Relay
from lineage.services import impact
from provenance_site.accounts.models import Workspace
from tests.clock import NOW
from tests.factories import WorkspaceFactory

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


def source_of(name: str, workspace: Workspace, label: Label = Label.INTERNAL) -> tuple[Ref, int]:
    ref = refs.make(EntityType.SOURCE, name, "v1")
    facts = capture.EntityFacts(ref=ref, classification=label)
    return ref, capture.record_ids(workspace_id=workspace.pk, entities=[facts], at=NOW)[str(ref)]


def facts_of(name: str, rests_on: Ref, run: str = "run-1") -> tuple[capture.EntityFacts, capture.EdgeFacts]:
    ref = refs.make(EntityType.SOURCE_VERSION, name, "a" * 64)
    node = capture.EntityFacts(
        ref=ref, content_hash="a" * 64, source_time=NOW, authority="official", classification=Label.PUBLIC,
        metadata={"final_url": "https://tides.example/'ä"}, valid_from=NOW, released_at=NOW,
    )  # fmt: skip
    edge = capture.EdgeFacts(
        ref, Relation.FETCHED_FROM, rests_on, transform_type="fetch", transform_implementation="web",
        transform_version="2", config_hash="c", run_id=run, trace_id="t", span_id="s", metadata={"place": 1},
    )  # fmt: skip
    return node, edge


def planned(name: str, workspace: Workspace, source: tuple[Ref, int], run: str = "run-1") -> capture.Planned:
    node, edge = facts_of(name, source[0], run)
    return capture.plan(workspace_id=workspace.pk, node=node, edge=edge, rests_on=source[1], at=LATER)


def columns(row: models.Model) -> dict[str, Any]:
    own = {"id", "workspace_id", "from_entity_id", "to_entity_id"}
    return {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in own
    }


def test_planned_rows_are_the_same_as_recorded_ones() -> None:
    here, there = WorkspaceFactory(), WorkspaceFactory()
    capture.record_planned(planned=[planned("tides", here, source_of("tides", here, Label.RESTRICTED))], at=LATER)
    ref, source_id = source_of("tides", there, Label.RESTRICTED)
    node, edge = facts_of("tides", ref)
    ids = capture.record_ids(workspace_id=there.pk, entities=[node], at=LATER)
    capture.record_edges(workspace_id=there.pk, edges=[edge], entities={**ids, str(ref): source_id}, at=LATER)
    for model in (Entity, Edge):
        ours, theirs = (list(model.objects.filter(workspace=one).order_by("pk")) for one in (here, there))
        assert [columns(row) for row in ours] == [columns(row) for row in theirs]
    assert Entity.objects.get(workspace=here, type="source-version").label is Label.RESTRICTED


def test_a_batch_costs_the_same_statements_for_many_workspaces_and_told_twice_is_there_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    workspaces = WorkspaceFactory.create_batch(3)
    told = [planned(name, one, source_of(name, one)) for one in workspaces for name in ("tides", "winds")]
    with django_assert_num_queries(7 if connection.vendor == "postgresql" else 6):
        first = capture.record_planned(planned=told, at=LATER)
    again = [planned("tides", one, source_of("tides", one), "run-2") for one in workspaces]
    second = capture.record_planned(planned=[*again, *again], at=LATER)
    assert second.items() <= first.items()
    assert (Entity.objects.filter(type="source-version").count(), Edge.objects.count()) == (6, 9)


def test_a_node_that_was_only_named_becomes_whole_and_what_rests_on_it_takes_its_level() -> None:
    workspace = WorkspaceFactory()
    source = source_of("tides", workspace, Label.CONFIDENTIAL)
    version, chunk = refs.make(EntityType.SOURCE_VERSION, "tides", "a" * 64), refs.make(EntityType.CHUNK, "tides", "1")
    named = [
        capture.EntityFacts(ref=version, classification=Label.PUBLIC, is_placeholder=True),
        capture.EntityFacts(ref=chunk, classification=Label.PUBLIC),
    ]
    ids = capture.record_ids(workspace_id=workspace.pk, entities=named, at=NOW)
    edge = capture.EdgeFacts(chunk, Relation.CHUNKED_FROM, version)
    capture.record_edges(workspace_id=workspace.pk, edges=[edge], entities=ids, at=NOW)
    found = capture.record_planned(planned=[planned("tides", workspace, source)], at=LATER)
    assert list(found.values()) == [ids[str(version)]]
    whole = Entity.objects.get(pk=ids[str(version)])
    assert (whole.is_placeholder, whole.content_hash, whole.authority) == (False, "a" * 64, "official")
    assert (whole.label, Entity.objects.get(pk=ids[str(chunk)]).label) == (Label.CONFIDENTIAL,) * 2


def test_a_version_of_a_source_that_has_fallen_is_born_stale() -> None:
    here, there = WorkspaceFactory(), WorkspaceFactory()
    fallen, sound, elsewhere = source_of("tides", here), source_of("winds", here), source_of("tides", there)
    what = impact.What(kind=CauseKind.RETRACTION, reason="Retracted.", entity=Entity.objects.get(pk=fallen[1]))
    impact.propagate(workspace_id=here.pk, what=what, by=None, at=NOW)
    told = [planned("tides", here, fallen), planned("winds", here, sound), planned("tides", there, elsewhere)]
    found = capture.record_planned(planned=told, at=LATER)
    states = [Entity.objects.get(pk=found[one.name]).state for one in told]
    assert states == [EntityState.STALE, EntityState.CURRENT, EntityState.CURRENT]


def test_other_services_are_told_of_what_was_planned_where_they_listen() -> None:
    here, there = WorkspaceFactory(), WorkspaceFactory()
    told = [planned("tides", one, source_of("tides", one)) for one in (here, there)]
    Relay.objects.create(workspace=here, name="theirs", url="https://lineage.example", created_at=NOW)
    capture.record_planned(planned=told, at=LATER)
    entities, edges = (event.payload for event in OutboxEvent.objects.filter(workspace=here).order_by("pk"))
    assert [one["ref"] for one in entities["entities"]] == [f"source-version://tides/{'a' * 64}"]
    assert [one["relation"] for one in edges["edges"]] == ["FETCHED_FROM"]
    assert not OutboxEvent.objects.filter(workspace=there).exists()


def test_what_capture_refuses_is_refused_of_planned_ones_too() -> None:
    workspace = WorkspaceFactory()
    ref, source_id = source_of("tides", workspace)
    version = refs.make(EntityType.SOURCE_VERSION, "tides", "a" * 64)
    facts = [capture.EntityFacts(ref=version, content_hash="a" * 64)]
    ids = capture.record_ids(workspace_id=workspace.pk, entities=facts, at=NOW)
    back = capture.EdgeFacts(ref, Relation.PARSED_FROM, version)
    capture.record_edges(workspace_id=workspace.pk, edges=[back], entities={**ids, str(ref): source_id}, at=NOW)
    with pytest.raises(capture.Ring), transaction.atomic():
        capture.record_planned(planned=[planned("tides", workspace, (ref, source_id))], at=LATER)
    Entity.objects.filter(pk=ids[str(version)]).update(content_hash="b" * 64)
    with pytest.raises(capture.HashConflict, match="source-version://tides/"), transaction.atomic():
        capture.record_planned(planned=[planned("tides", workspace, (ref, source_id))], at=LATER)
    with pytest.raises(KeyError):
        capture.record_planned(planned=[planned("tides", WorkspaceFactory(), (ref, source_id))], at=LATER)
    node, _ = facts_of("tides", ref)
    newer = capture.EdgeFacts(version, Relation.SUPERSEDES, version)
    with pytest.raises(ValueError, match="no dependence"):
        capture.plan(workspace_id=workspace.pk, node=node, edge=newer, rests_on=source_id, at=LATER)
