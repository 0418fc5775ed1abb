"""Lineage events over JSON: once, whole, in any order, and silent about what their sender may not read."""

import json
from itertools import permutations
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lineage.core.relations import Label
from lineage.models import Claim, Edge, Entity, Event, EventConflict, Evidence, HeldEdge, TypePolicy
from provenance_site.accounts import services as accounts
from provenance_site.accounts.models import Membership, Workspace
from tests import factories as make
from tests.core.test_lineage_events import CLAIM, HASH, PARSED, RUN
from tests.graphs import graph

pytestmark = pytest.mark.django_db
EVENTS = "/api/v1/lineage/events"
EDGE: dict[str, Any] = {
    "event_id": "E1",
    "edges": [{"relation": "CHUNKED_FROM", "from": "chunk://c/v1", "to": "block://b/v1"}],
}
BLOCK = {"event_id": "E2", "entities": [{"ref": "block://b/v1"}]}
CHUNK = {"event_id": "E3", "entities": [{"ref": "chunk://c/v1"}]}


@pytest.fixture
def sender() -> Membership:
    return make.MembershipFactory(role="curator")


def client_of(member: Membership) -> Client:
    made = accounts.create_token(
        user=member.user, workspace=member.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def send(client: Client, body: Any, content_type: str = "application/json") -> Any:
    data = body if isinstance(body, str) else json.dumps(body)
    return client.post(EVENTS, data, content_type=content_type)


def told(workspace: Workspace) -> list[Any]:
    """All of the graph, without keys and moments."""
    nodes = Entity.objects.filter(workspace=workspace).values_list(
        "ref", "type", "is_placeholder", "content_hash", "level", "state"
    )
    edges = Edge.objects.filter(workspace=workspace).values_list("edge_key", "from_entity__ref", "to_entity__ref")
    return [sorted(nodes), sorted(edges)]


def test_an_event_is_taken_in_once_however_it_is_written(sender: Membership) -> None:
    client = client_of(sender)
    first = send(client, PARSED)
    assert (first.status_code, first.json()["status"]) == (202, "accepted")
    assert first.json()["placeholders"] == [f"artifact://tenant_A/raw123/{HASH}"]
    before = told(sender.workspace)
    again = send(client, json.dumps(dict(reversed(PARSED.items()))))
    assert (again.status_code, again.json()["status"]) == (200, "duplicate")
    assert told(sender.workspace) == before
    edge = Edge.objects.get()
    assert (edge.run_id, edge.trace_id, edge.config_hash) == ("RUN-1", "TRACE-1", HASH)


def test_another_payload_under_a_known_id_is_kept_as_a_conflict(sender: Membership) -> None:
    client = client_of(sender)
    send(client, PARSED)
    for _ in range(2):
        answer = send(client, {**PARSED, "run_id": "RUN-2"})
        assert (answer.status_code, answer.json()["code"]) == (409, "payload_conflict")
    assert Edge.objects.get().run_id == "RUN-1"
    assert EventConflict.objects.count() == 1


def test_every_order_of_events_ends_in_one_state() -> None:
    states = []
    for order in permutations([EDGE, BLOCK, CHUNK]):
        member = make.MembershipFactory(role="curator")
        client = client_of(member)
        for event in order:
            assert send(client, event).status_code == 202
        states.append(told(member.workspace))
    assert all(state == states[0] for state in states)
    assert not any(is_placeholder for _, _, is_placeholder, *_ in states[0][0])


def test_an_event_is_whole_or_not_at_all(sender: Membership) -> None:
    bad = {"edges": [*EDGE["edges"], {"relation": "RELATED_TO", "from": "chunk://c/v1", "to": "block://b/v1"}]}
    answer = send(client_of(sender), bad)
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (
        422,
        "generic_relation_refused",
        "edges[1].relation",
    )
    assert not Entity.objects.exists()
    assert not Event.objects.exists()


def test_rings_and_other_hashes_are_refused(sender: Membership) -> None:
    client = client_of(sender)
    first = {"edges": [{"relation": "DERIVED_FROM", "from": "artifact://a/v1", "to": "artifact://b/v1"}]}
    back = {"edges": [{"relation": "DERIVED_FROM", "from": "artifact://b/v1", "to": "artifact://a/v1"}]}
    assert send(client, first).status_code == 202
    assert send(client, back).json()["code"] == "cycle"
    assert send(client, {"entities": [{"ref": "artifact://c/v1", "sha256": HASH}]}).status_code == 202
    assert (
        send(client, {"entities": [{"ref": "artifact://c/v1", "sha256": "cd" * 32}]}).json()["code"] == "hash_conflict"
    )


def test_a_claim_keeps_how_its_evidence_bears_on_it(sender: Membership) -> None:
    assert send(client_of(sender), {**CLAIM, "claim_text": "It rose."}).status_code == 202
    evidence, claim = Evidence.objects.get(), Claim.objects.get()
    assert (evidence.support, evidence.rank, evidence.is_verified, evidence.query_hash) == ("direct", 2, True, HASH)
    assert (claim.text, claim.text_hash) == ("It rose.", HASH)


def test_a_workspace_may_keep_hashes_of_claims_alone(sender: Membership) -> None:
    make.TypePolicyFactory(workspace=sender.workspace, keeps_text=False)
    send(client_of(sender), {**CLAIM, "claim_text": "It rose."})
    assert Claim.objects.get().text == ""
    assert "It rose" not in str(Event.objects.values())
    assert send(client_of(sender), {**CLAIM, "claim_text": "It rose."}).json()["status"] == "duplicate"


def test_a_ref_without_a_version_is_refused_until_the_workspace_takes_it(sender: Membership) -> None:
    client = client_of(sender)
    event = {**EDGE, "edges": [{**EDGE["edges"][0], "to": "block://b@latest"}]}
    assert send(client, event).json()["code"] == "unpinned_version"
    TypePolicy.objects.create(workspace=sender.workspace, type="block", accepts_unpinned=True)
    assert send(client, event).status_code == 202
    assert Entity.objects.get(type="block").pin == "unresolved"


def test_an_edge_to_what_may_not_be_read_is_answered_like_one_to_nothing(sender: Membership) -> None:
    sender.clearance = "internal"
    sender.save()
    hidden = graph(sender.workspace, "block:hidden PARSED_FROM artifact:a", labels={"hidden": "restricted"})["hidden"]
    assert hidden.label is Label.RESTRICTED
    client = client_of(sender)

    def edge_to(ref: str) -> Any:
        answer = send(client, {"edges": [{"relation": "CHUNKED_FROM", "from": "chunk://mine/v1", "to": ref}]})
        told = answer.json()
        return answer.status_code, told["status"], [one.replace(ref, "REF") for one in told["placeholders"]][-1:]

    assert edge_to("block://nothing/v1") == edge_to(hidden.ref) == (202, "accepted", ["REF"])
    assert Entity.objects.get(ref="chunk://mine/v1").level == Label.INTERNAL.level
    assert HeldEdge.objects.get().to_ref == hidden.ref


def test_another_workspace_looks_like_one_that_is_not_there(sender: Membership) -> None:
    foreign = make.WorkspaceFactory()
    client = client_of(sender)
    answers = [send(client, {**PARSED, "tenant_id": tenant}) for tenant in (str(foreign.uuid), "nobody")]
    assert {(answer.status_code, answer.content) for answer in answers} == {(404, answers[0].content)}
    assert not Entity.objects.exists()
    assert send(client, {**PARSED, "tenant_id": str(sender.workspace.uuid)}).status_code == 202


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (json.dumps([EDGE, BLOCK, EDGE, {"x": 1}]), "application/json"),
        (json.dumps({"events": [EDGE, BLOCK, EDGE, {"x": 1}]}), "application/json"),
        ("\n".join(json.dumps(one) for one in (EDGE, BLOCK, EDGE, {"x": 1})), "application/x-ndjson"),
    ],
)
def test_a_batch_is_answered_event_by_event(sender: Membership, body: str, content_type: str) -> None:
    answer = send(client_of(sender), body, content_type).json()
    assert (answer["accepted"], answer["duplicates"], answer["refused"]) == (2, 1, 1)
    assert [one["status"] for one in answer["events"]] == ["accepted", "accepted", "duplicate", "refused"]


@pytest.mark.parametrize("body", ["", "{", "[" * 100_000, "7", '"x"', "null"])
def test_what_is_no_event_is_refused_in_words(sender: Membership, body: str) -> None:
    assert send(client_of(sender), body).status_code in {200, 422}
    assert not Event.objects.exists()


def test_what_is_no_json_is_named_by_its_line_and_what_is_too_large_as_that(sender: Membership, settings: Any) -> None:
    client = client_of(sender)
    lines = [json.dumps(BLOCK), "", "{'x': 1}"]
    answer = send(client, "\n".join(lines), "application/x-ndjson")
    assert (answer.status_code, answer.json()["code"]) == (422, "not_json")
    assert answer.json()["detail"].startswith("Line 3 is no JSON")
    assert not Event.objects.exists()
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    large = send(client, PARSED)
    assert (large.status_code, large.json()["code"]) == (422, "too_large")
    prov = client.post("/api/v1/lineage/prov", json.dumps(PARSED), content_type="application/json")
    assert (prov.status_code, prov.json()["detail"]) == (422, large.json()["detail"])


@pytest.mark.parametrize("hostile", ["\\u0000", "\\ud800", "NaN", "1e999"])
def test_what_no_database_takes_is_refused_by_every_door(sender: Membership, hostile: str) -> None:
    word = hostile if hostile[0] != "\\" else f'"{hostile}"'
    client = client_of(sender)
    for body, path in (
        (f'{{"entities": [{{"ref": "block://b/v1", "metadata": {{"n": {word}}}}}]}}', EVENTS),
        (f'{{"entities": [{{"ref": "block://b/v1"}}], "note": [{word}]}}', EVENTS),
        (f'{{"entity": {{"ex:a": {{"ex:n": {word}}}}}}}', "/api/v1/lineage/prov"),
        (json.dumps(RUN)[:-1] + f', "note": {word}}}', EVENTS),
    ):
        assert client.post(path, body, content_type="application/json").status_code == 422
    assert not Event.objects.exists()


def test_a_batch_has_so_many_events_and_no_more(sender: Membership) -> None:
    answer = send(client_of(sender), [BLOCK] * 1_001)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many")
    assert not Event.objects.exists()


def test_a_reader_sends_nothing() -> None:
    assert send(client_of(make.MembershipFactory(role="reader")), PARSED).status_code == 403
    assert Client().post(EVENTS, "{}", content_type="application/json").status_code == 401


def test_open_lineage_runs_come_in_by_the_same_door(sender: Membership) -> None:
    client = client_of(sender)
    assert send(client, RUN).status_code == 202
    assert send(client, RUN).status_code == 200
    assert Entity.objects.filter(pin="unresolved").count() == 1
    assert Edge.objects.count() == 2


def test_types_that_a_workspace_does_not_capture_are_left_out_and_counted(sender: Membership) -> None:
    make.TypePolicyFactory(workspace=sender.workspace, type="block", is_captured=False)
    answer = send(client_of(sender), EDGE).json()
    assert (answer["status"], answer["left_out"]) == ("accepted", 2)
    assert [entity.type for entity in Entity.objects.all()] == ["chunk"]
    assert not Edge.objects.exists()
