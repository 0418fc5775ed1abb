"""The main job in a real browser, against the product that `make run` starts: paste, look, check, decide, download."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.live import LiveDesk

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}


def _pasted(desk: LiveDesk) -> str:
    gazette = f"http://harbour-gazette.sample.localhost:{desk.sample_port}"
    return "\n".join(
        [
            f"- [Night ferry returns after nine years]({gazette}/2024/06/night-ferry-returns-after-nine-years)",
            f"{gazette}/2024/06/night-ferry-returns-after-nine-years#timetable",
            f"{gazette}/2022/02/pilot-boats-go-electric",
            f"http://ferry-observer.sample.localhost:{desk.sample_port}/articles/2018/fare-reform-on-the-outer-islands",
            "[Not an address](javascript:alert(1))",
        ]
    )


def test_a_pasted_list_becomes_a_reviewed_master_sources_file(
    signed_in: Page, live_desk: LiveDesk, tmp_path: Path
) -> None:
    page = signed_in
    page.get_by_label("Name").fill("Night ferries")
    page.get_by_role("button", name="Make the project").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Import a list")
    page.get_by_label("Paste a list or a draft").fill(_pasted(live_desk))
    page.get_by_role("button", name="Look at what was found").click()
    expect(page.get_by_text("Nothing is written yet.")).to_be_visible()
    expect(page.locator(".stat-bad, .stat-warn").filter(has_text="Unreadable")).to_contain_text("1")
    page.get_by_role("button", name="Import 3 sources").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Night ferries")
    page.get_by_role("button", name="Check all").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check of 3 sources")
    expect(page.get_by_role("button", name="Master-Sources.md")).to_be_visible(timeout=30_000)

    page.get_by_role("button", name="Master-Sources.md").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Master-Sources.md")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download", exact=True).click()
    written = tmp_path / "Master-Sources.md"
    download.value.save_as(written)
    text = written.read_text(encoding="utf-8")
    assert text.count("/2024/06/night-ferry-returns-after-nine-years)") == 1
    assert "fare-reform-on-the-outer-islands" in text


def test_a_question_is_decided_and_taken_back_by_keys(signed_in: Page, live_desk: LiveDesk) -> None:
    page = signed_in
    page.goto(f"{live_desk.url}/queue/")
    first = page.locator("#card-heading").inner_text()

    page.keyboard.press("a")
    expect(page.locator("#card-heading")).not_to_have_text(first)
    expect(page.get_by_role("region", name="Your last decisions")).to_contain_text(first[:60])

    page.keyboard.press("z")
    expect(page.locator("#card-heading")).to_have_text(first)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "390"])
def test_every_screen_fits_the_window_and_is_quiet(signed_in: Page, live_desk: LiveDesk, size: dict[str, int]) -> None:
    """`troubles` of the page stays empty, and nothing makes the window scroll sideways."""
    page = signed_in
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    for path in _screens(page, live_desk):
        answer = page.goto(live_desk.url + path)
        assert answer is not None
        assert answer.ok, path
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide == 0, path


def _screens(page: Page, desk: LiveDesk) -> list[str]:
    """The fixed pages, every source (their words and addresses are of all lengths), and one of each other kind."""
    fixed = ["/", "/queue/", "/sources/", "/history/", "/accounts/people/", "/accounts/tokens/", "/accounts/password/"]
    page.goto(f"{desk.url}/sources/")
    sources = {link.get_attribute("href") or "" for link in page.locator("main a[href^='/s/']").all()}
    assert len(sources) > 30
    page.goto(desk.url)
    project = _href(page, "main a:text('Sample')")
    page.goto(desk.url + project)
    ones = [_href(page, f"main a[href^='{prefix}']") for prefix in ("/imports/", "/runs/")]
    return [*fixed, *sorted(sources), project, *ones, f"{project}imports/new/", f"{project}runs/"]


def _href(page: Page, selector: str) -> str:
    """Where the first such link leads, once it is there."""
    link = page.locator(selector).first
    link.wait_for()
    return link.get_attribute("href") or ""


def test_the_page_of_a_wrong_address_says_where_to_go(
    signed_in: Page, live_desk: LiveDesk, troubles: list[str]
) -> None:
    answer = signed_in.goto(f"{live_desk.url}/nowhere/")
    assert answer is not None
    assert answer.status == 404
    expect(signed_in.get_by_role("link").first).to_be_visible()
    # Chromium itself writes the status of a page that was not found to the console.
    assert [trouble for trouble in troubles if "404" not in trouble] == []
    troubles.clear()


def test_a_run_goes_on_through_a_reload_and_a_closed_tab(
    signed_in: Page, context: BrowserContext, live_desk: LiveDesk
) -> None:
    page = signed_in
    page.get_by_label("Name").fill("Closed tab")
    page.get_by_role("button", name="Make the project").click()
    slow = f"http://ferry-observer.sample.localhost:{live_desk.sample_port}/articles/2024/waiting-times-at-the-lower-terminal"
    page.get_by_label("Paste a list or a draft").fill("\n".join(f"{slow}?copy={number}" for number in range(8)))
    page.get_by_role("button", name="Look at what was found").click()
    page.get_by_role("button", name="Import 8 sources").click()
    page.get_by_role("button", name="Check all").click()
    expect(page.get_by_role("button", name="Stop (keeps what is done)")).to_be_visible()
    run = page.url

    page.reload()
    expect(page.get_by_role("button", name="Stop (keeps what is done)")).to_be_visible()
    page.close()

    again = context.new_page()
    again.goto(run)
    expect(again.get_by_text("8 of 8 checked")).to_be_visible(timeout=30_000)
    expect(again.get_by_role("heading", name="Finished")).to_be_visible()
    expect(again.locator("#run")).not_to_have_attribute("hx-trigger", re.compile(".*"))
