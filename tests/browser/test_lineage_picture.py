"""Pictures of lineage in a browser: drawn under the strict content policy, opened by key and by click."""

import json
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page

from tests.live import LiveDesk

CHUNKS = 310


def test_a_group_is_opened_and_drawn_on_a_canvas(signed_in: Page, live_desk: LiveDesk, tmp_path: Path) -> None:
    artifact = "artifact://quay/survey/v1"
    edges = [
        {"relation": "CHUNKED_FROM", "from": f"chunk://quay/{number}/v1", "to": artifact} for number in range(CHUNKS)
    ]
    names = [artifact, *(edge["from"] for edge in edges)]
    event = {"lineage_event_id": "quay-survey", "entities": [{"ref": name} for name in names], "edges": edges}
    file = tmp_path / "events.ndjson"
    file.write_text(json.dumps(event), encoding="utf-8")
    assert "1 accepted" in live_desk.manage("ingest_events", str(file), "--as", live_desk.username)
    page = signed_in
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_url("**/lineage/")
    page.goto(f"{live_desk.url}/lineage/entity/?ref={quote(artifact, safe='')}")
    page.locator(".lineage-svg .is-group").click()
    page.locator("[data-drawn=yes] canvas").first.wait_for()
    assert page.get_by_role("link", name="quay/309 v1").count() == 1
    page.keyboard.press("d")
    page.wait_for_url("**/lineage/impact/**")
    page.get_by_text(f"{CHUNKS} nodes, complete.").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("quay/309")
    page.get_by_text("1 node, complete.").wait_for()
    page.wait_for_url("**q=quay*")
    page.goto(f"{live_desk.url}/lineage/entity/?ref={quote(artifact, safe='')}")
    page.locator(".branches a", has_text=f"{CHUNKS} chunks").click()
    page.get_by_role("link", name=f"{CHUNKS} chunks as one group").click()
    page.locator(".lineage-svg .is-group").wait_for()
