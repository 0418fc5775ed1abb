"""What events leave in the graph beyond nodes and edges: succession, labels, what tools say of themselves."""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from lineage.access import NoSuchEntity
from lineage.core.asking import Asker
from lineage.core.causes import CauseKind
from lineage.core.events import Refused
from lineage.core.relations import Label
from lineage.ingest import held, taking_in
from lineage.models import Edge, Entity, Event, EventConflict, HeldEdge, OutboxEvent, Relay
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.accounts.models import Membership
from provenance_site.changes.models import ChangeSet, Channel
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db
HASH = "ab" * 32


@pytest.fixture
def sender() -> Membership:
    return make.MembershipFactory(role="curator")


def tell(sender: Membership, level: int = 3, **event: Any) -> taking_in.Outcome:
    asker = Asker(sender.workspace_id, level, sender.user_id)
    return taking_in.take_in(payload=event, asker=asker, by=sender.user, channel=Channel.API, at=NOW)


def node(ref: str) -> Entity:
    return Entity.objects.get(ref=ref)


def test_what_a_newer_version_takes_the_place_of_is_superseded(sender: Membership) -> None:
    tell(sender, entities=[{"ref": "source://tides/v1"}, {"ref": "source://tides/v2"}])
    tell(sender, relation="SUPERSEDES", output="source://tides/v2", inputs=["source://tides/v1"])
    assert (node("source://tides/v1").state, node("source://tides/v2").state) == ("superseded", "current")
    assert not Edge.objects.get().is_dependence


def test_a_newer_version_may_be_derived_from_the_older_one(sender: Membership) -> None:
    tell(sender, relation="DERIVED_FROM", output="file://tides/v2", inputs=["file://tides/v1"])
    before = list(Entity.objects.values_list("ref", flat=True))
    listed = [("file://tides/v3", "file://tides/v2"), ("file://tides/v2", "file://tides/v2")]
    with pytest.raises(Refused) as refused:
        tell(sender, edges=[{"relation": "DERIVED_FROM", "from": one, "to": other} for one, other in listed])
    assert refused.value.code == "self_edge"
    assert list(Entity.objects.values_list("ref", flat=True)) == before


def test_a_label_that_is_told_later_raises_all_that_rests_on_the_node_and_lowers_nothing(sender: Membership) -> None:
    chunk = {"ref": "chunk://tides/v1", "classification": "public"}
    tell(sender, entities=[chunk, {"ref": "claim://k/v1", "classification": "public"}])
    tell(sender, edges=[{"relation": "SUPPORTED_BY", "from": "claim://k/v1", "to": "chunk://tides/v1"}])
    tell(sender, event_id="raise", entities=[{**chunk, "classification": "confidential"}])
    assert {node(ref).label for ref in ("chunk://tides/v1", "claim://k/v1")} == {Label.CONFIDENTIAL}
    tell(sender, event_id="lower", entities=[{**chunk, "classification": "internal"}])
    assert node("claim://k/v1").label is Label.CONFIDENTIAL
    named = {"relation": "DERIVED_FROM", "output": "file://f/v1"}
    tell(sender, **named, inputs=[{"ref": "chunk://tides/v1", "classification": "restricted"}])
    assert node("chunk://tides/v1").label is Label.CONFIDENTIAL


def test_a_sum_and_a_tool_keep_how_they_came_to_their_result(sender: Membership) -> None:
    tell(
        sender,
        relation="DERIVED_FROM",
        output={"ref": "calculation://growth/v1", "code_hash": f"sha256:{HASH}", "result": 0.42},
        inputs=["table://q4/v1", "table://q3/v1"],
        run_id="RUN-1",
        span_id="00f067aa0ba902b7",
        hook="POST_TOOL",
    )
    assert node("calculation://growth/v1").metadata == {"code_hash": HASH, "result": 0.42}
    edge = Edge.objects.order_by("pk")[0]
    assert (edge.run_id, edge.span_id, edge.metadata, Event.objects.get().hook) == (
        "RUN-1",
        "00f067aa0ba902b7",
        {"hook": "POST_TOOL"},
        "POST_TOOL",
    )
    said = {
        "tool": "search",
        "tool_version": "3.1",
        "arguments_ref": "artifact://calls/7/v1",
        "provider_ids": ["W2741809807"],
    }
    tell(sender, relation="FETCHED_FROM", output={"ref": "tool-result://t/v1", **said}, inputs=["source://s/v1"])
    assert node("tool-result://t/v1").metadata == said


@pytest.mark.parametrize(
    ("facts", "code", "field"),
    [
        ({"code_hash": "xyz"}, "bad_hash", "output.code_hash"),
        ({"result": "9" * 5_000}, "too_long", "output.result"),
        ({"arguments": {"q": "x"}}, "raw_arguments", "output.arguments"),
    ],
)
def test_a_sum_says_its_code_by_its_hash_and_its_result_in_short(
    sender: Membership, facts: dict[str, Any], code: str, field: str
) -> None:
    with pytest.raises(Refused) as refused:
        tell(sender, relation="DERIVED_FROM", output={"ref": "calculation://g/v1", **facts}, inputs=["table://t/v1"])
    assert (refused.value.code, refused.value.field) == (code, field)


def test_a_duplicate_tells_nobody_anything_and_a_conflict_keeps_both_digests(sender: Membership) -> None:
    Relay.objects.create(workspace=sender.workspace, name="theirs", url="https://lineage.example", created_at=NOW)
    event = {"event_id": "E1", "entities": [{"ref": "chunk://c/v1", "metadata": {"n": 1}}]}
    tell(sender, **event)
    told = OutboxEvent.objects.count()
    assert (
        tell(sender, **{**event, "entities": [{"metadata": {"n": 1.0}, "ref": "chunk://c/v1"}]}).status == "duplicate"
    )
    assert OutboxEvent.objects.count() == told
    with pytest.raises(taking_in.PayloadConflict):
        tell(sender, event_id="E1", entities=[{"ref": "chunk://other/v1"}])
    conflict = EventConflict.objects.select_related("event").get()
    assert len({conflict.digest, conflict.event.digest}) == 2


def test_a_senders_clock_is_kept_marked_and_decides_nothing(sender: Membership) -> None:
    times = {"late": "2096-01-01T00:00:00Z", "naive": "2026-01-01T00:00:00", "fine": "2020-01-01T00:00:00.123456789Z"}
    for name, time in times.items():
        tell(sender, event_id=name, created_at=time, entities=[{"ref": f"chunk://{name}/v1"}])
    rows = Event.objects.order_by("pk").values_list("event_id", "clock_skew", "told_at__year", "received_at")
    assert list(rows) == [("late", True, 2096, NOW), ("naive", True, None, NOW), ("fine", False, 2020, NOW)]


def held_in(workspace: Any, level: int = 3) -> list[held.Waiting]:
    asker = Asker(workspace.pk, level)
    return held.with_ends(held.waiting(asker=asker), asker=asker)


def test_a_named_node_takes_the_type_under_which_it_is_told_of_and_edges_that_do_not_join_it_are_kept(
    sender: Membership,
) -> None:
    named = {"ref": "parts://b/v1", "type": "block"}
    tell(sender, edges=[{"relation": "CHUNKED_FROM", "from": "chunk://c/v1", "to": named}])
    tell(sender, edges=[{"relation": "CONTAINS", "from": "answer://a/v1", "to": named}])
    tell(sender, entities=[{"ref": "chunk://c/v1"}, {"ref": "answer://a/v1"}])
    with pytest.raises(Refused):
        tell(sender, edges=[{"relation": "DERIVED_FROM", "from": "file://f/v1", "to": {**named, "type": "table"}}])
    tell(sender, entities=[{**named, "type": "source", "classification": "restricted"}])
    assert (node("parts://b/v1").type, node("parts://b/v1").is_placeholder) == ("source", False)
    assert [edge.relation for edge in Edge.objects.all()] == ["CHUNKED_FROM"]
    assert [(one.relation, one.why, one.dependent.ref) for one in held_in(sender.workspace)] == [
        ("CONTAINS", "type-conflict", "answer://a/v1")
    ]
    assert (node("chunk://c/v1").label, node("answer://a/v1").label) == (Label.RESTRICTED, Label.INTERNAL)
    with pytest.raises(Refused) as refused:
        tell(sender, entities=[{**named, "type": "block"}])
    assert refused.value.code == "type_conflict"


def test_an_edge_to_what_its_sender_may_not_read_is_joined_by_who_may(sender: Membership) -> None:
    hidden = graph(sender.workspace, "chunk:x CHUNKED_FROM source:s", labels={"x": "restricted"})
    event = {
        "claim_id": "claim://mine/v1",
        "claim_text_hash": HASH,
        "relation": "SUPPORTED_BY",
        "evidence": "chunk://x/v1",
        "support": {"type": "PARTIAL"},
        "run_id": "RUN-9",
    }
    tell(sender, level=1, **event)
    mine = node("claim://mine/v1")
    assert (mine.label, held_in(sender.workspace, level=1)) == (Label.INTERNAL, [])
    (waits,) = held_in(sender.workspace)
    editor = make.MembershipFactory(workspace=sender.workspace, role="editor")
    cleared = Asker(sender.workspace_id, 3, editor.user_id)
    deed = {"by": editor.user, "channel": Channel.PAGE, "at": NOW}
    for asker, pk in ((Asker(sender.workspace_id, 1, editor.user_id), waits.row.pk), (cleared, 10**6)):
        with pytest.raises(NoSuchEntity):
            held.join(pk=pk, asker=asker, **deed)
    impact.propagate(
        workspace_id=sender.workspace_id, what=What(CauseKind.RETRACTION, "Gone.", entity=hidden["s"]), by=None, at=NOW
    )
    held.join(pk=waits.row.pk, asker=cleared, **deed)
    mine.refresh_from_db()
    assert (mine.label, mine.state) == (Label.RESTRICTED, "stale")
    edge = Edge.objects.select_related("evidence").get(from_entity=mine)
    assert (edge.run_id, edge.evidence.support) == ("RUN-9", "partial")
    with pytest.raises(NoSuchEntity):
        held.drop(pk=waits.row.pk, asker=cleared, **deed)
    assert ChangeSet.objects.get(kind=held.JOIN_KIND).actor == editor.user
    assert HeldEdge.objects.get().released_at == NOW


def test_an_edge_that_who_reads_both_ends_tells_too_waits_no_more(sender: Membership) -> None:
    graph(sender.workspace, "block:x PARSED_FROM artifact:a", labels={"x": "restricted"})
    event = {"edges": [{"relation": "CHUNKED_FROM", "from": "chunk://c/v1", "to": "block://x/v1"}]}
    tell(sender, entities=[{"ref": "chunk://c/v1"}])
    tell(sender, level=1, event_id="one", **event)
    assert len(held_in(sender.workspace)) == 1
    tell(sender, level=3, event_id="other", **event)
    assert held_in(sender.workspace) == []


def test_an_edge_that_would_close_a_ring_stays_apart_until_it_is_let_go(sender: Membership) -> None:
    graph(sender.workspace, "file:b DERIVED_FROM file:a", labels={"b": "restricted"})
    tell(sender, level=1, edges=[{"relation": "DERIVED_FROM", "from": "file://a/v1", "to": "file://b/v1"}])
    (waits,) = held_in(sender.workspace)
    editor = make.MembershipFactory(workspace=sender.workspace, role="editor")
    told = {"pk": waits.row.pk, "asker": Asker(sender.workspace_id, 3), "channel": Channel.PAGE, "at": NOW}
    with pytest.raises(held.NotJoined, match="ring"):
        held.join(**told, by=editor.user)
    with pytest.raises(PermissionDenied):
        held.drop(**told, by=sender.user)
    held.drop(**told, by=editor.user)
    assert held_in(sender.workspace) == []
    assert Edge.objects.count() == 1
