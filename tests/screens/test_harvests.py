"""Harvests on screen: the plan is shown and changed before it runs, then watched, stopped, taken up, read."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from kombu.exceptions import OperationalError
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.outline import Part
from sources.models import ImportBatch, Project
from sources.services import outlines
from tests.clock import NOW
from tests.desk import HTMX, Desk
from tests.factories import (
    CandidateFactory,
    HarvestCallFactory,
    HarvestHitFactory,
    HarvestRunFactory,
    ProjectFactory,
    SectionFactory,
)
from validation import tasks
from validation.core.harvest_states import CandidateState, HarvestState
from validation.models import HarvestRun

pytestmark = pytest.mark.django_db
MARKET = Part("Market", ("How large is the market?", "Who competes?"), ("oecd.org",), slug="")


@pytest.fixture
def project(desk: Desk, settings: Any) -> Project:
    settings.SEARXNG_URL, settings.TAVILY_KEY, settings.SCHOLARLY = "http://searx.invalid/", "a-key-of-tavily", True
    made: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    outlines.save(project=made, parts=[MARKET], by=desk.person(), channel=Channel.PAGE, at=NOW)
    return made


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What would have been sent to the broker."""
    sent: list[object] = []
    monkeypatch.setattr(tasks.work_on_harvests, "apply_async", lambda **options: sent.append(options))
    return sent


def fields_of(run: HarvestRun, **changed: str) -> dict[str, str]:
    """What the plan's page sends when it is submitted as it is shown."""
    sent = {"seen": str(run.row_version), "calls": str(run.call_budget), "candidates": str(run.candidate_budget)}
    rows = list(run.queries.select_related("section"))
    sent |= {"query-TOTAL_FORMS": str(len(rows)), "query-INITIAL_FORMS": str(len(rows))}
    for place, row in enumerate(rows):
        sent |= {
            f"query-{place}-text": row.text,
            f"query-{place}-section": row.section.slug,
            f"query-{place}-include": " ".join(row.include),
            f"query-{place}-exclude": "",
            f"query-{place}-tools": row.tools[0],
            f"query-{place}-why": row.why,
        }
    return {name: value for name, value in (sent | changed).items() if value != "none"}


def test_a_plan_is_shown_and_changed_before_anybody_is_asked(
    desk: Desk,
    project: Project,
    rung: list[object],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    client = desk.client()
    page = client.get(f"/p/{project.uuid}/harvests/").content.decode()
    assert "Plan a harvest" in page
    answer = client.post(
        f"/p/{project.uuid}/harvests/", {"calls": "7", "candidates": "9", "exclude": "harbour.example"}
    )
    run = HarvestRun.objects.get()
    assert answer.headers["Location"] == f"/harvests/{run.uuid}/"
    page = client.get(f"/harvests/{run.uuid}/").content.decode()
    for told in ("2 queries, 4 calls at most", "Harbour memo competes", "oecd.org", "Preferred domains", 'value="7"'):
        assert told in page
    assert (run.state, run.call_budget, rung) == (HarvestState.PLANNED, 7, [])

    changed = fields_of(run, **{"query-0-text": "market of harbour robots", "query-1-leave_out": "on", "calls": "3"})
    client.post(f"/harvests/{run.uuid}/", changed | {"do": "save"})
    run.refresh_from_db()
    assert [query.text for query in run.queries.all()] == ["market of harbour robots"]
    assert (run.call_budget, run.state) == (3, HarvestState.PLANNED)
    # What was seen before is not written over what is there now.
    mine = changed | {"query-0-text": "my own words"}
    answer = client.post(f"/harvests/{run.uuid}/", mine | {"do": "start"})
    assert answer.status_code == 409
    for told in ("Somebody changed this plan meanwhile", "my own words", f'name="seen" value="{run.row_version}"'):
        assert told in answer.content.decode()
    answer = client.post(f"/harvests/{run.uuid}/", {"seen": changed["seen"], "do": "discard"}, follow=True)
    assert "It was not thrown away" in answer.content.decode()

    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/harvests/{run.uuid}/", fields_of(run) | {"do": "start"})
    run.refresh_from_db()
    assert (run.state, len(rung)) == (HarvestState.SEARCHING, 2)
    answer = client.post(f"/harvests/{run.uuid}/", fields_of(run) | {"do": "start"}, follow=True)
    assert "was started already" in answer.content.decode()
    assert [call.tool for call in run.calls.all()] == ["searxng"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"query-0-include": "no domain"}, "is no domain"),
        ({"query-0-tools": "none"}, "choose at least one search"),
        ({"calls": "1000000"}, "less than or equal to 5000"),
        ({"query-0-leave_out": "on", "query-1-leave_out": "on"}, "The plan has no query"),
    ],
)
def test_what_cannot_be_planned_is_said_at_its_place(
    desk: Desk, project: Project, changed: dict[str, str], told: str
) -> None:
    client = desk.client()
    client.post(f"/p/{project.uuid}/harvests/", {"calls": "7", "candidates": "9", "exclude": ""})
    run = HarvestRun.objects.get()
    answer = client.post(f"/harvests/{run.uuid}/", fields_of(run, **changed) | {"do": "start"})
    assert answer.status_code == 422
    assert told in answer.content.decode()
    run.refresh_from_db()
    assert run.state == HarvestState.PLANNED


def test_a_plan_can_be_thrown_away(desk: Desk, project: Project) -> None:
    run = HarvestRunFactory(project=project)
    desk.client().post(f"/harvests/{run.uuid}/", {"seen": str(run.row_version), "do": "discard"})
    assert not HarvestRun.objects.exists()


def test_enter_in_a_field_of_the_plan_saves_and_spends_nothing(desk: Desk, project: Project) -> None:
    SectionFactory(project=project, title="Of an import")
    run = HarvestRunFactory(project=project)
    page = desk.client().get(f"/harvests/{run.uuid}/").content.decode()
    assert re.findall(r'name="do" value="(\w+)"', page)[0] == "save"
    # A new query is of a section of the outline, unless somebody says otherwise.
    new = page[page.index("New query") :]
    assert new.index(">Market<") < new.index(">Of an import<")


def test_a_list_that_is_none_and_a_project_without_outline_say_what_to_do(desk: Desk, project: Project) -> None:
    client = desk.client()
    answer = client.post(f"/p/{project.uuid}/harvests/", {"candidates": "9", "text": "https://gazette.org/"})
    assert (answer.status_code, "This is no Sources.md" in answer.content.decode()) == (422, True)
    empty = {"candidates": "9", "text": "---\nmode: codified\nsources: []\n---\n"}
    answer = client.post(f"/p/{project.uuid}/harvests/", empty)
    assert (answer.status_code, "This list has no source" in answer.content.decode()) == (422, True)
    assert not ImportBatch.objects.exists()
    bare = ProjectFactory(workspace=desk.workspace)
    assert "Write the outline" in client.get(f"/p/{bare.uuid}/harvests/").content.decode()
    answer = client.post(f"/p/{bare.uuid}/harvests/", {"calls": "7", "candidates": "9"})
    assert answer.status_code == 422


def under_way(project: Project, number: int, state: str = "checking") -> HarvestRun:
    run: HarvestRun = HarvestRunFactory(project=project, state=state, started_at=datetime.now(UTC), calls_spent=2)
    for place in range(number):
        one = CandidateFactory(run=run, state=["kept", "dropped"][place % 2], stable_id="", verdict="hard-404")
        HarvestHitFactory(
            candidate=one, call__state="failed" if place % 2 else "answered", call__reason="It asks us to slow down."
        )
    return run


def test_progress_polls_until_the_harvest_is_over_and_shows_what_it_cost(desk: Desk, project: Project) -> None:
    run = under_way(project, 4)
    client = desk.client()
    part = client.get(f"/harvests/{run.uuid}/progress/", headers=HTMX).content.decode()
    for told in ('hx-trigger="every 1s"', "2 of 10 calls", "Tavily", "4 credits", "Stop (keeps what is done)"):
        assert told in part
    client.post(f"/harvests/{run.uuid}/cancel/")
    page = client.get(f"/harvests/{run.uuid}/").content.decode()
    assert "hx-trigger" not in page.partition('id="harvest"')[2]
    for told in ("Stopped", "Take it up again", "What could not be asked", "It asks us to slow down.", "Dropped (2)"):
        assert told in page
    shown = client.get(f"/harvests/{run.uuid}/?state=kept").content.decode()
    assert shown.count("cell-title") == 2
    answer = client.post(f"/harvests/{run.uuid}/resume/", {"calls": "9", "candidates": "30"}, follow=True)
    run.refresh_from_db()
    assert answer.status_code == 200
    assert (run.state, run.call_budget) == (HarvestState.SEARCHING, 9)


def test_a_broker_that_is_down_is_no_failure_of_the_harvest(
    desk: Desk,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    def down(**_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(tasks.work_on_harvests, "apply_async", down)
    client = desk.client()
    client.post(f"/p/{project.uuid}/harvests/", {"calls": "7", "candidates": "9", "exclude": ""})
    run = HarvestRun.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(f"/harvests/{run.uuid}/", fields_of(run) | {"do": "start"}).status_code == 302
    run.refresh_from_db()
    assert run.state == HarvestState.SEARCHING


def test_readers_look_and_change_nothing(desk: Desk, project: Project) -> None:
    client, run = desk.client(Role.READER), HarvestRunFactory(project=project)
    assert "Someone with the role curator" in client.get(f"/harvests/{run.uuid}/").content.decode()
    assert "Plan a harvest" not in client.get(f"/p/{project.uuid}/harvests/").content.decode()
    for path in (f"/p/{project.uuid}/harvests/", f"/harvests/{run.uuid}/"):
        assert client.post(path, {"calls": "7", "candidates": "9"}).status_code == 403
    for deed in ("cancel", "resume"):
        assert client.post(f"/harvests/{run.uuid}/{deed}/", {"calls": "7", "candidates": "9"}).status_code == 403
    assert HarvestRun.objects.count() == 1


@pytest.mark.parametrize("number", [10, 20])
def test_a_harvest_costs_the_same_queries_whatever_its_size(
    desk: Desk, project: Project, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = under_way(project, number, state="done")
    HarvestCallFactory.create_batch(number, query__run=run)
    client = desk.client()
    client.get(f"/harvests/{run.uuid}/")
    with django_assert_num_queries(12):
        client.get(f"/harvests/{run.uuid}/")
    assert run.candidates.filter(state=CandidateState.KEPT).count() == number // 2
