"""The ship gate, markers and corrected texts over JSON."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from tests.desk import Desk
from tests.unit.validation.shipping import corpus_project, draft_of, world_of
from tests.unit.validation.test_marker_resolution import CLAIM, GOOD, PASSAGE, marked, search, world
from validation import tasks
from validation.models import ShipCheck
from validation.services import ship_work
from validation.services.validate import utc_now

pytestmark = pytest.mark.django_db
Call = Callable[..., Any]
CITES = "Boats came in the year. [src-001]\n\nMore boats came. [src-002]\n"


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages to workers go nowhere: these tests do the work themselves."""
    for task in (tasks.work_on_ship_checks, tasks.work_on_harvest_requests):
        monkeypatch.setattr(task, "apply_async", lambda **_options: None)


def caller(desk: Desk, role: Role = Role.CURATOR) -> Call:
    """Asks with a token of this person: `(path)` reads, `(path, body)` writes."""
    secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )[1]
    client = Client(headers={"Authorization": f"Bearer {secret}"})

    def call(path: str, body: dict[str, Any] | None = None) -> Any:
        path = path if path.startswith("/api/") else f"/api/v1{path}"
        return client.get(path) if body is None else client.post(path, body, content_type="application/json")

    return call


def test_a_text_is_checked_read_and_spot_checked(desk: Desk) -> None:
    corpus_project(desk, [1, 2])
    call = caller(desk, Role.EDITOR)
    made = call("/ship-checks", {"project": "Harbour memo", "text": CITES, "name": "texts/memo.md"})
    assert made.status_code == 202
    assert made.json()["decision"] is None
    there = made.json()["check_url"]
    running = call(there).json()["report"]
    assert (running["is_running"], running["decision"], running["remarks"]) == (True, None, [])
    ship_work.work(clock=utc_now, budget_s=30, open_world=world_of([1, 2]).open)
    told = call(there).json()
    assert (told["report"]["decision"], told["report"]["percent"]) == ("accept", "100.0")
    assert {one["id"] for one in told["report"]["links"]} == {"src-001", "src-002"}
    assert [(one["position"], one["result"]) for one in told["spot_checks"]] == [(1, None), (2, None)]
    wrong = {"position": 2, "result": "wrong", "note": "Another survey."}
    after = call(f"{there}/spot-checks", wrong).json()
    assert after["report"]["decision"] == "block"
    assert after["spot_checks"][1]["note"] == "Another survey."
    assert call(f"{there}/spot-checks", {**wrong, "note": ""}).status_code == 422
    assert call(f"{there}/spot-checks", {**wrong, "position": 9}).status_code == 404
    assert caller(desk)(f"{there}/spot-checks", wrong).status_code == 403


def test_a_draft_is_checked_by_its_name(desk: Desk) -> None:
    project = corpus_project(desk, [1, 2])
    draft_of(desk, project, CITES)
    assert caller(desk)("/ship-checks", {"project": project.name, "draft": "Memo"}).status_code == 202
    assert ShipCheck.objects.get().document == "Memo v1"


def test_a_file_s_name_is_kept_as_far_as_one_can_be(desk: Desk) -> None:
    corpus_project(desk, [1, 2])
    given = {"project": "Harbour memo", "text": CITES, "name": "texts/a\x01b\n::error::c.md"}
    assert caller(desk)("/ship-checks", given).status_code == 202
    check = ShipCheck.objects.get()
    assert (check.document, check.path) == ("texts/a b ::error::c.md", "texts/a\ufffdb\ufffd::error::c.md")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": "   "}, 422),
        ({"text": "a [src-001]", "draft": "Memo"}, 422),
        ({"text": "half \x00 a text"}, 422),
        ({"draft": "No such draft"}, 404),
        ({"text": "a", "project": "No such memo"}, 404),
        ({"text": "a", "project": ""}, 422),
        ({"text": "a", "project": "No\x00memo"}, 422),
        ({"draft": "No\x00draft"}, 422),
    ],
)
def test_what_cannot_be_checked_is_refused_and_leaves_no_check(desk: Desk, body: dict[str, str], status: int) -> None:
    corpus_project(desk, [1])
    answer = caller(desk)("/ship-checks", {"project": "Harbour memo"} | body)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert not ShipCheck.objects.exists()


def test_a_claim_is_searched_and_its_source_chosen(desk: Desk) -> None:
    version = marked(desk)
    call = caller(desk)
    (asked,) = call(f"/drafts/{version.draft.uuid}/source-requests", {}).json()
    assert (asked["claim"], asked["state"], asked["kind"]) == (CLAIM, "open", "marker")
    search(world())
    told = call(asked["request_url"]).json()
    first = told["candidates"][0]
    assert (first["url"], first["may_be_picked"], PASSAGE in first["passage"]) == (GOOD, True, True)
    dead = told["candidates"][1]
    refused = call(f"{asked['request_url']}/pick", {"candidate": dead["candidate"]})
    assert (refused.status_code, "not verified" in refused.json()["detail"]) == (409, True)
    picked = call(f"{asked['request_url']}/pick", {"candidate": first["candidate"], "section": "market"}).json()
    assert (picked["version"], picked["markers"]) == (2, 0)
    assert f"]({GOOD})" in picked["text"]
    assert call(asked["request_url"]).json()["candidates"][0]["picked_as"] == "src-002"


def test_a_corrected_text_asks_for_its_new_links(desk: Desk) -> None:
    version = marked(desk)
    call, there = caller(desk), f"/drafts/{version.draft.uuid}/corrections"
    body = {"text": f"{CLAIM.rstrip('.')} ([report]({GOOD})).", "seen": 1}
    told = call(there, body).json()
    assert (told["version"], told["requests"][0]["kind"], told["requests"][0]["url"]) == (2, "new-link", GOOD)
    assert GOOD not in told["text"]
    assert call(there, {**body, "text": "Other words.", "seen": 1}).status_code == 409
    assert call(there, {"text": " \n "}).status_code == 422
    assert caller(desk, Role.READER)(there, body).status_code == 403


def test_what_is_another_workspaces_is_not_there(desk: Desk, other_desk: Desk) -> None:
    version = marked(desk)
    (asked,) = caller(desk)(f"/drafts/{version.draft.uuid}/source-requests", {}).json()
    made = caller(desk)("/ship-checks", {"project": "Harbour memo", "text": CITES}).json()
    stranger = caller(other_desk, Role.ADMIN)
    for path in (made["check_url"], asked["request_url"]):
        assert stranger(path).status_code == 404
    for path, body in (
        (f"{made['check_url']}/spot-checks", {"position": 1, "result": "good"}),
        (f"{asked['request_url']}/pick", {"candidate": asked["request"]}),
        (f"/drafts/{version.draft.uuid}/source-requests", {}),
        (f"/drafts/{version.draft.uuid}/corrections", {"text": "Words."}),
        ("/ship-checks", {"project": "Harbour memo", "text": CITES}),
    ):
        assert stranger(path, body).status_code == 404


def test_the_interface_describes_its_own_forms_and_no_other_form_of_the_same_name(desk: Desk) -> None:
    schemas = desk.client().get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert "passage" in schemas["RequestCandidateOut"]["properties"]
    assert "counts_as_verified" in schemas["ShippedLinkOut"]["properties"]
    assert "requests" in schemas["GatedVersionOut"]["properties"]
