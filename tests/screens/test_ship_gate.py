"""The ship gate on screen: a finished text is checked, drawn links are looked at, files are taken away."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from provenance_site.accounts.roles import Role
from tests.desk import HTMX, Desk
from tests.unit.validation.shipping import TITLE, address, begun, checked, corpus_project, draft_of, world_of
from validation import tasks
from validation.models import ShipCheck, SpotCheck
from validation.services import ship_work
from validation.services.validate import utc_now

pytestmark = pytest.mark.django_db

CITES = "Boats came in the year. [src-001]\n\nMore boats came. [src-002]\n"


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What would have been sent to the broker."""
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(tasks.work_on_ship_checks, "apply_async", lambda **options: sent.append(options))
    return sent


@pytest.mark.parametrize("given", ["pasted", "file"])
def test_a_text_is_checked_and_its_page_polls_until_it_is_over(
    desk: Desk,
    messages: list[dict[str, object]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    given: str,
) -> None:
    project = corpus_project(desk, [1, 2])
    data: dict[str, Any] = {"text": CITES}
    if given == "file":
        data = {"file": SimpleUploadedFile("memo.md", CITES.encode())}
    with django_capture_on_commit_callbacks(execute=True):
        answer = desk.client().post(f"/p/{project.uuid}/ship/", data)
    check = ShipCheck.objects.get()
    assert answer.headers["Location"] == f"/ship/{check.job.uuid}/"
    assert len(messages) == 1
    client = desk.client(Role.READER)
    page = client.get(f"/ship/{check.job.uuid}/", headers=HTMX).content.decode()
    assert re.search(r'hx-trigger="every \d+s"', page)
    assert "0 of 2 links fetched" in page
    ship_work.work(clock=utc_now, budget_s=30, job_id=check.pk, open_world=world_of([1]).open)
    ended = client.get(f"/ship/{check.job.uuid}/", headers=HTMX).content.decode()
    assert "hx-trigger" not in ended
    assert "1 of 2 verified (50.0 %): <strong>block</strong>" in ended
    assert "line 3, column 18" in ended
    assert address(2) in ended
    assert "block" in client.get(f"/p/{project.uuid}/ship/").content.decode()


def test_a_draft_s_newest_version_is_checked_and_listed_with_the_draft(
    desk: Desk, messages: list[dict[str, object]]
) -> None:
    version = draft_of(desk, corpus_project(desk, [1, 2]), CITES)
    here = f"/d/{version.draft.uuid}/ship/"
    assert "No text went through the gate yet" in desk.client(Role.READER).get(here).content.decode()
    answer = desk.client().post(here)
    check = ShipCheck.objects.get()
    assert answer.headers["Location"] == f"/ship/{check.job.uuid}/"
    assert check.version == version
    assert "Memo v1" in desk.client(Role.READER).get(here).content.decode()
    assert here in desk.client().get(f"/d/{version.draft.uuid}/").content.decode()


@pytest.mark.parametrize("data", [{}, {"text": "  "}])
def test_what_is_no_text_is_asked_for_again(desk: Desk, data: dict[str, str]) -> None:
    project = corpus_project(desk, [1])
    answer = desk.client().post(f"/p/{project.uuid}/ship/", data)
    assert answer.status_code == 422
    assert "text" in answer.content.decode()
    assert not ShipCheck.objects.exists()


def test_an_editor_says_what_drawn_links_are_worth_and_nobody_less(desk: Desk) -> None:
    check = checked(desk, corpus_project(desk, [1, 2]), CITES, world_of([1, 2]))
    here, page = f"/ship/{check.job.uuid}/spot/", f"/ship/{check.job.uuid}/"
    wrong = {"position": "1", "result": "wrong", "note": "Says nothing of boats"}
    assert desk.client().post(here, wrong).status_code == 403
    assert here not in desk.client().get(page).content.decode()
    editor = desk.client(Role.EDITOR)
    assert "Say what is wrong" in editor.post(here, {**wrong, "note": ""}, follow=True).content.decode()
    assert "Choose" in editor.post(here, {"position": "1"}, follow=True).content.decode()
    assert editor.post(here, {**wrong, "position": "11"}).status_code == 404
    # Enter in the note presses the form's first button, which must not be one that says something of the link.
    form = editor.get(page).content.decode().split(f'action="{here}"')[1]
    assert re.findall(r"<button[^>]*>", form)[0] == '<button type="submit" disabled hidden>'
    assert editor.post(here, wrong).headers["Location"] == f"{page}#spot-1"
    told = editor.get(page).content.decode()
    assert "1 of 2 verified (50.0 %): <strong>block</strong>" in told
    assert "Says nothing of boats" in told
    spot = SpotCheck.objects.get(position=1)
    assert (spot.result, spot.by) == ("wrong", desk.person(Role.EDITOR))


@pytest.mark.parametrize(
    ("ending", "media_type", "start"),
    [
        ("txt", "text/plain; charset=utf-8", "Spot check"),
        ("json", "application/json", "{"),
        ("xml", "application/xml", "<?xml"),
        ("sarif", "application/sarif+json", "{"),
        ("annotations.txt", "text/plain; charset=utf-8", "::notice title=Ship gate::"),
    ],
)
def test_each_form_is_saved_as_a_file(desk: Desk, ending: str, media_type: str, start: str) -> None:
    check = checked(desk, corpus_project(desk, [1, 2]), CITES, world_of([1, 2]))
    answer = desk.client(Role.READER).get(f"/ship/{check.job.uuid}/report.{ending}")
    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["Content-Disposition"].endswith(f'.{ending}"')
    assert answer.content.decode().startswith(start)


def test_strangers_text_stays_text(desk: Desk) -> None:
    evil = "https://else.org/<script>alert(1)</script>"
    check = begun(desk, corpus_project(desk, [1]), f"[<img src=x onerror=alert(1)>]({evil}) and [src-001].")
    page = desk.client().get(f"/ship/{check.job.uuid}/").content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page


@pytest.mark.parametrize("number", [10, 20])
def test_the_page_of_a_check_costs_the_same_however_many_links_it_has(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    text = "\n".join(f"{TITLE} {one}. [src-{one:03d}]" for one in range(1, number + 1))
    check = checked(desk, corpus_project(desk, range(1, number + 1)), text, world_of(range(1, number + 1)))
    client = desk.client(Role.EDITOR)
    with django_assert_num_queries(8):
        assert client.get(f"/ship/{check.job.uuid}/").status_code == 200
