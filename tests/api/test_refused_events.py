"""An event that names another workspace: answered like one that is not there, told in its sender's History alone."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lineage.ingest.tenancy import REFUSED_KIND
from lineage.models import Entity, Event, HeldEdge
from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet, Channel
from tests.core.test_lineage_events import PARSED, RUN
from tests.desk import Desk
from tests.graphs import graph

pytestmark = pytest.mark.django_db
API = "/api/v1/lineage"
EDGE: dict[str, Any] = {"relation": "SUPPORTED_BY", "from": "claim://k/v1", "to": "chunk://x/v1"}
START = {**RUN, "eventType": "START", "outputs": []}
DOCUMENT = {"entity": {"ex:a": {}}}
# What is sent, where, and the field that names a workspace.
WAYS: dict[str, tuple[str, dict[str, Any], str]] = {
    "an event": ("events", PARSED, "tenant_id"),
    "a node": ("events", {"entities": [{"ref": "chunk://x/v1"}]}, "entities[0].tenant_id"),
    "an edge": ("events", {"edges": [EDGE]}, "edges[0].tenant_id"),
    "an end": ("events", {"edges": [{**EDGE, "to": {"ref": "chunk://x/v1"}}]}, "edges[0].inputs[0].tenant_id"),
    "an input": ("events", PARSED, "inputs[0].tenant_id"),
    "a run": ("events", RUN, "tenant_id"),
    "a run that began": ("events", START, "tenant_id"),
    "a document": ("prov", DOCUMENT, "tenant_id"),
}


def client_of(desk: Desk, role: Role = Role.CURATOR) -> Client:
    made = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def post(client: Client, path: str, body: Any) -> Any:
    return client.post(f"{API}/{path}", json.dumps(body), content_type="application/json")


def naming(tenant: object, way: str) -> dict[str, Any]:
    """What is sent on that way, with `tenant` in the field."""
    _, body, field = WAYS[way]
    told: dict[str, Any] = json.loads(json.dumps(body))
    place: Any = told
    for name, position in re.findall(r"(\w+)\[(\d)\]", field.replace("edges[0].inputs[0]", "edges[0].to[0]")):
        place = place[name] if isinstance(place[name], dict) else place[name][int(position)]
    place["tenant_id"] = str(tenant)
    return told


def lines() -> QuerySet[ChangeSet]:
    """What History tells of refused events."""
    return ChangeSet.objects.filter(kind=REFUSED_KIND).order_by("pk")


def everything() -> list[int]:
    return [model.objects.count() for model in (Entity, Event, HeldEdge, Change)]


@pytest.mark.parametrize("way", WAYS)
def test_another_workspace_and_none_have_one_answer_and_cost_and_leave_a_line_at_home(
    desk: Desk, other_desk: Desk, way: str
) -> None:
    graph(other_desk.workspace, "claim:k SUPPORTED_BY chunk:x")
    client, path = client_of(desk), WAYS[way][0]
    post(client, path, {})
    before = everything()
    answers = []
    for tenant in (str(other_desk.workspace.uuid), "nobody-of-that-name"):
        with CaptureQueriesContext(connection) as queries:
            answer = post(client, path, naming(tenant, way))
        answers.append((answer.status_code, answer.content, dict(answer.headers), len(queries)))
        row = lines().get()
        assert (row.workspace, row.actor, row.channel) == (desk.workspace, desk.person(), Channel.API)
        event_id, _, words = row.note.partition(": " + WAYS[way][2])
        assert words == " names another workspace; nothing of it was taken in"
        assert not re.search(f"{tenant}|chunk|claim|ex:a", event_id)
        # Both begin with nothing: some of these events have an id that does not hang on what they say.
        row.delete()
    assert answers[0][0] == 404
    assert answers[0] == answers[1]
    assert b"Not Found" in answers[0][1]
    assert everything() == before
    assert post(client, path, naming(desk.workspace.uuid, way)).status_code in {201, 202}


def test_a_flood_of_one_event_is_one_line_and_another_event_another(desk: Desk, other_desk: Desk) -> None:
    named = {"tenant_id": str(other_desk.workspace.uuid), "edges": [EDGE]}
    client = client_of(desk)
    for _ in range(3):
        assert post(client, "events", {"event_id": "E1", **named}).status_code == 404
    answer = post(client, "events", [{"event_id": one, **named} for one in ("E1", "E2", "E2")]).json()
    assert [one["code"] for one in answer["events"]] == ["not_found"] * 3
    notes = lines().values_list("note", flat=True)
    assert [note.partition(":")[0] for note in notes] == ["E1", "E2"]
    # The id is not taken: the same event, told to the right workspace, comes in.
    assert post(client, "events", {"event_id": "E1", "edges": [EDGE]}).status_code == 202


def test_a_path_names_no_workspace_whatever_it_says(desk: Desk, other_desk: Desk) -> None:
    graph(other_desk.workspace, "claim:k SUPPORTED_BY chunk:x")
    client = client_of(desk)
    for number, path in enumerate(("tenant_B/raw", f"{other_desk.workspace.uuid}/raw", f"{desk.workspace.uuid}/raw")):
        edge = {"relation": "CHUNKED_FROM", "from": f"chunk://c{number}/v1", "to": f"artifact://{path}/v1"}
        assert post(client, "events", {"edges": [edge]}).json()["placeholders"][-1] == f"artifact://{path}/v1"
    assert not lines().exists()
    assert Entity.objects.filter(workspace=other_desk.workspace).count() == 2


def test_history_tells_the_senders_workspace_and_no_other(desk: Desk, other_desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(json.dumps({"event_id": "E-7", "tenant_id": str(other_desk.workspace.uuid), "edges": [EDGE]}))
    with pytest.raises(CommandError):
        call_command("ingest_events", str(file), "--as", desk.person().username, stderr=io.StringIO())
    assert lines().get().channel == Channel.COMMAND
    page = desk.client(Role.READER).get("/history/").content.decode()
    assert "Event refused" in page
    assert "E-7: tenant_id names another workspace" in page
    assert str(other_desk.workspace.uuid) not in page
    assert "E-7" not in other_desk.client(Role.ADMIN).get("/history/").content.decode()


def test_a_reader_sends_nothing_and_leaves_no_line(desk: Desk) -> None:
    for way in ("an event", "a run", "a document"):
        answer = post(client_of(desk, Role.READER), WAYS[way][0], naming("nobody", way))
        assert answer.status_code == 403
    assert not lines().exists()
