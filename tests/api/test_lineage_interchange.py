"""Lineage out and in over JSON and on the command line: files of what one may see, PROV-JSON, events, measures."""

import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from prov.model import ProvDocument

from lineage.core import refs
from lineage.core.measures import Measure
from lineage.core.relations import Relation
from lineage.core.spreadsheet import restored
from lineage.models import Edge, Entity, Event
from lineage.reports.interchange import FORMATS
from provenance_site.accounts import services as accounts
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from tests.core.test_lineage_refs import HURTS
from tests.desk import Desk
from tests.factories import EntityFactory
from tests.graphs import graph, join

pytestmark = pytest.mark.django_db
API = "/api/v1/lineage"


def client_of(desk: Desk, role: Role = Role.CURATOR) -> Client:
    made = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def exported(client: Client, ref: str, **more: str) -> tuple[int, str]:
    answer: Any = client.get(f"{API}/export?{urlencode({'ref': ref, **more})}")
    return answer.status_code, b"".join(answer.streaming_content if answer.streaming else [answer.content]).decode()


@pytest.fixture
def seen(desk: Desk) -> dict[str, Entity]:
    Membership.objects.filter(workspace=desk.workspace).update(clearance="internal")
    graph(desk.workspace, "claim:h SUPPORTED_BY chunk:c", labels={"h": "restricted"})
    return graph(desk.workspace, "claim:k SUPPORTED_BY chunk:c", "report:r CONTAINS k", run="run-1", transform="cut@2")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_file_holds_what_its_asker_may_see_on_every_way_out(desk: Desk, seen: dict[str, Entity], name: str) -> None:
    status, text = exported(client_of(desk, Role.READER), seen["c"].ref, format=name)
    assert status == 200
    assert "claim" in text
    assert "//h" not in text.replace("%2F", "/")
    out = io.StringIO()
    reader = desk.person(Role.READER).username
    call_command("export_lineage", " chunk://c/v1 ", "--format", name, "--as", reader, stdout=out)
    assert out.getvalue() == text
    for ref in ("claim://h/v1", "claim://none/v1", "x\x01"):
        assert exported(client_of(desk, Role.READER), ref, format=name)[0] == 404
        with pytest.raises(CommandError) as refused:
            call_command("export_lineage", ref, "--as", reader, stdout=out)
        assert refused.value.returncode == 2


def test_a_direction_is_kept_to(desk: Desk, seen: dict[str, Entity]) -> None:
    client = client_of(desk)
    assert "report" not in exported(client, "claim://k/v1", direction="up", format="graphml")[1].split("<graph ")[1]
    assert "chunk" not in exported(client, "claim://k/v1", direction="down", format="graphml")[1].split("<graph ")[1]


def test_prov_json_of_ours_builds_the_same_graph_elsewhere_once(desk: Desk, other_desk: Desk, seen: Any) -> None:
    _, text = exported(client_of(desk), seen["r"].ref)
    there = client_of(other_desk)
    for status, is_known in ((201, False), (200, True)):
        answer = there.post(f"{API}/prov", text, content_type="application/json")
        assert (answer.status_code, answer.json()["is_known"], answer.json()["edges"]) == (status, is_known, 2)
    assert json.loads(exported(there, seen["r"].ref)[1]) == json.loads(text)
    assert there.post(f"{API}/prov", "{", content_type="application/json").status_code == 422
    refused = there.post(f"{API}/prov", json.dumps({"bundle": {"a": {}}}), content_type="application/json")
    assert (refused.status_code, refused.json()["detail"].startswith("bundle:")) == (422, True)
    reader = client_of(other_desk, Role.READER)
    assert reader.post(f"{API}/prov", text, content_type="application/json").status_code == 403


def test_open_lineage_of_ours_builds_the_same_graph_elsewhere(desk: Desk, other_desk: Desk) -> None:
    hub = [f"chunk:c{number} CHUNKED_FROM artifact:a" for number in range(1_002)]
    nodes = graph(desk.workspace, *hub, run="run-1", transform="cut@2")
    entity = {name: refs.read(one.ref) for name, one in nodes.items()}
    for run, edge in (("run-2", ("c0", Relation.DERIVED_FROM, "c1")), ("", ("c2", Relation.SUPERSEDES, "c3"))):
        join(desk.workspace, entity, [edge], run=run)
    _, text = exported(client_of(desk), nodes["a"].ref, format="openlineage")
    told = [json.loads(line)["eventType"] for line in text.splitlines()]
    assert told == ["START", "RUNNING", "COMPLETE", "START", "COMPLETE", "START", "COMPLETE"]
    there = client_of(other_desk)
    answer = there.post(f"{API}/events", text, content_type="application/x-ndjson")
    assert answer.status_code == 200, answer.content
    both = [
        sorted(Edge.objects.filter(workspace=one.workspace).values_list("from_entity__ref", "to_entity__ref", *facts))
        for one in (desk, other_desk)
        for facts in [("relation", "run_id", "transform_type", "transform_version", "is_dependence")]
    ]
    assert (both[0], len(both[0])) == (both[1], 1_004)
    assert exported(there, nodes["a"].ref, format="graphml")[1].count("<node ") == len(nodes)


def test_a_document_of_several_parts_is_taken_in_whole_or_not_at_all(desk: Desk) -> None:
    entities = {f"ex:{number}": {} for number in range(3)}
    ring = [(0, 1), (1, 2), (2, 0)]
    derived = {
        f"_:{n}": {"prov:generatedEntity": f"ex:{one}", "prov:usedEntity": f"ex:{other}"}
        for n, (one, other) in enumerate(ring)
    }
    answer = client_of(desk).post(
        f"{API}/prov", json.dumps({"entity": entities, "wasDerivedFrom": derived}), content_type="application/json"
    )
    assert answer.status_code == 422
    assert not Entity.objects.exists()
    assert not Event.objects.exists()


@pytest.mark.parametrize("written", HURTS[:5])
def test_refs_that_hurt_are_found_on_pages_in_tables_and_in_files(desk: Desk, written: str) -> None:
    ref = str(refs.read(written))
    entity = EntityFactory(workspace=desk.workspace, type="chunk", ref=ref)
    claim = graph(desk.workspace, "claim:k SUPPORTED_BY chunk:c")["k"]
    Edge.objects.update(to_entity=entity)
    client = desk.client(Role.READER)
    about = urlencode({"ref": written})
    assert client.get(f"/lineage/entity/?{about}").status_code == 200
    assert claim.ref in client.get(f"/lineage/impact/?{about}").content.decode()
    up = urlencode({"ref": claim.ref, "direction": "up"})
    rows: Any = client.get(f"/lineage/impact/lineage.csv?{up}")
    cell = b"".join(rows.streaming_content).decode().splitlines()[1].split('","')[0].strip('"').replace('""', '"')
    assert restored(cell) == ref
    document = ProvDocument.deserialize(content=exported(client_of(desk), ref)[1], format="json")
    assert ref in {str(value) for record in document.get_records() for value in record.get_attribute("lin:ref")}


def test_events_of_a_file_are_taken_in_and_each_refusal_is_named_by_its_line(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    good = {"entities": [{"ref": "chunk://c/v1"}]}
    lines = [good, good, {"entities": [{"ref": "chunk://c@latest"}]}, {"tenant_id": "x", **good}]
    file.write_text("\n".join(["", *map(json.dumps, lines), "{"]), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    sender = desk.person().username
    with pytest.raises(CommandError) as refused:
        call_command("ingest_events", str(file), "--as", sender, stdout=out, stderr=err)
    assert refused.value.returncode == 2
    assert out.getvalue() == "1 accepted, 1 duplicate, 3 refused\n"
    assert f"{file}:4: unpinned_version (entities[0])" in err.getvalue()
    assert f"{file}:5: not found" in err.getvalue()
    file.write_text(json.dumps([{"entities": [{"ref": "chunk://d/v1"}]}]), encoding="utf-8")
    call_command("ingest_events", str(file), "--as", sender, stdout=out)
    assert Entity.objects.count() == 2
    # A line separator of Unicode ends no line, and a value that is nested without end is no event.
    parted = json.dumps({"entities": [{"ref": "chunk://e/v1", "metadata": {"n": "a\u2028b"}}]}, ensure_ascii=False)
    file.write_text(f"{parted}\n{'[' * 100_000}\n", encoding="utf-8")
    with pytest.raises(CommandError):
        call_command("ingest_events", str(file), "--as", sender, stdout=out, stderr=err)
    assert out.getvalue().endswith("1 accepted, 0 duplicate, 1 refused\n")
    assert f"{file}:2: no JSON" in err.getvalue()
    for who, path in ((sender, tmp_path / "none"), (desk.person(Role.READER).username, file)):
        with pytest.raises(CommandError, match=r"cannot be read|may not"):
            call_command("ingest_events", str(path), "--as", who)


def test_measures_come_with_their_definitions_and_the_list_behind_them(desk: Desk, seen: dict[str, Entity]) -> None:
    client = client_of(desk, Role.READER)
    told = {one["measure"]: one for one in client.get(f"{API}/measures").json()}
    assert told.keys() == set(Measure)
    assert all(one["title"] and one["definition"].endswith(".") for one in told.values())
    assert (told["claim-evidence"]["part"], told["claim-evidence"]["whole"], told["claim-evidence"]["share"]) == (
        1,
        1,
        1,
    )
    graph(desk.workspace, "report:old CONTAINS claim:bare", "report:old CONTAINS claim:none")
    behind = client.get(f"{API}/measures/claim-evidence?limit=1").json()
    assert (behind["total"], behind["refs"], behind["next_offset"]) == (2, ["claim://bare/v1"], 1)
    assert client.get(f"{API}/measures/claim-evidence?offset=1").json()["next_offset"] is None
    assert client.get(f"{API}/measures/beauty").status_code == 422


def test_what_no_xml_holds_breaks_no_file(desk: Desk) -> None:
    """What a sender of events may write anywhere, and XML 1.0 has no place for."""
    client = client_of(desk)
    odd = "\ufffe\uffff"
    event = {
        "relation": "PARSED_FROM",
        "output": {"ref": f"document-ir://d{odd}/v1"},
        "inputs": [{"ref": f"artifact://a{odd}/v1"}],
        "transform": {"type": "parse", "implementation": f"]]>{odd}"},
        "run_id": odd,
    }
    taken = client.post(f"{API}/events", event, content_type="application/json")
    assert taken.status_code == 202, taken.content
    ref = Entity.objects.get(type="document-ir").ref
    Entity.objects.update(is_placeholder=False)
    status, text = exported(client, ref, format="graphml")
    assert status == 200
    assert len(ET.fromstring(text).findall(".//{*}node")) == 2  # noqa: S314 (our own file)
    page = desk.client(Role.READER)
    for path in ("lineage.svg", "file/"):
        answer: Any = page.get(f"/lineage/entity/{path}?{urlencode({'ref': ref, 'format': 'graphml'})}")
        assert answer.status_code == 200
        ET.fromstring(b"".join(answer) if answer.streaming else answer.content)  # noqa: S314 (our own file)


def test_who_may_not_is_told_so_as_any_other_mistake_is(desk: Desk, seen: dict[str, Entity]) -> None:
    client, ref = client_of(desk, Role.READER), seen["k"].ref
    bodies: dict[str, dict[str, Any]] = {
        "events": {},
        "prov": {},
        "impact": {"ref": ref, "reason": "Made up."},
        "held": {"edge": 1, "deed": "join"},
    }
    for path, body in bodies.items():
        answer = client.post(f"{API}/{path}", body, content_type="application/json")
        assert (answer.status_code, list(answer.json())) == (403, ["detail"]), path
        assert "needs the role" in answer.json()["detail"]
