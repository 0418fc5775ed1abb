"""Harvests without a browser: over JSON for a token of its workspace, and from a terminal."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.outline import Part
from sources.models import Project
from sources.services import outlines
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import HarvestRunFactory, ProjectFactory
from tests.unit.validation import harvest_site
from tests.unit.validation.harvest_site import HOST, HarvestSite
from validation import tasks
from validation.models import HarvestRun

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[HarvestSite]:
    monkeypatch.setattr(tasks.work_on_harvests, "apply_async", lambda **_: None)
    yield from harvest_site.opened(settings)


@pytest.fixture
def project(desk: Desk) -> Project:
    made: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    part = Part("Market", ("How large is the market for harbour robots?",), (HOST,), slug="")
    outlines.save(project=made, parts=[part], by=desk.person(), channel=Channel.PAGE, at=NOW)
    return made


def client(desk: Desk, role: Role = Role.CURATOR) -> Client:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def send(one: Client, method: str, path: str, **given: object) -> Any:
    return getattr(one, method)(f"/api/v1{path}", json.dumps(given), content_type="application/json")


@pytest.mark.usefixtures("project")
def test_a_harvest_is_planned_changed_run_and_read_over_json(desk: Desk, site: HarvestSite) -> None:
    one = client(desk)
    made = send(one, "post", "/harvests", project="Harbour memo", calls=9, exclude=["harbour.example"])
    assert made.status_code == 201
    plan = made.json()
    assert (plan["state"], plan["calls"], plan["found"], site.asked) == ("planned", 9, [], [])
    (query,) = plan["queries"]
    assert (query["include"], query["exclude"]) == ([HOST], ["harbour.example"])
    path = f"/harvests/{plan['harvest']}"
    changed = {"row_version": plan["row_version"], "calls": 3, "queries": [{**query, "tools": ["tavily", "searxng"]}]}
    assert send(one, "put", f"{path}/plan", **changed).json()["calls"] == 3
    assert send(one, "put", f"{path}/plan", **changed).status_code == 409
    wrong = {**changed, "row_version": 2, "queries": [{**query, "include": ["no domain"]}]}
    assert "is no domain" in send(one, "put", f"{path}/plan", **wrong).json()["detail"]

    assert send(one, "post", f"{path}/start").json()["state"] == "searching"
    tasks.work_on_harvests()
    told = one.get(plan["harvest_url"] + "?state=kept&limit=1").json()
    assert (told["state"], told["calls_spent"], told["next_offset"]) == ("done", 2, 1)
    assert {row["tool"]: (row["calls"], row["cost"]) for row in told["spending"]} == {
        "searxng": (1, "free"),
        "tavily": (1, "1 credit"),
    }
    (first,) = told["found"]
    assert first["id"] in {"src-001", "src-002", "src-003"}
    assert {hit["section"] for hit in first["hits"]} == {"market"}
    assert told["by_state"]["dropped"] == 1
    assert send(one, "post", f"{path}/cancel").json()["state"] == "done"


@pytest.mark.usefixtures("site")
def test_what_cannot_be_done_is_said(desk: Desk, other_desk: Desk, project: Project) -> None:
    one = client(desk)
    assert send(one, "post", "/harvests", project="Nothing").status_code == 404
    assert "no Sources.md" in send(one, "post", "/harvests", project="Harbour memo", sources_md="x").json()["detail"]
    assert "is no domain" in send(one, "post", "/harvests", project="Harbour memo", exclude=["x"]).json()["detail"]
    assert send(client(desk, Role.READER), "post", "/harvests", project="Harbour memo").status_code == 403
    foreign = HarvestRunFactory(project=ProjectFactory(workspace=other_desk.workspace))
    assert one.get(f"/api/v1/harvests/{foreign.uuid}").status_code == 404
    for deed in ("start", "cancel", "resume"):
        assert send(one, "post", f"/harvests/{foreign.uuid}/{deed}").status_code == 404
    done = HarvestRunFactory(project=project, state="done")
    assert "Everything was asked" in send(one, "post", f"/harvests/{done.uuid}/resume").json()["detail"]


# -- from a terminal ---------------------------------------------------------------------------------------------------


def run(desk: Desk, *arguments: str) -> tuple[int, str]:
    """The exit code of the command and what it printed on standard output."""
    said = io.StringIO()
    name = desk.person().username
    try:
        call_command(
            "harvest", "--project", "Harbour memo", "--as", name, *arguments, stdout=said, stderr=io.StringIO()
        )
    except SystemExit as ended:
        return int(ended.code or 0), said.getvalue()
    return 0, said.getvalue()


@pytest.mark.usefixtures("project")
def test_the_command_shows_a_plan_runs_a_harvest_and_takes_it_up(desk: Desk, site: HarvestSite) -> None:
    code, said = run(desk, "--plan")
    assert (code, site.asked) == (0, [])
    assert f"market: Harbour memo market for harbour robots  (searxng, tavily, perplexity, firecrawl)  [{HOST}]" in said

    code, said = run(desk, "--calls", "2", "--json")
    told = json.loads(said)
    assert (code, told["calls_spent"], len(site.asked)) == (1, 2, 2)
    assert {row["state"] for row in told["candidates"]} == {"kept", "dropped"}

    code, said = run(desk, "--resume", "last", "--calls", "9")
    assert code == 0
    assert len(site.asked) == 4
    assert "Tavily: 1 call (1 credit), 0 answered before, 0 failed, 0 not asked" in said
    assert re.search(rf"^src-00\d    {re.escape(site.url('/history'))}$", said, re.MULTILINE)


@pytest.mark.usefixtures("site")
def test_the_command_takes_an_analysts_list_and_says_what_it_cannot_do(
    desk: Desk, project: Project, site: HarvestSite, tmp_path: Path
) -> None:
    listed = tmp_path / "Sources.md"
    listed.write_text(f"---\nmode: codified\nsources:\n  - url: {site.url('/market')}\n    sections: [Market]\n---\n")
    code, said = run(desk, "--list", str(listed))
    assert (code, site.asked) == (0, [])
    assert said.startswith("src-001")
    for arguments, told in (
        (("--exclude", "no domain"), "is no domain"),
        (("--calls", "-1"), "from 0 to"),
        (("--resume", "x"), str(HarvestRun.objects.get().uuid)),
        (("--section", "none"), "no section none. It has: market"),
    ):
        with pytest.raises(CommandError, match=told) as refused:
            run(desk, *arguments)
        assert refused.value.returncode == 2
    assert HarvestRun.objects.filter(project=project).count() == 1
