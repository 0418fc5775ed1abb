"""Observations and chunks over JSON: written, cited, listed, taken in, read with what must travel with them."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from sources.models import Chunk, ChunkStore, Observation, Source
from tests.desk import Desk
from tests.factories import (
    ChunkFactory,
    ConceptFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SourceFactory,
)
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db
DOCUMENT = {"store": "harbour", "path": "notes/tides.md", "text": "# Rise\nIt rises.\n\n# Fall\nIt falls.\n"}


def client_of(desk: Desk, role: Role = Role.CURATOR) -> Client:
    made = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def post(client: Client, path: str, body: dict[str, Any]) -> Any:
    return client.post(f"/api/v1{path}", body, content_type="application/json")


def test_an_observation_is_written_cited_and_listed(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace, name="Quay memo")
    source = SourceFactory(workspace=desk.workspace, title="Tide tables", retracted=True, retraction_note="Invented")
    client = client_of(desk)
    body = {"project": "Quay memo", "body": "Boats rose.", "kind": "finding", "concepts": ["tides"]}
    answer = post(client, "/observations", body)
    assert answer.status_code == 201
    told = answer.json()
    row = Observation.objects.get()
    assert (told["observation"], told["number"], told["kind"]) == (str(row.uuid), row.pk, "finding")
    assert (told["concepts"], told["sources"]) == (["tides"], [])
    cited = post(client, f"/observations/{row.uuid}/sources", {"source": str(source.uuid)})
    assert cited.status_code == 200
    assert cited.json()["sources"] == [
        {
            "source": str(source.uuid),
            "title": "Tide tables",
            "identifier_type": "url",
            "identifier_value": source.identifier_value,
            "url": source.identifier_value,
            "relationship": "cited",
            "retracted": True,
            "retraction_note": "Invented",
            "retraction_status": "retracted",
        }
    ]
    listed = client.get(f"/api/v1/observations?retracted=true&kind=finding&project={project.uuid}&concept=tides").json()
    assert (listed["total"], listed["next_offset"]) == (1, None)
    assert listed["observations"] == [cited.json()]
    assert client.get("/api/v1/observations?kind=question").json()["total"] == 0
    deeds = ChangeSet.objects.filter(kind__startswith="observation.")
    assert set(deeds.values_list("channel", flat=True)) == {Channel.API}


def test_what_a_project_is_about_is_said_and_read(desk: Desk) -> None:
    project, client = ProjectFactory(workspace=desk.workspace), client_of(desk)
    address = f"/projects/{project.uuid}/concepts"
    for _ in range(2):
        told = post(client, address, {"add": ["tides", "ebb"]}).json()
        assert told == {"project": str(project.uuid), "concepts": ["ebb", "tides"]}
    assert post(client, address, {"add": ["flood"], "remove": ["ebb"]}).json()["concepts"] == ["flood", "tides"]
    assert client.get(f"/api/v1{address}").json()["concepts"] == ["flood", "tides"]
    deeds = ChangeSet.objects.filter(kind="project.concepts")
    assert list(deeds.values_list("channel", flat=True)) == [Channel.API] * 2
    assert post(client, address, {"add": ["x" * 501]}).status_code == 422
    assert post(client_of(desk, Role.READER), address, {"add": ["quay"]}).status_code == 403
    foreign = ProjectFactory()
    assert post(client, f"/projects/{foreign.uuid}/concepts", {"add": ["quay"]}).status_code == 404


def test_citing_twice_is_safe(desk: Desk) -> None:
    row, source = ObservationFactory(project__workspace=desk.workspace), SourceFactory(workspace=desk.workspace)
    client, body = client_of(desk), {"source": str(source.uuid), "relationship": "inferred"}
    first = post(client, f"/observations/{row.uuid}/sources", body).json()
    assert post(client, f"/observations/{row.uuid}/sources", body).json() == first
    assert row.source_links.count() == 1


def test_observations_come_in_pages(desk: Desk) -> None:
    for _ in range(3):
        ObservationFactory(project__workspace=desk.workspace)
    client = client_of(desk)
    first = client.get("/api/v1/observations?limit=2").json()
    rest = client.get(f"/api/v1/observations?limit=2&offset={first['next_offset']}").json()
    assert (first["total"], len(first["observations"]), rest["next_offset"]) == (3, 2, None)
    numbers = [one["number"] for one in first["observations"] + rest["observations"]]
    assert sorted(numbers, reverse=True) == numbers
    assert len(set(numbers)) == 3


@pytest.mark.parametrize("number", [10, 20])
def test_a_list_costs_the_same_queries_whatever_its_length(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        link = ObservationSourceFactory(observation__project__workspace=desk.workspace)
        link.observation.concepts.add(ConceptFactory(workspace=desk.workspace))
    client = client_of(desk)
    with django_assert_num_queries(8):
        assert len(client.get("/api/v1/observations").json()["observations"]) == number


def test_a_document_is_taken_in_and_its_chunks_tell_their_provenance(desk: Desk) -> None:
    client = client_of(desk)
    answer = post(client, "/chunks", {**DOCUMENT, "doi": "10.5555/tides.1", "rights": "CC BY 4.0"})
    assert answer.status_code == 200
    store, source = ChunkStore.objects.get(), Source.objects.get()
    assert answer.json() == {
        "store": store.pk,
        "source": str(source.uuid),
        "added": 2,
        "replaced": 0,
        "removed": 0,
        "unchanged": 0,
        "warning": "",
    }
    again = post(client, "/chunks", {**DOCUMENT, "text": "# Rise\nIt rises.\n"}).json()
    assert (again["removed"], again["unchanged"]) == (1, 1)
    assert "stale" in again["warning"]
    chunk = Chunk.objects.get()
    told = client.get(f"/api/v1/chunks/{chunk.pk}/provenance").json()
    assert told["form"] == "provenance-payload/1"
    assert told["content_hash"] == {"algorithm": "sha256", "value": chunk.content_hash}
    assert told["identifiers"]["source_doi"] == "10.5555/tides.1"
    assert told["rights"] == "CC BY 4.0"


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/chunks", {**DOCUMENT, "doi": "hello"}, "doi: "),
        ("/chunks", {**DOCUMENT, "text": " \n"}, "file: "),
        ("/chunks", {**DOCUMENT, "text": "a\x01b", "url": "no address"}, "url: "),
        ("/observations", {"project": "Quay memo", "body": " "}, "says something"),
        ("/observations", {"project": "Quay memo", "body": "x", "concepts": ["y" * 501]}, "500 characters"),
    ],
)
def test_what_cannot_be_taken_is_refused_in_words_and_writes_nothing(
    desk: Desk, path: str, body: dict[str, Any], told: str
) -> None:
    ProjectFactory(workspace=desk.workspace, name="Quay memo")
    client = client_of(desk)
    before = everything()["changes.ChangeSet"]
    answer = post(client, path, body)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert everything()["changes.ChangeSet"] == before
    assert not Observation.objects.exists()
    assert not Chunk.objects.exists()


def test_nothing_of_another_workspace_is_there(desk: Desk, other_desk: Desk) -> None:
    foreign = ObservationSourceFactory(observation__project__workspace=other_desk.workspace)
    chunk = ChunkFactory(store__workspace=other_desk.workspace)
    ProjectFactory(workspace=other_desk.workspace, name="Theirs")
    mine = ObservationFactory(project__workspace=desk.workspace)
    client = client_of(desk, Role.ADMIN)
    assert client.get("/api/v1/observations").json()["total"] == 1
    assert client.get(f"/api/v1/chunks/{chunk.pk}/provenance").status_code == 404
    assert post(client, "/observations", {"project": "Theirs", "body": "x"}).status_code == 404
    body = {"source": str(foreign.source.uuid)}
    assert post(client, f"/observations/{mine.uuid}/sources", body).status_code == 404
    assert post(client, f"/observations/{foreign.observation.uuid}/sources", body).status_code == 404


def test_a_reader_s_token_reads_and_no_token_reads_nothing(desk: Desk) -> None:
    row = ObservationFactory(project=ProjectFactory(workspace=desk.workspace, name="Quay memo"))
    chunk = ChunkFactory(store__workspace=desk.workspace)
    source = SourceFactory(workspace=desk.workspace)
    deeds = (
        ("/chunks", DOCUMENT),
        ("/observations", {"project": "Quay memo", "body": "x"}),
        (f"/observations/{row.uuid}/sources", {"source": str(source.uuid)}),
    )
    reader, stranger = client_of(desk, Role.READER), Client()
    for path in ("/observations", f"/chunks/{chunk.pk}/provenance"):
        assert reader.get(f"/api/v1{path}").status_code == 200
        assert stranger.get(f"/api/v1{path}").status_code == 401
    for path, body in deeds:
        assert post(reader, path, body).status_code == 403
        assert post(stranger, path, body).status_code == 401
    assert Observation.objects.count() == 1


def test_the_documentation_names_every_operation(desk: Desk) -> None:
    paths = desk.client().get("/api/v1/openapi.json").json()["paths"]
    for path in ("/observations", "/observations/{uuid}/sources", "/chunks", "/chunks/{pk}/provenance"):
        assert f"/api/v1{path}" in paths
