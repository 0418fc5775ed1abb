"""Home and a project's page, through the client."""

import pytest
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from sources.core.findings import Verdict
from sources.models import Project
from tests.desk import Desk, without_token
from tests.factories import CatalogEntryFactory, ProjectFactory, SourceFactory
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db


def with_sources(project: Project, number: int) -> None:
    for _ in range(number):
        source = SourceFactory(workspace=project.workspace)
        CatalogEntryFactory(project=project, source=source)


def test_an_empty_workspace_says_what_to_do_next(desk: Desk) -> None:
    page = desk.client().get("/").content.decode()
    assert "No projects yet" in page
    assert "Make the project" in page


def test_a_reader_is_offered_nothing_that_a_reader_may_not_do(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    assert "Make the project" not in desk.client(Role.READER).get("/").content.decode()
    assert "Import a list" not in desk.client(Role.READER).get(f"/p/{project.uuid}/").content.decode()
    assert desk.client(Role.READER).post("/projects/new/", {"name": "Mine"}).status_code == 403
    assert desk.client(Role.READER).get(f"/p/{project.uuid}/imports/new/").status_code == 403


def test_a_new_project_leads_to_its_import(desk: Desk) -> None:
    answer = desk.client().post("/projects/new/", {"name": "Harbour memo", "firm": "Quay & Co"})
    project = Project.objects.get(name="Harbour memo")
    assert answer.headers["Location"] == f"/p/{project.uuid}/imports/new/"
    assert project.firm == "Quay & Co"


def test_a_name_that_is_taken_is_said_beside_the_field(desk: Desk) -> None:
    ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    answer = desk.client().post("/projects/new/", {"name": "Harbour memo"})
    assert answer.status_code == 422
    assert "choose another name" in answer.content.decode()


def test_a_foreign_project_and_a_missing_one_answer_alike(desk: Desk, other_desk: Desk) -> None:
    foreign = ProjectFactory(workspace=other_desk.workspace)
    client = desk.client(Role.ADMIN)
    answers = [
        client.get(f"/p/{uuid}/{tail}")
        for tail in ("", "imports/new/", "Master-Sources.md", "runs/")
        for uuid in (foreign.uuid, "00000000-0000-4000-8000-000000000000")
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({without_token(answer.content) for answer in answers}) == 1


def test_a_project_page_shows_where_it_stands(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    for verdict in (Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404, Verdict.THIN):
        source = SourceFactory(workspace=desk.workspace)
        CatalogEntryFactory(project=project, source=source)
        apply(source, verdict)
    page = desk.client().get(f"/p/{project.uuid}/").content.decode()
    assert "1 of 3 sources verified (33.3 %)" in page
    assert "block" in page
    assert "1 question waits" in page


@pytest.mark.parametrize("number", [10, 20])
def test_a_project_page_costs_the_same_queries_whatever_its_size(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    with_sources(project, number)
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(10):
        client.get(f"/p/{project.uuid}/")


@pytest.mark.parametrize("number", [10, 20])
def test_home_costs_the_same_queries_whatever_its_size(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        with_sources(ProjectFactory(workspace=desk.workspace), 1)
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(8):
        client.get("/")
