"""Two persons and the ways out in a real browser: each screen fits a telephone, and a list is proposed by hand."""

import pytest
from playwright.sync_api import Page, expect

from tests.live import LiveDesk

_LONG = "Survey of https://harbour.example/" + "a-very-long-address/" * 6


@pytest.mark.parametrize("width", [390])
def test_a_list_is_proposed_and_every_screen_fits_a_telephone(signed_in: Page, live_desk: LiveDesk, width: int) -> None:
    page, url = signed_in, live_desk.url
    page.set_viewport_size({"width": width, "height": 844})
    live_desk.manage("source", "add", "doi:10.5555/proposed.1", "--title", _LONG)
    page.goto(f"{url}/accounts/people/")
    page.get_by_label("User name").fill("second-administrator")
    page.locator("form:has(#id_username) select[name=role]").select_option("admin")
    page.locator("form:has(#id_username) button[type=submit]").click()
    expect(page.get_by_text("second-administrator").first).to_be_visible()
    page.goto(f"{url}/retractions/settings/")
    page.get_by_label("A second person approves").check()
    page.get_by_role("button", name="Keep it so").click()
    expect(page.get_by_text("needed from now on")).to_be_visible()
    page.goto(f"{url}/retractions/list/")
    page.get_by_label("Paste a list").fill("10.5555/proposed.1\nhttps://harbour.example/" + "b" * 150)
    page.get_by_label("Note", exact=True).fill("The list of May")
    page.get_by_role("button", name="Show what would change").click()
    expect(page.get_by_role("button", name="Propose it")).to_be_visible()
    _fits(page)
    page.get_by_role("button", name="Propose it").click()
    expect(page.get_by_text("Nothing is changed yet.").first).to_be_visible()
    _fits(page)
    proposal = page.url
    page.goto(f"{url}/notices/webhook/")
    page.get_by_label("Address").fill("https://hooks.example.org/" + "c" * 150)
    page.get_by_role("button", name="Tell this address").click()
    expect(page.locator("#new-secret")).to_be_visible()
    _fits(page)
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_text("A test is on its way")).to_be_visible()
    page.goto(f"{url}/notices/settings/")
    page.get_by_label("For which reader").fill("A reader")
    page.get_by_role("button", name="Make an address").click()
    expect(page.locator("#new-feed")).to_be_visible()
    _fits(page)
    screens = ("/retractions/", "/retractions/settings/", "/retractions/proposals/", "/notices/", "/notices/webhook/")
    for path in screens:
        page.goto(url + path)
        _fits(page)
    page.get_by_role("button", name="Tell it no more").click()
    expect(page.get_by_text("It is told no more")).to_be_visible()
    page.goto(proposal)
    page.get_by_role("button", name="Withdraw it").click()
    expect(page.get_by_text("Withdrawn. Nothing was changed.")).to_be_visible()
    page.goto(f"{url}/retractions/settings/")
    page.get_by_label("A second person approves").uncheck()
    page.get_by_role("button", name="Keep it so").click()
    expect(page.get_by_text("no longer needed")).to_be_visible()


def _fits(page: Page) -> None:
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert too_wide == 0, page.url
