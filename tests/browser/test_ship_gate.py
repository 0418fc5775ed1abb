"""The ship gate in a browser on a narrow screen: a text is pasted, workers fetch its links, a person looks at one."""

import re

from playwright.sync_api import Page

from tests.live import LiveDesk


def narrow_enough(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def test_a_pasted_text_goes_through_the_gate_and_is_spot_checked(signed_in: Page, live_desk: LiveDesk) -> None:
    page = signed_in
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_role("main").locator("a[href^='/p/']").first.click()
    page.wait_for_url(re.compile(r"/p/[0-9a-f-]+/$"))
    page.goto(f"{page.url}ship/")
    assert narrow_enough(page)
    text = "Boats came. [src-001]\n\nMore came, [says one](https://unknown.invalid/a-rather-long-address/of-a-page)."
    page.get_by_label("Paste the text").fill(text)
    page.get_by_role("button", name="Check it").click()
    page.wait_for_url(re.compile(r"/ship/[0-9a-f-]+/$"))
    page.get_by_role("heading", name="Ship gate").wait_for(timeout=60_000)
    page.get_by_text("line 3, column 12").first.wait_for()
    assert narrow_enough(page)
    page.get_by_label("Note, needed where it is wrong").first.fill("Says nothing of boats")
    page.get_by_role("button", name="Wrong").first.click()
    page.locator("#spot-1").get_by_text("Wrong: Says nothing of boats").wait_for()
    assert narrow_enough(page)
