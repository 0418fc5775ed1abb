"""What the pages say of how far a verdict carries."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from provenance_site.accounts.roles import Role
from provenance_site.jobs.states import JobState
from provenance_site.schedule import SCHEDULE
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind
from sources.models import Project, Source
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, CheckRunFactory, JobFactory, ProjectFactory, SourceFactory
from tests.fakes.world import World, gone, page
from tests.unit.sources.findings import apply
from validation import tasks
from validation.core.fetching import FetchResult
from validation.models import CheckRun
from validation.services import work

pytestmark = pytest.mark.django_db
URL = "https://gazette.org/survey"
TITLE = "Harbour survey"


@pytest.fixture
def project(desk: Desk) -> Project:
    made: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    source = SourceFactory(workspace=desk.workspace, identifier_value=URL, request_url=URL, title=TITLE)
    CatalogEntryFactory(project=made, source=source)
    return made


@pytest.fixture(autouse=True)
def messages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have been sent to the broker."""
    sent: list[str] = []
    monkeypatch.setattr(tasks.work, "apply_async", lambda **_options: sent.append("work"))
    monkeypatch.setattr(tasks.work, "delay", lambda: sent.append("work"))
    return sent


def check(desk: Desk, project: Project, answer: FetchResult | None, scope: str = "all") -> str:
    """Starts a run by a click and works through it; gives its page."""
    desk.client().post(f"/p/{project.uuid}/runs/", {"scope": scope})
    pages = {URL: answer} if answer else {}
    work.work(clock=lambda: datetime.now(UTC), budget_s=30, open_world=World(pages=pages).open)
    return desk.client().get(f"/runs/{CheckRun.objects.latest('pk').job.uuid}/").content.decode()


def source_page(desk: Desk) -> str:
    return desk.client(Role.EDITOR).get(f"/s/{Source.objects.get().uuid}/").content.decode()


def test_a_known_list_says_so_and_can_be_checked_again(desk: Desk, project: Project) -> None:
    answer = page(URL, title=TITLE)
    assert "Check again, whatever is known" not in check(desk, project, answer)
    again = check(desk, project, answer)
    assert "1 of 1 from checks of the last days" in again
    assert "Nothing had to be asked" in again
    assert "1 of 1 verified (100.0 %)" in again
    assert 'value="everything"' in again
    reader = desk.client(Role.READER).get(f"/runs/{CheckRun.objects.latest('pk').job.uuid}/").content.decode()
    assert 'value="everything"' not in reader
    asked = check(desk, project, answer, scope="everything")
    assert "from checks of the last days" not in asked
    assert "1 of 1 checked" in asked


def test_a_run_with_nothing_to_ask_wakes_nobody(
    desk: Desk, project: Project, messages: list[str], django_capture_on_commit_callbacks: pytest.FixtureRequest
) -> None:
    check(desk, project, page(URL, title=TITLE))
    messages.clear()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        desk.client().post(f"/p/{project.uuid}/runs/", {"scope": "all"})
    assert messages == []


def test_a_dead_page_is_provisional_on_its_page_its_card_and_in_the_run(desk: Desk, project: Project) -> None:
    assert "provisional, checked again on" in check(desk, project, gone(URL))
    shown = source_page(desk)
    assert "Provisional, checked again on" in shown
    assert "<dt>Next check</dt>" in shown
    Source.objects.update(is_final=True, retry_at=None)
    shown = source_page(desk)
    assert "rovisional" not in shown
    assert "by the next run" in shown


def test_a_failure_says_when_it_is_tried_again_and_when_it_is_not(desk: Desk, project: Project) -> None:
    assert "tried again on" in check(desk, project, None)
    card = desk.client(Role.EDITOR).get("/queue/").content.decode()
    assert "Tried again on" in card
    assert "Tried again on" in source_page(desk)
    Source.objects.update(retry_at=None)
    assert "a person decides" in source_page(desk)
    Source.objects.update(retry_at=timezone.now(), decided=DecisionKind.ACCEPT)
    assert "Tried again on" not in source_page(desk)


def test_a_verified_source_says_from_when_a_run_asks_again(desk: Desk) -> None:
    source = apply(SourceFactory(workspace=desk.workspace), Verdict.VERIFIED_ACCESSIBLE, at=datetime.now(UTC))
    shown = source_page(desk)
    assert "not before" in shown
    assert f"{source.fresh_until:%Y-%m-%d}" in shown


def test_a_run_that_nobody_started_says_so(desk: Desk, project: Project) -> None:
    at = timezone.now() - timedelta(days=1)
    job = JobFactory(
        workspace=desk.workspace, created_by=None, created_at=at, state=JobState.DONE, finished_at=timezone.now()
    )
    run = CheckRunFactory(job=job, project=project)
    assert "by itself" in desk.client().get(f"/runs/{run.job.uuid}/").content.decode()
    assert "by itself" in desk.client().get(f"/p/{project.uuid}/runs/").content.decode()


def test_the_scheduler_s_task_starts_what_is_due_and_wakes_a_worker(
    desk: Desk, project: Project, messages: list[str]
) -> None:
    check(desk, project, None)
    messages.clear()
    tasks.retry_due()
    assert messages == []
    Source.objects.update(retry_at=timezone.now())
    tasks.retry_due()
    assert messages == ["work"]
    assert SCHEDULE["validation.retry_due"]["task"] == tasks.retry_due.name
    assert CheckRun.objects.latest("pk").job.state == JobState.RUNNING
