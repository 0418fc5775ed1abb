"""The JSON interface: a token instead of a login, a list in, a run out."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from sources.models import Project, Source
from tests.desk import Desk
from tests.fakes.world import World, page
from validation import tasks
from validation.models import CheckRun
from validation.services.validate import utc_now
from validation.services.work import work

pytestmark = pytest.mark.django_db
LIST = "Harbour survey — https://gazette.org/1\nhttps://gazette.org/2\njavascript:alert(1)\n"


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages to workers go nowhere: these tests do the work themselves."""
    monkeypatch.setattr(tasks.work, "apply_async", lambda **_options: None)


def token(desk: Desk, role: Role = Role.CURATOR) -> str:
    made = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return made[1]


def call(secret: str, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else None)
    if method == "GET":
        return client.get(f"/api/v1{path}")
    return client.post(f"/api/v1{path}", body, content_type="application/json")


def test_a_list_is_taken_in_and_its_run_can_be_read(desk: Desk) -> None:
    secret = token(desk)
    answer = call(secret, "POST", "/validate", {"project": "Pipeline memo", "text": LIST, "label": "build 7"})
    assert answer.status_code == 202
    told = answer.json()
    assert (told["new_sources"], told["new_in_project"]) == (2, 2)
    assert [line["line"] for line in told["unreadable"]] == [3]

    waiting = Client(headers={"Authorization": f"Bearer {secret}"}).get(told["run_url"]).json()
    assert (waiting["state"], waiting["total"], waiting["done"]) == ("running", 2, 0)
    pages = {url: page(url, title="Harbour survey") for url in ("https://gazette.org/1", "https://gazette.org/2")}
    work(clock=utc_now, budget_s=30, open_world=World(pages=pages).open)

    done = call(secret, "GET", f"/runs/{told['run']}").json()
    assert (done["state"], done["gate"], done["share_verified"]) == ("done", "accept", "100.0")
    assert {result["verdict"] for result in done["results"]} == {"verified-accessible"}
    assert done["results"][0]["evidence"]["status"] == 200
    assert done["next_offset"] is None


def test_results_come_in_pages(desk: Desk) -> None:
    secret = token(desk)
    run = call(secret, "POST", "/validate", {"project": "Memo", "text": LIST}).json()["run"]
    work(clock=utc_now, budget_s=30, open_world=World().open)
    first = call(secret, "GET", f"/runs/{run}?limit=1").json()
    second = call(secret, "GET", f"/runs/{run}?limit=1&offset={first['next_offset']}").json()
    assert second["next_offset"] is None
    assert first["results"][0]["url"] != second["results"][0]["url"]


def test_the_same_list_again_enters_nothing_twice(desk: Desk) -> None:
    secret = token(desk)
    call(secret, "POST", "/validate", {"project": "Memo", "text": LIST})
    busy = call(secret, "POST", "/validate", {"project": "Memo", "text": LIST})
    assert busy.status_code == 409
    assert str(CheckRun.objects.get().job.uuid) in busy.json()["detail"]
    work(clock=utc_now, budget_s=30, open_world=World().open)
    again = call(secret, "POST", "/validate", {"project": "Memo", "text": LIST})
    assert again.status_code == 202
    assert again.json()["new_sources"] == 0
    assert Source.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"project": "Memo", "text": "only words, no address"}, 422),
        ({"project": "x" * 201, "text": LIST}, 422),
        ({"project": "\x00", "text": LIST}, 422),
        ({"project": "Memo", "text": "\x00"}, 422),
        ({"project": "Memo", "text": ""}, 422),
        ({"project": "", "text": LIST}, 422),
        ({"text": LIST}, 422),
        ({"project": "Memo", "text": "\ud800 https://gazette.org/1"}, 422),
    ],
)
def test_bad_input_is_refused_in_words(desk: Desk, body: dict[str, Any], status: int) -> None:
    answer = call(token(desk), "POST", "/validate", body)
    assert answer.status_code == status
    assert "detail" in answer.json()
    assert not CheckRun.objects.exists()
    assert not Project.objects.exists()


def test_a_reader_s_token_reads_and_does_not_write(desk: Desk) -> None:
    run = call(token(desk), "POST", "/validate", {"project": "Memo", "text": LIST}).json()["run"]
    reader = token(desk, Role.READER)
    assert call(reader, "GET", f"/runs/{run}").status_code == 200
    assert call(reader, "POST", "/validate", {"project": "Mine", "text": LIST}).status_code == 403
    assert not Project.objects.filter(name="Mine").exists()


def test_a_token_acts_in_its_own_workspace_only(desk: Desk, other_desk: Desk) -> None:
    run = call(token(desk), "POST", "/validate", {"project": "Memo", "text": LIST}).json()["run"]
    foreign = call(token(other_desk, Role.ADMIN), "GET", f"/runs/{run}")
    missing = call(token(other_desk, Role.ADMIN), "GET", "/runs/00000000-0000-4000-8000-000000000000")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


def test_nothing_is_told_without_a_live_token(desk: Desk) -> None:
    secret = token(desk)
    for wrong in ("", "pd_wrong", secret[:-1], secret.upper()):
        assert call(wrong, "POST", "/validate", {"project": "Memo", "text": LIST}).status_code == 401
    Membership.objects.filter(user=desk.person()).delete()
    assert call(secret, "POST", "/validate", {"project": "Memo", "text": LIST}).status_code == 401


def test_an_expired_token_is_refused(desk: Desk) -> None:
    made = accounts.create_token(
        user=desk.person(), workspace=desk.workspace, name="old", days=1, at=timezone.now() - timedelta(days=2)
    )
    assert call(made[1], "GET", "/runs/00000000-0000-4000-8000-000000000000").status_code == 401


def test_a_session_is_no_token(desk: Desk) -> None:
    answer = desk.client(Role.ADMIN).post(
        "/api/v1/validate", {"project": "Memo", "text": LIST}, content_type="application/json"
    )
    assert answer.status_code == 401


def test_the_documentation_needs_a_login_and_names_every_operation(desk: Desk) -> None:
    assert Client().get("/api/v1/docs").status_code == 302
    assert Client().get("/api/v1/openapi.json").status_code == 302
    schema = desk.client(Role.READER).get("/api/v1/openapi.json").json()
    assert {"/api/v1/validate", "/api/v1/runs/{uuid}", "/api/v1/runs/{uuid}/report"} < set(schema["paths"])
    for path in schema["paths"].values():
        for operation in path.values():
            assert operation["security"]
            assert operation["description"]
    page_html = desk.client(Role.READER).get("/api/v1/docs").content.decode()
    assert "https://cdn" not in page_html


def test_guessing_tokens_is_slow(desk: Desk) -> None:
    secret = token(desk)
    answers = [call(f"pd_{number}", "GET", "/runs/00000000-0000-4000-8000-000000000000") for number in range(7)]
    assert [answer.status_code for answer in answers].count(401) == 5
    assert answers[-1].status_code == 429
    assert call(secret, "GET", "/runs/00000000-0000-4000-8000-000000000000").status_code == 404
