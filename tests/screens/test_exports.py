"""Exports through the client: choosing a file, what was handed on, downloading it again, the table of a list."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.kit.downloads import attachment
from sources.core.export_formats import ExportFormat
from sources.core.findings import Verdict
from sources.core.kinds import Sensitivity
from sources.models import Export, Project
from sources.services.export_files import place_of
from tests.desk import HTMX, Desk, without_token
from tests.factories import (
    CatalogEntryFactory,
    CitationFactory,
    ExportFactory,
    ProjectFactory,
    SectionFactory,
    SourceFactory,
)
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db
MISSING = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def project(desk: Desk) -> Project:
    """A project with a section, and two sources of which one is internal."""
    project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    section = SectionFactory(project=project, slug="02-market")
    for title, sensitivity in (
        ("Harbour whales", Sensitivity.CITABLE_EXTERNALLY),
        ("Quay secrets", Sensitivity.INTERNAL_ONLY),
    ):
        source = SourceFactory(workspace=desk.workspace, title=title, sensitivity=sensitivity)
        CitationFactory(entry=CatalogEntryFactory(project=project, source=source), section=section)
        apply(source, Verdict.VERIFIED_ACCESSIBLE)
    return project


def made(client: Client, project: Project, **fields: str) -> Export:
    answer = client.post(f"/p/{project.uuid}/exports/", {"format": "master-verdict", **fields})
    assert answer.status_code == 302, answer.content.decode()
    export = Export.objects.latest("pk")
    assert answer.headers["Location"] == f"/exports/{export.uuid}/"
    return export


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_master_sources_is_two_presses_away_from_the_project(desk: Desk, project: Project) -> None:
    client = desk.client(Role.READER)
    page = client.get(f"/p/{project.uuid}/").content.decode()
    assert 'name="format" value="master-verdict"' in page
    assert f'action="/p/{project.uuid}/exports/"' in page
    export = made(client, project)
    page = client.get(f"/exports/{export.uuid}/").content.decode()
    assert f'href="/exports/{export.uuid}/file/"' in page
    assert "1 internal source was left out" in page
    answer = client.get(f"/exports/{export.uuid}/file/")
    data = body(answer)
    assert hashlib.sha256(data).hexdigest() == export.sha256
    assert b"Harbour whales" in data
    assert b"Quay secrets" not in data
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Master-Sources.md"'
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["Content-Length"] == str(len(data))


@pytest.mark.parametrize("format_", ExportFormat)
def test_every_file_can_be_made_and_downloaded(desk: Desk, project: Project, format_: ExportFormat) -> None:
    client = desk.client(Role.READER)
    page = client.get(f"/p/{project.uuid}/exports/").content.decode()
    assert f'value="{format_}"' in page
    export = made(client, project, format=format_, section="02-market")
    assert export.section == ("02-market" if format_.needs_section else "")
    answer = client.get(f"/exports/{export.uuid}/file/")
    assert hashlib.sha256(body(answer)).hexdigest() == export.sha256
    page = client.get(f"/exports/{export.uuid}/").content.decode()
    assert ("no place to say so" in page) is not format_.tells_left_out


def test_what_was_handed_on_is_listed_with_who_when_and_hash(desk: Desk, project: Project) -> None:
    export = made(desk.client(Role.EDITOR), project, format="bibtex")
    for address in (f"/p/{project.uuid}/exports/", "/exports/"):
        page = desk.client(Role.READER).get(address).content.decode()
        assert "references.bib" in page
        assert export.sha256 in page
        assert desk.person(Role.EDITOR).username in page
        assert "1 left out" in page


def test_a_file_can_be_downloaded_again_as_it_was(desk: Desk, project: Project) -> None:
    client = desk.client()
    export = made(client, project)
    before = body(client.get(f"/exports/{export.uuid}/file/"))
    CatalogEntryFactory(project=project, source__title="Later report")
    assert body(client.get(f"/exports/{export.uuid}/file/")) == before
    assert b"Later report" in body(client.get(f"/exports/{made(client, project).uuid}/file/"))


def test_a_file_with_the_same_bytes_as_an_earlier_one_says_so(desk: Desk, project: Project) -> None:
    first = made(desk.client(Role.READER), project)
    second = made(desk.client(Role.ADMIN), project)
    page = desk.client().get(f"/exports/{second.uuid}/").content.decode()
    assert f'href="/exports/{first.uuid}/"' in page
    assert "nothing in it has changed since" in page


def test_a_file_that_is_gone_from_the_folder_is_said(desk: Desk, project: Project) -> None:
    client = desk.client()
    export = made(client, project)
    place_of(export.sha256).unlink()
    answer = client.get(f"/exports/{export.uuid}/file/")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/exports/{export.uuid}/")
    page = client.get(f"/exports/{export.uuid}/").content.decode()
    assert "no longer in the data folder" in page
    assert f'href="/exports/{export.uuid}/file/"' not in page
    assert "Make it again" in page


# -- who may -----------------------------------------------------------------------------------------------------------


def test_internal_sources_leave_only_for_curators_and_never_for_others(desk: Desk, project: Project) -> None:
    export = made(desk.client(Role.CURATOR), project, internal="on")
    assert not export.is_external
    assert b"Quay secrets" in body(desk.client(Role.EDITOR).get(f"/exports/{export.uuid}/file/"))
    page = desk.client(Role.CURATOR).get(f"/exports/{export.uuid}/").content.decode()
    assert "Do not hand it on" in page
    reader = desk.client(Role.READER)
    for address in (f"/exports/{export.uuid}/", f"/exports/{export.uuid}/file/"):
        assert reader.get(address).status_code == 403
    for address in (f"/p/{project.uuid}/exports/", "/exports/"):
        page = reader.get(address).content.decode()
        assert export.sha256 not in page
        assert 'name="internal"' not in page
        assert export.sha256 in desk.client(Role.CURATOR).get(address).content.decode()


def test_a_reader_who_asks_for_internal_sources_gets_none(desk: Desk, project: Project) -> None:
    reader = desk.client(Role.READER)
    for address in (f"/p/{project.uuid}/exports/", "/sources/export/"):
        assert reader.post(address, {"format": "csv", "internal": "on"}).status_code == 403
    assert reader.get("/sources/sources.csv?internal=1").status_code == 403
    assert Export.objects.count() == 0


def test_foreign_and_missing_exports_answer_alike(desk: Desk, other_desk: Desk, project: Project) -> None:
    export = made(desk.client(), project)
    stranger = other_desk.client(Role.ADMIN)
    for form in ("/exports/{}/", "/exports/{}/file/", "/p/{}/exports/"):
        answers = [stranger.get(form.format(uuid)) for uuid in (export.uuid, project.uuid, MISSING)]
        assert {answer.status_code for answer in answers} == {404}
        assert len({without_token(answer.content) for answer in answers}) == 1
    assert stranger.post(f"/p/{project.uuid}/exports/", {"format": "csv"}).status_code == 404
    assert export.sha256 not in stranger.get("/exports/").content.decode()
    assert Export.objects.count() == 1


def test_looking_makes_nothing(desk: Desk, project: Project) -> None:
    client = desk.client()
    export = made(client, project)
    for address in ("/exports/", f"/p/{project.uuid}/exports/", f"/exports/{export.uuid}/", "/sources/export/"):
        client.get(address)
    body(client.get(f"/exports/{export.uuid}/file/"))
    assert Export.objects.count() == 1
    assert client.post(f"/exports/{export.uuid}/file/").status_code == 405


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a file."),
        ({"format": "pdf"}, "choose one of the list"),
        ({"format": "best-sources"}, "Choose the section"),
        ({"format": "best-sources", "section": "99-other"}, "Section"),
    ],
)
def test_what_is_missing_is_said_beside_its_field(
    desk: Desk, project: Project, fields: dict[str, str], said: str
) -> None:
    answer = desk.client().post(f"/p/{project.uuid}/exports/", fields)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Export.objects.count() == 0


def test_files_of_a_section_are_offered_where_there_is_one(desk: Desk) -> None:
    page = desk.client().get(f"/p/{ProjectFactory(workspace=desk.workspace).uuid}/exports/").content.decode()
    assert "best-sources" not in page
    assert "Nothing was handed on yet" in page
    assert "Nothing was handed on yet" in desk.client().get("/exports/").content.decode()


# -- any list of sources -----------------------------------------------------------------------------------------------


def test_a_filtered_list_is_exported_with_its_filter(desk: Desk, project: Project) -> None:
    SourceFactory(workspace=desk.workspace, title="Gulf report")
    client = desk.client()
    listed = client.get("/sources/?q=whales&page=1", headers=HTMX).content.decode()
    assert 'href="/sources/export/?q=whales"' in listed
    assert 'href="/sources/sources.csv?q=whales"' in listed
    page = client.get("/sources/export/?q=whales&page=3").content.decode()
    assert "Export 1 source" in page
    assert 'href="/sources/sources.csv?q=whales&amp;bom=1"' in page
    answer = client.post("/sources/export/?q=whales&page=3&sort=-title", {"format": "ris"})
    export = Export.objects.get()
    assert answer.headers["Location"] == f"/exports/{export.uuid}/"
    assert (export.query, export.project, export.source_count) == ("q=whales", None, 1)
    data = body(client.get(f"/exports/{export.uuid}/file/"))
    assert b"Harbour whales" in data
    assert b"Gulf report" not in data
    assert "/sources/?q=whales" in client.get(f"/exports/{export.uuid}/").content.decode()


def test_a_list_of_one_project_is_told_as_that_project_tells_it(desk: Desk, project: Project) -> None:
    desk.client().post(f"/sources/export/?project={project.uuid}&q=whales", {"format": "csv"})
    export = Export.objects.get()
    assert (export.project, export.left_out) == (project, 0)
    data = body(desk.client().get(f"/exports/{export.uuid}/file/")).decode()
    assert f'"{project.entries.get(source__title="Harbour whales").stable_id}"' in data


def test_what_stays_of_a_list_is_said_before_it_is_made(desk: Desk, project: Project) -> None:
    page = desk.client(Role.READER).get("/sources/export/").content.decode()
    assert "Export 1 source" in page
    assert "1 internal source of it stays here" in page


def test_a_table_of_the_view_is_sent_and_records_nothing(desk: Desk, project: Project) -> None:
    answer = desk.client(Role.READER).get("/sources/sources.csv?q=harbour")
    data = body(answer)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="sources.csv"'
    assert data.startswith(b'"id","title"')
    assert (b"Harbour whales" in data, b"Quay secrets" in data) == (True, False)
    assert b"Quay secrets" in body(desk.client().get("/sources/sources.csv?internal=1"))
    assert Export.objects.count() == 0


def test_a_filter_that_cannot_be_read_is_said(desk: Desk, project: Project) -> None:
    client = desk.client()
    for address in ("/sources/export/", "/sources/sources.csv"):
        answer = client.get(f"{address}?verdict=nonsense")
        assert answer.status_code == 400
        assert "not known here" in answer.content.decode()
    assert client.post("/sources/export/?verdict=nonsense", {"format": "csv"}).status_code == 400


def test_a_foreign_project_narrows_nothing_open(desk: Desk, other_desk: Desk, project: Project) -> None:
    foreign = ProjectFactory(workspace=other_desk.workspace)
    answers = [desk.client().get(f"/sources/export/?project={uuid}") for uuid in (foreign.uuid, MISSING)]
    assert {answer.status_code for answer in answers} == {400}


def test_a_list_where_nothing_matches_says_so(desk: Desk, project: Project) -> None:
    assert "No source matches" in desk.client().get("/sources/export/?q=zebra").content.decode()


# -- cost and names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [10, 20])
def test_the_pages_cost_the_same_queries_whatever_was_handed_on(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    for _ in range(number):
        CatalogEntryFactory(project=project)
        ExportFactory(workspace=desk.workspace, project=project, created_by=desk.person())
    client = desk.client()
    client.get("/")
    for address, queries in (("/exports/", 5), (f"/p/{project.uuid}/exports/", 9), ("/sources/export/", 7)):
        with django_assert_num_queries(queries):
            client.get(address)


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("Master-Sources.md", 'attachment; filename="Master-Sources.md"'),
        ("Hafenübersicht.zip", "attachment; filename=\"Hafen_bersicht.zip\"; filename*=UTF-8''Hafen%C3%BCbersicht.zip"),
        ('a"b\\c%41\r\nX: y', "attachment; filename=\"a_b_c_41__X: y\"; filename*=UTF-8''a%22b%5Cc%2541%0D%0AX%3A%20y"),
    ],
)
def test_a_file_name_reaches_every_browser_and_never_ends_the_header(name: str, header: str) -> None:
    assert attachment(name)["Content-Disposition"] == header


def test_hostile_names_are_only_text(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace, name='"><img src=x onerror=alert(1)>')
    SectionFactory(project=project, slug="<b>bold</b>")
    client = desk.client()
    export = made(client, project, format="best-sources", section="<b>bold</b>")
    for address in (f"/p/{project.uuid}/exports/", "/exports/", f"/exports/{export.uuid}/"):
        page = client.get(address).content.decode()
        assert "<img src=x" not in page
        assert "<b>bold" not in page
    assert export.file_name == "Best-Sources-b-bold-b.md"
