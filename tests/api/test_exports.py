"""Exports over JSON: the same services as the pages, for a token of its workspace."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from sources import dispatch, tasks
from sources.core.export_formats import ExportFormat
from sources.core.kinds import Sensitivity
from sources.models import Export, Project
from sources.services import export_orders
from sources.services.export_files import place_of
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, CitationFactory, ProjectFactory, SectionFactory, SourceFactory

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/exports"


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def project(desk: Desk) -> Project:
    """Two sources in one section; one is internal."""
    project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    section = SectionFactory(project=project, slug="02-market")
    for title, sensitivity in (
        ("Harbour whales", Sensitivity.CITABLE_EXTERNALLY),
        ("Quay secrets", Sensitivity.INTERNAL_ONLY),
    ):
        source = SourceFactory(workspace=desk.workspace, title=title, sensitivity=sensitivity)
        CitationFactory(entry=CatalogEntryFactory(project=project, source=source), section=section)
    return project


def client(desk: Desk, role: Role = Role.READER) -> Client:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def make(one: Client, **given: object) -> Any:
    return one.post(ADDRESS, given, content_type="application/json")


@pytest.mark.parametrize("format_", ExportFormat)
def test_every_file_can_be_made_and_fetched(desk: Desk, project: Project, format_: ExportFormat) -> None:
    reader = client(desk)
    section = "02-market" if format_.needs_section else ""
    told = make(reader, format=format_, project=project.name, section=section)
    assert told.status_code == 201, told.content
    export = told.json()
    assert (export["left_out"], export["is_external"], export["created_by"]) == (
        1,
        True,
        desk.person(Role.READER).username,
    )
    answer = reader.get(export["file_url"])
    data = b"".join(answer.streaming_content)
    assert hashlib.sha256(data).hexdigest() == export["sha256"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Disposition"].startswith("attachment; ")
    assert reader.get(f"{ADDRESS}/{export['uuid']}").json() == export


def test_a_filter_of_the_list_chooses_the_sources(desk: Desk, project: Project) -> None:
    reader = client(desk)
    told = make(reader, format="csv", query="?q=whales&page=2").json()
    assert (told["query"], told["project"], told["source_count"]) == ("q=whales", "", 1)
    told = make(reader, format="csv", query=f"project={project.uuid}").json()
    assert (told["project"], told["source_count"], told["left_out"]) == ("Harbour memo", 1, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"format": "best-sources", "project": "Harbour memo"}, "“02-market”"),
        ({"format": "best-sources", "project": "Harbour memo", "section": "9"}, "no section “9”"),
        ({"format": "run-report"}, "choose a project"),
        ({"format": "csv", "query": "verdict=nonsense"}, "not known here"),
        ({"format": "pdf", "project": "Harbour memo"}, "master-verdict"),
    ],
)
def test_what_cannot_be_made_is_said_in_words(desk: Desk, project: Project, given: dict[str, str], said: str) -> None:
    answer = make(client(desk), **given)
    assert answer.status_code == 422
    assert said in str(answer.json())
    assert Export.objects.count() == 0


def test_internal_sources_are_for_curators(desk: Desk, project: Project) -> None:
    assert make(client(desk), format="csv", project=project.name, internal=True).status_code == 403
    told = make(client(desk, Role.CURATOR), format="csv", project=project.name, internal=True).json()
    assert (told["is_external"], told["source_count"]) == (False, 2)
    for address in (f"{ADDRESS}/{told['uuid']}", told["file_url"]):
        assert client(desk).get(address).status_code == 403


def test_another_workspace_sees_nothing(desk: Desk, other_desk: Desk, project: Project) -> None:
    told = make(client(desk), format="csv", project=project.name).json()
    stranger = client(other_desk, Role.ADMIN)
    assert make(stranger, format="csv", project=project.name).status_code == 404
    for tail in ("", "/file"):
        answers = [
            stranger.get(f"{ADDRESS}/{uuid}{tail}") for uuid in (told["uuid"], "00000000-0000-4000-8000-000000000000")
        ]
        assert {answer.status_code for answer in answers} == {404}
        assert answers[0].content == answers[1].content
    assert make(stranger, format="csv").json()["source_count"] == 0
    assert Client().get(told["file_url"]).status_code == 401


def test_a_file_that_is_gone_is_said(desk: Desk, project: Project) -> None:
    reader = client(desk)
    told = make(reader, format="csv", project=project.name).json()
    place_of(told["sha256"]).unlink()
    answer = reader.get(told["file_url"])
    assert (answer.status_code, "Build it again" in answer.json()["detail"]) == (410, True)


def test_the_schema_describes_making_and_fetching(desk: Desk) -> None:
    schema = desk.client().get("/api/v1/openapi.json").json()
    assert schema["components"]["schemas"]["ExportFormat"]["enum"] == list(ExportFormat)
    fetched = schema["paths"]["/api/v1/exports/{uuid}/file"]["get"]["responses"]
    assert "application/octet-stream" in fetched["200"]["content"]


def test_a_large_file_is_answered_with_an_address_that_says_how_far_it_is(
    desk: Desk, other_desk: Desk, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "WRITTEN_AT_ONCE", 0)
    monkeypatch.setattr(tasks.make_exports, "apply_async", lambda **_: None)
    reader = client(desk)
    answer = make(reader, format="csv", project=project.name)
    assert answer.status_code == 202, answer.content
    order = answer.json()
    assert (order["is_running"], order["export"], order["problem"]) == (True, None, "")
    export_orders.work(clock=timezone.now)
    told = reader.get(order["status_url"]).json()
    assert (told["is_running"], told["export"]["source_count"], told["export"]["left_out"]) == (False, 1, 1)
    assert reader.get(told["export"]["file_url"]).status_code == 200
    assert client(other_desk).get(order["status_url"]).status_code == 404
