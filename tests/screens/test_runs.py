"""A run on screen: started by one click, watched, stopped."""

import re

import pytest
from kombu.exceptions import OperationalError
from pytest_django import DjangoCaptureOnCommitCallbacks

from provenance_site.accounts.roles import Role
from provenance_site.jobs.states import JobState
from sources.models import Project
from tests.desk import HTMX, Desk
from tests.factories import CatalogEntryFactory, ProjectFactory, SourceFactory
from tests.fakes.world import World, page
from validation import tasks
from validation.models import CheckRun
from validation.services import work
from validation.services.validate import utc_now

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(desk: Desk) -> Project:
    made: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    for number in range(3):
        address = f"https://gazette.org/{number}"
        source = SourceFactory(
            workspace=desk.workspace, identifier_value=address, request_url=address, title="Harbour survey"
        )
        CatalogEntryFactory(project=made, source=source)
    return made


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What would have been sent to the broker."""
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(tasks.work, "apply_async", lambda **options: sent.append(options))
    return sent


def finish(run: CheckRun) -> None:
    pages = {
        f"https://gazette.org/{number}": page(f"https://gazette.org/{number}", title="Harbour survey")
        for number in range(3)
    }
    work.work(clock=utc_now, budget_s=30, job_id=run.job_id, open_world=World(pages=pages).open)


def test_one_click_starts_a_run_and_wakes_each_worker_slot_once(
    desk: Desk,
    project: Project,
    messages: list[dict[str, object]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    run = CheckRun.objects.get()
    assert answer.headers["Location"] == f"/runs/{run.job.uuid}/"
    assert len(messages) == 2
    again = desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"}, follow=True)
    assert "going on already" in again.content.decode()
    assert CheckRun.objects.count() == 1


def test_a_broker_that_is_down_is_no_failure_of_the_run(
    desk: Desk,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    def refuse(**_options: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.work, "apply_async", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        answer = desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    assert answer.status_code == 302
    assert CheckRun.objects.get().job.state == JobState.RUNNING


def test_the_run_page_polls_itself_while_it_runs_and_stops_by_itself(
    desk: Desk, project: Project, messages: list[dict[str, object]]
) -> None:
    desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    run = CheckRun.objects.get()
    client = desk.client(Role.READER)
    whole = client.get(f"/runs/{run.job.uuid}/").content.decode()
    assert re.search(r'hx-trigger="every \d+s"', whole)
    assert "0 of 3 checked" in whole
    fragment = client.get(f"/runs/{run.job.uuid}/progress/", headers=HTMX).content.decode()
    assert "<html" not in fragment
    assert 'id="run"' in fragment
    finish(run)
    ended = client.get(f"/runs/{run.job.uuid}/progress/", headers=HTMX).content.decode()
    assert "hx-trigger" not in ended
    assert "3 of 3 checked" in ended
    assert "3 of 3 verified (100.0 %)" in ended
    assert "accept" in ended


def test_stopping_keeps_what_is_done_and_needs_a_curator(
    desk: Desk, project: Project, messages: list[dict[str, object]]
) -> None:
    desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    run = CheckRun.objects.get()
    assert desk.client(Role.READER).post(f"/runs/{run.job.uuid}/cancel/").status_code == 403
    page = desk.client().post(f"/runs/{run.job.uuid}/cancel/", follow=True).content.decode()
    run.job.refresh_from_db()
    assert run.job.state == JobState.CANCELLED
    assert run.job.cancelled_by == desk.person()
    assert "Stopped" in page
    assert "3 not checked" in page


def test_an_empty_project_cannot_be_checked_and_says_what_to_do(desk: Desk) -> None:
    empty = ProjectFactory(workspace=desk.workspace)
    page = desk.client().post(f"/p/{empty.uuid}/runs/", {"scope": "all"}, follow=True).content.decode()
    assert "Import a list first" in page


def test_a_foreign_run_is_not_found(
    desk: Desk, other_desk: Desk, project: Project, messages: list[dict[str, object]]
) -> None:
    desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    run = CheckRun.objects.get()
    stranger = other_desk.client(Role.ADMIN)
    for address in (f"/runs/{run.job.uuid}/", f"/runs/{run.job.uuid}/progress/"):
        assert stranger.get(address).status_code == 404
    assert stranger.post(f"/runs/{run.job.uuid}/cancel/").status_code == 404
    assert stranger.post(f"/p/{project.uuid}/runs/").status_code == 404


def test_the_project_lists_its_runs(desk: Desk, project: Project, messages: list[dict[str, object]]) -> None:
    client = desk.client()
    assert "Not checked yet" in client.get(f"/p/{project.uuid}/runs/").content.decode()
    client.post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    assert str(CheckRun.objects.get().job.uuid) in client.get(f"/p/{project.uuid}/runs/", headers=HTMX).content.decode()
