"""Choosing sources across pages of the table in a real browser, with the mouse and with keys, and editing them."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.live import LiveDesk


@pytest.fixture(scope="module")
def marker() -> str:
    """A word that only the sources of this module have."""
    return "lockgate"


@pytest.fixture
def table(signed_in: Page, live_desk: LiveDesk, marker: str) -> Page:
    """The table narrowed to sixty sources of our own: one page and ten more."""
    page = signed_in
    page.goto(f"{live_desk.url}/sources/?q={marker}")
    if page.locator("tbody .cell-title").count() == 0:
        page.goto(live_desk.url)
        page.get_by_label("Name").fill("Lockgate")
        page.get_by_role("button", name="Make the project").click()
        lines = [f"[{marker.title()} {at:02d}](https://{marker}.example/{at:02d})" for at in range(60)]
        page.get_by_label("Paste a list or a draft").fill("\n".join(f"- {line}" for line in lines))
        page.get_by_role("button", name="Look at what was found").click()
        page.get_by_role("button", name="Import 60 sources").click()
        page.get_by_role("heading", level=1, name="Lockgate").wait_for()
        page.goto(f"{live_desk.url}/sources/?q={marker}")
    expect(page.locator("#found [role=status]")).to_have_text("60 sources")
    return page


def test_ticks_are_kept_from_page_to_page(table: Page) -> None:
    boxes, told = table.locator("tbody input[name=ids]"), table.locator("#selection-count")
    boxes.nth(0).check()
    boxes.nth(2).check()
    table.locator("#found-next").click()
    expect(boxes).to_have_count(10)
    boxes.nth(1).check()
    expect(told).to_have_text("3 chosen.")
    table.locator("#found-previous").click()
    expect(boxes).to_have_count(50)
    expect(boxes.nth(2)).to_be_checked()
    expect(told).to_have_text("3 chosen.")
    table.get_by_role("button", name=re.compile("Edit the chosen")).click()
    expect(table.get_by_role("heading", level=1)).to_have_text("Edit 3 sources")


def test_all_that_match_but_two_of_two_pages_are_edited_and_taken_back(table: Page, live_desk: LiveDesk) -> None:
    boxes, told = table.locator("tbody input[name=ids]"), table.locator("#selection-count")
    table.locator("#selection-all").click()
    expect(told).to_contain_text("All 60 that match")
    boxes.nth(4).uncheck()
    table.locator("#found-next").click()
    expect(boxes).to_have_count(10)
    boxes.nth(4).uncheck()
    expect(told).to_have_text("58 chosen, 2 left out.")
    table.get_by_role("button", name=re.compile("Edit the chosen")).click()
    table.get_by_label(re.compile("^Add tags")).fill("by the quay")
    table.get_by_role("button", name="Show what would change").first.click()
    expect(table.get_by_role("heading", level=1)).to_have_text("Edit fields: 58 sources would change")
    table.get_by_role("button", name="Edit fields: 58 sources").click()
    expect(table.locator("#messages")).to_contain_text("Edited 58 sources.")
    table.goto(f"{live_desk.url}/sources/?tag=by+the+quay")
    expect(table.locator("#found [role=status]")).to_have_text("58 sources")
    table.goto(f"{live_desk.url}/history/")
    table.get_by_role("button", name="Undo Sources edited").first.click()
    expect(table.locator("#messages")).to_contain_text("Taken back: 58 changes")


def test_another_filter_begins_a_choice_anew(table: Page) -> None:
    table.locator("tbody input[name=ids]").nth(0).check()
    table.locator("summary", has_text="Identifier").click()
    table.locator("#facet-identifier_type-url").check()
    expect(table.locator(".activefilters")).to_contain_text("Identifier: url")
    expect(table.locator("#selection-count")).to_have_text("Tick sources to edit them together.")
    assert "identifier_type=url" in table.url


def test_rows_are_walked_and_ticked_by_keys(table: Page) -> None:
    told = table.locator("#selection-count")
    for key in ("j", "Space", "j", "j", "Space"):
        table.keyboard.press(key)
    expect(told).to_have_text("2 chosen.")
    table.keyboard.press("*")
    table.keyboard.press("a")
    expect(told).to_have_text("50 chosen.")
    table.keyboard.press("*")
    table.keyboard.press("m")
    expect(told).to_contain_text("All 60 that match")
    table.keyboard.press("e")
    expect(table.get_by_role("heading", level=1)).to_have_text("Edit 60 sources")
