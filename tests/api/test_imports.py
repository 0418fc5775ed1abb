"""Imports over JSON: a file is given, looked at and written, by the same services as on the pages."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from sources import dispatch, tasks
from sources.models import Project, Source
from sources.services import import_work
from tests.clock import NOW
from tests.desk import Desk

pytestmark = pytest.mark.django_db
BIBTEX = (
    b"@article{a, title={The tides}, doi={10.5555/harbour.7}}\n@misc{b, title={Only words}}\n@misc{c, title={No end\n"
)


def client(desk: Desk, role: Role = Role.CURATOR) -> Client:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def give(one: Client, data: bytes = BIBTEX, *, name: str = "refs.bib", project: str = "Memo") -> Any:
    return one.post("/api/v1/imports", {"project": project, "file": SimpleUploadedFile(name, data)})


def test_a_file_is_told_of_before_anything_is_written_and_then_written(desk: Desk) -> None:
    one = client(desk)
    given = give(one)
    assert given.status_code == 201, given.content
    told = given.json()
    assert (told["format"], told["counted"], told["by_action"]) == ("bibtex", 3, {"new": 2, "error": 1})
    assert [(row["line"], row["action"], row["title"]) for row in told["rows"]] == [
        (1, "new", "The tides"),
        (2, "new", "Only words"),
        (3, "error", ""),
    ]
    assert told["doubt"] == ""
    assert not Source.objects.exists()
    done = one.post(f"/api/v1/imports/{told['uuid']}/commit")
    assert done.status_code == 200
    assert (done.json()["state"], done.json()["written"]["new_sources"]) == ("committed", 2)
    assert one.post(f"/api/v1/imports/{told['uuid']}/commit").status_code == 409


def test_rows_come_in_pages_and_by_what_happens(desk: Desk) -> None:
    one = client(desk)
    address = f"/api/v1/imports/{give(one).json()['uuid']}"
    first = one.get(address, {"limit": 2}).json()
    assert (len(first["rows"]), first["next_offset"]) == (2, 2)
    assert one.get(address, {"offset": 2}).json()["next_offset"] is None
    assert [row["line"] for row in one.get(address, {"action": "error"}).json()["rows"]] == [3]


def test_a_long_file_is_left_to_a_worker(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "WHILE_ONE_WAITS", 1)
    monkeypatch.setattr(tasks.import_batches, "apply_async", lambda **_: None)
    one = client(desk)
    address = f"/api/v1/imports/{give(one).json()['uuid']}"
    assert one.post(f"{address}/commit").status_code == 202
    assert one.get(address).json()["state"] == "committing"
    import_work.work(clock=lambda: NOW)
    assert one.get(address).json()["state"] == "committed"


@pytest.mark.parametrize(("data", "said"), [(b"\x89PNG\r\n\x1a\n", "PNG"), (b" \n", "empty")])
def test_a_file_that_cannot_be_read_says_why_and_leaves_no_project(desk: Desk, data: bytes, said: str) -> None:
    answer = give(client(desk), data)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert not Project.objects.exists()


def test_a_reader_may_give_nothing(desk: Desk) -> None:
    assert give(client(desk, Role.READER)).status_code == 403
    assert not Project.objects.exists()


def test_a_foreign_import_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    uuid = give(client(desk)).json()["uuid"]
    stranger = client(other_desk)
    assert stranger.get(f"/api/v1/imports/{uuid}").status_code == 404
    assert stranger.post(f"/api/v1/imports/{uuid}/commit").status_code == 404
