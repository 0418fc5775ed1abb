"""Paste, look, import: through the client, with the bad input that people really bring."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoAssertNumQueries, Settings

from provenance_site.accounts.roles import Role
from sources.models import CatalogEntry, ImportBatch, ImportRow, Project, Source
from tests.desk import Desk
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db

LIST = """https://gazette.org/2024/harbour-survey
http://www.gazette.org/2024/harbour-survey/?utm_source=mail
10.1016/j.harbour.2024.01.001
javascript:alert(1)
file:///etc/passwd
https://user:hunter2@gazette.org/private
"""


@pytest.fixture
def project(desk: Desk) -> Project:
    made: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    return made


def paste(desk: Desk, project: Project, text: str, *, follow: bool = True) -> str:
    answer = desk.client().post(f"/p/{project.uuid}/imports/new/", {"text": text}, follow=follow)
    return answer.content.decode()


def upload(desk: Desk, project: Project, name: str, data: bytes) -> str:
    answer = desk.client().post(
        f"/p/{project.uuid}/imports/new/", {"file": SimpleUploadedFile(name, data)}, follow=True
    )
    return answer.content.decode()


def test_the_preview_counts_and_writes_nothing(desk: Desk, project: Project) -> None:
    page = paste(desk, project, LIST)
    batch = ImportBatch.objects.get()
    counts = dict.fromkeys(("new", "known", "duplicate", "repeat", "error"), 0)
    for row in batch.rows.all():
        counts[row.action] += 1
    assert counts == {"new": 3, "known": 0, "duplicate": 1, "repeat": 0, "error": 2}
    assert "Nothing is written yet" in page
    assert not Source.objects.exists()


def test_rows_that_do_not_come_to_the_second_count_are_told(desk: Desk, project: Project) -> None:
    assert "By its own signs" not in paste(desk, project, LIST)
    ImportBatch.objects.update(counted=7)
    page = desk.client().get(f"/imports/{ImportBatch.objects.get().uuid}/").content.decode()
    assert "By its own signs the file holds 7 entries, and 6 were read." in page


def test_unreadable_lines_are_named_by_number_with_the_way_out(desk: Desk, project: Project) -> None:
    paste(desk, project, LIST)
    errors = ImportRow.objects.filter(action="error").order_by("line")
    assert [row.line for row in errors] == [4, 5]
    page = desk.client().get(f"/imports/{ImportBatch.objects.get().uuid}/?show=error").content.decode()
    assert "javascript" in page
    assert "https://gazette.org/2024/harbour-survey<" not in page


def test_a_password_in_an_address_is_never_shown_and_never_kept(desk: Desk, project: Project) -> None:
    page = paste(desk, project, LIST)
    batch = ImportBatch.objects.get()
    desk.client().post(f"/imports/{batch.uuid}/commit/")
    assert "hunter2" not in page
    for model in (ImportRow, Source):
        for row in model.objects.values():
            assert "hunter2" not in str(row)


def test_the_import_writes_sources_and_a_reload_changes_nothing(desk: Desk, project: Project) -> None:
    paste(desk, project, LIST)
    batch = ImportBatch.objects.get()
    first = desk.client().post(f"/imports/{batch.uuid}/commit/", follow=True).content.decode()
    assert "Imported 3 sources into Harbour memo" in first
    again = desk.client().post(f"/imports/{batch.uuid}/commit/", follow=True).content.decode()
    assert "nothing was written now" in again
    assert Source.objects.count() == CatalogEntry.objects.filter(project=project).count() == 3


def test_the_same_list_again_is_known_and_can_be_thrown_away(desk: Desk, project: Project) -> None:
    paste(desk, project, "https://gazette.org/a")
    desk.client().post(f"/imports/{ImportBatch.objects.get().uuid}/commit/")
    page = paste(desk, project, "https://gazette.org/a")
    assert "In this project as src-001" in page
    newest = ImportBatch.objects.latest("pk")
    desk.client().post(f"/imports/{newest.uuid}/discard/")
    newest.refresh_from_db()
    assert newest.state == "discarded"


def test_an_import_can_be_undone_from_its_page(desk: Desk, project: Project) -> None:
    paste(desk, project, "https://gazette.org/a")
    batch = ImportBatch.objects.get()
    desk.client().post(f"/imports/{batch.uuid}/commit/")
    batch.refresh_from_db()
    assert batch.change_set is not None
    assert "Undo this import" in desk.client().get(f"/imports/{batch.uuid}/").content.decode()
    desk.client().post(f"/changes/{batch.change_set.uuid}/undo/", {"next": f"/imports/{batch.uuid}/"})
    assert not Source.objects.exists()
    assert "Taken back" in desk.client().get(f"/imports/{batch.uuid}/").content.decode()


def test_a_markdown_draft_keeps_sections_and_titles(desk: Desk, project: Project) -> None:
    draft = "# Memo\n\n## Market\n\nBoats [rose](https://gazette.org/boats 'Boats').\n\nTides[^1].\n\n"
    draft += "[^1]: 2024, Apr 25. [Tides of the year](https://gazette.org/tides). Gazette. Published: 2024-04-25\n"
    upload(desk, project, "draft-3.md", draft.encode())
    rows = {row.title: row for row in ImportRow.objects.all()}
    assert rows["Tides of the year"].status == "included"
    assert ImportBatch.objects.get().label == "draft-3.md"
    assert ImportRow.objects.get(request_url__endswith="boats").section == "Market"


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("list.md", b"https://gazette.org/a\n" * 500_000)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("empty.md", b" \n\n", "empty"),
        ("picture.md", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200), "text"),
        ("list.zip", bomb(), "text"),
        ("latin.md", "Größe https://gazette.org/a".encode("latin-1"), "UTF-8"),
        ("prose.txt", b"There is no address in this text at all, only words.\n", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    desk: Desk, project: Project, name: str, data: bytes, told: str
) -> None:
    page = upload(desk, project, name, data)
    assert "note-error" in page or ImportRow.objects.filter(action="error").exists()
    assert told in page
    assert not Source.objects.exists()


def test_too_large_a_paste_is_refused_with_the_limit(desk: Desk, project: Project, settings: Settings) -> None:
    settings.IMPORT_MAX_BYTES = 1000
    page = paste(desk, project, "https://gazette.org/a\n" * 100)
    assert "Split it and import the parts" in page
    assert not ImportBatch.objects.exists()


def test_too_many_references_are_refused_with_the_number(desk: Desk, project: Project, settings: Settings) -> None:
    settings.IMPORT_MAX_REFERENCES = 10
    page = paste(desk, project, "\n".join(f"https://gazette.org/{number}" for number in range(11)))
    assert "11 references" in page
    assert not ImportBatch.objects.exists()


def test_nul_bytes_are_refused_with_their_line(desk: Desk, project: Project) -> None:
    page = paste(desk, project, "https://gazette.org/a\nhttps://gazette.org/b\x00c\nhttps://gazette.org/d")
    assert "The field “text”, in line 2, holds a NUL character" in page
    assert not ImportBatch.objects.exists()


def test_a_url_of_20_000_characters_is_named_by_its_line_and_the_rest_is_kept(desk: Desk, project: Project) -> None:
    paste(desk, project, "https://gazette.org/a\nhttps://gazette.org/" + "x" * 20_000 + "\nhttps://gazette.org/b")
    error = ImportRow.objects.get(action="error")
    assert error.line == 2
    assert "8,000" in error.message
    assert len(error.spelling) <= 500
    assert ImportRow.objects.filter(action="new").count() == 2


def test_nothing_given_and_two_things_given_are_told(desk: Desk, project: Project) -> None:
    assert "Paste a list or choose a file" in paste(desk, project, "  ")
    answer = desk.client().post(
        f"/p/{project.uuid}/imports/new/",
        {"text": "https://gazette.org/a", "file": SimpleUploadedFile("a.md", b"https://gazette.org/b")},
    )
    assert answer.status_code == 422
    assert "there are both" in answer.content.decode()


def test_a_foreign_import_is_not_found(desk: Desk, other_desk: Desk, project: Project) -> None:
    paste(desk, project, "https://gazette.org/a")
    batch = ImportBatch.objects.get()
    stranger = other_desk.client(Role.ADMIN)
    assert stranger.get(f"/imports/{batch.uuid}/").status_code == 404
    for deed in ("commit", "discard"):
        assert stranger.post(f"/imports/{batch.uuid}/{deed}/").status_code == 404
    batch.refresh_from_db()
    assert batch.state == "staged"


@pytest.mark.parametrize("number", [10, 20])
def test_a_preview_costs_the_same_queries_whatever_its_size(
    desk: Desk, project: Project, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    paste(desk, project, "\n".join(f"https://gazette.org/{place}" for place in range(number)))
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(8):
        client.get(f"/imports/{ImportBatch.objects.get().uuid}/")


def test_the_button_counts_observations_apart_from_sources(desk: Desk, project: Project) -> None:
    mine = {"uuid": "11111111-2222-4333-8444-555555555555", "origin_host": "", "created_at": ""}
    lines = [
        {"type": "project", "name": "Tides", "description": "", "status": "active", **mine},
        {"type": "source", "title": "Harbour survey", "identifier_type": "", "identifier_value": "", **mine},
    ]
    page = upload(desk, project, "kb.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines).encode())
    assert "Import 1 source and 1 other entry" in page
