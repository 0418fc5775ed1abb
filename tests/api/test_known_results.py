"""A list that is known is answered over JSON as well, from the checks that were made before."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from tests.desk import Desk
from tests.fakes.world import World, gone, page
from validation import tasks
from validation.services.validate import utc_now
from validation.services.work import work

pytestmark = pytest.mark.django_db
PAGES = {f"https://gazette.org/{place}": page(f"https://gazette.org/{place}", title="Survey") for place in range(3)}


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages to workers go nowhere: these tests do the work themselves."""
    monkeypatch.setattr(tasks.work, "apply_async", lambda **_options: None)


@pytest.fixture
def client(desk: Desk) -> Client:
    made = accounts.create_token(
        user=desk.person(), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {made[1]}"})


def hand_in(client: Client, number: int, *, recheck: bool = False) -> str:
    """Hands in the first `number` addresses, and works through what is to be asked; gives the run's address."""
    body = {"project": "Memo", "text": "\n".join(list(PAGES)[:number]), "recheck": recheck}
    told = client.post("/api/v1/validate", body, content_type="application/json")
    assert told.status_code == 202
    work(clock=utc_now, budget_s=30, open_world=World(pages=PAGES).open)
    return str(told.json()["run_url"])


def read(client: Client, run: str, **page_of: int) -> Any:
    return client.get(run, page_of).json()


def test_known_results_come_first_and_in_pages(client: Client) -> None:
    hand_in(client, 2)
    run = hand_in(client, 3)
    whole = read(client, run)
    assert (whole["state"], whole["total"], whole["done"], whole["known"]) == ("done", 3, 3, 2)
    addresses = [result["url"] for result in whole["results"]]
    assert addresses == list(PAGES)
    paged: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part = read(client, run, offset=offset, limit=1)
        paged += [result["url"] for result in part["results"]]
        offset = part["next_offset"]
    assert paged == addresses


def test_a_result_says_how_far_it_carries(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    alive, dead, failing = PAGES
    monkeypatch.setitem(PAGES, dead, gone(dead))
    monkeypatch.delitem(PAGES, failing)
    run = client.post(
        "/api/v1/validate",
        {"project": "Memo", "text": f"{alive}\n{dead}\n{failing}"},
        content_type="application/json",
    ).json()["run_url"]
    work(clock=utc_now, budget_s=30, open_world=World(pages=PAGES).open)
    told = {result["url"]: result for result in read(client, run)["results"]}
    assert told[alive]["fresh_until"]
    assert told[alive]["retry_at"] is None
    assert told[dead]["fresh_until"]
    assert not told[dead]["is_final"]
    assert told[failing]["fresh_until"] is None
    assert told[failing]["retry_at"]


def test_a_recheck_asks_about_everything(client: Client) -> None:
    hand_in(client, 3)
    assert read(client, hand_in(client, 3, recheck=True))["known"] == 0
    assert read(client, hand_in(client, 3))["known"] == 3
