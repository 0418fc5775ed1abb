"""Observations and stores in a real browser: every screen fits every window, and a source is found while one types."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.live import LiveDesk

_PROJECT = "Sample: the harbour memo"
_LONG = "Tides of the northern sea, see https://harbour.example/" + "a-very-long-address/" * 8


@pytest.fixture(scope="module")
def furnished(live_desk: LiveDesk, tmp_path_factory: pytest.TempPathFactory) -> LiveDesk:
    """The sample desk with observations and a store."""
    file: Path = tmp_path_factory.mktemp("documents") / "tides-and-currents-of-the-northern-sea.md"
    file.write_text("# Rise\n\n" + "z" * 400 + "\n\n# Fall\n\nIt falls.\n")
    live_desk.manage("observe", _LONG, "--project", _PROJECT, "--kind", "finding", "--concept", "x" * 120)
    number = re.search(r"id=(\d+)", live_desk.manage("source", "add", "doi:10.5555/tides.1", "--title", _LONG))
    assert number is not None
    live_desk.manage("cite", number[1])
    live_desk.manage("source", "retract", number[1], "--note", "Figures invented")
    live_desk.manage("chunks", "ingest", str(file), "--store", "harbour", "--doi", "10.5555/tides.1")
    return live_desk


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
def test_every_screen_fits_the_window_and_is_quiet(signed_in: Page, furnished: LiveDesk, width: int) -> None:
    page = signed_in
    page.set_viewport_size({"width": width, "height": 800})
    for path in _screens(page, furnished):
        answer = page.goto(furnished.url + path)
        assert answer is not None
        assert answer.ok, path
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide == 0, path


def test_a_source_is_found_while_one_types_and_linked(signed_in: Page, furnished: LiveDesk) -> None:
    page = signed_in
    page.goto(f"{furnished.url}/observations/")
    page.locator("#found .cell-title").first.click()
    expect(page.get_by_text("is marked retracted: “Figures invented”")).to_be_visible()
    page.locator("#find").fill("harbour")
    page.locator("#finds input[type=radio]").first.check()
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.get_by_text("now.")).to_be_visible()
    expect(page.locator(".feed.numbered > li")).to_have_count(2)


def _screens(page: Page, desk: LiveDesk) -> list[str]:
    fixed = ["/observations/", "/concepts/", "/chunks/", "/chunks/new/"]
    page.goto(desk.url)
    project = _href(page, "main a:text('Sample')")
    page.goto(f"{desk.url}/observations/")
    observation = _href(page, "main a[href^='/o/']")
    page.goto(f"{desk.url}/concepts/")
    concept = _href(page, "main a[href^='/concepts/']")
    page.goto(f"{desk.url}/chunks/")
    store = _href(page, "main a[href^='/stores/']")
    page.goto(desk.url + store)
    document = _href(page, "main a[href*='/document/']")
    page.goto(desk.url + observation)
    source = _href(page, "main a[href^='/s/']")
    return [
        *fixed,
        project,
        f"{project}observations/",
        f"{project}observations/new/",
        f"{observation}?find=a",
        f"{observation}edit/",
        concept,
        store,
        document,
        f"{source}remove/",
    ]


def _href(page: Page, selector: str) -> str:
    link = page.locator(selector).first
    link.wait_for()
    return link.get_attribute("href") or ""
