"""From an export to a decision about a list, to a file with the marks, and back, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.live import LiveDesk

SAMPLE = Path(__file__).parent.parent / "data" / "retraction_watch" / "sample.csv"
_LIST = (
    "identifier,status,note,notice,date\n"
    "10.5555/fog.browser,retracted,The fog was made up,10.5555/fog.n,2022\n"
    "10.5555/ferries.browser,concern,The timetable is in doubt,,\n"
    "10.5555/unknown.9,,,,\n"
)


@pytest.fixture(scope="module")
def furnished(live_desk: LiveDesk) -> LiveDesk:
    """The sample desk with works that stand in the export."""
    for number, title in (("gulls.2019", "Gulls counted twice"), ("fog.browser", "Fog over the quay")):
        live_desk.manage("source", "add", f"doi:10.5555/{number}", "--title", title)
    live_desk.manage("source", "add", "doi:10.5555/ferries.browser", "--title", "Ferries at night")
    return live_desk


def test_an_export_reaches_the_screen_and_a_list_is_decided_and_taken_back(
    signed_in: Page, furnished: LiveDesk
) -> None:
    page, desk = signed_in, furnished
    page.goto(f"{desk.url}/retractions/feeds/")
    page.set_input_files("[name=file]", str(SAMPLE))
    page.get_by_role("button", name="Take it in").click()
    expect(page.get_by_text("13 rows")).to_be_visible()
    page.goto(f"{desk.url}/retractions/?tab=retracted")
    expect(page.get_by_role("heading", name="Gulls counted twice")).to_be_visible()
    page.get_by_role("link", name="Decide about a list").click()
    page.locator("[name=text]").fill(_LIST)
    page.locator("[name=note]").fill("Lists of the board of May")
    page.get_by_role("button", name="Show what would change").click()
    expect(page.get_by_role("heading", name="2 sources would be decided")).to_be_visible()
    expect(page.get_by_text("No source here has this identifier")).to_be_visible()
    page.get_by_role("button", name="Decide about 2 sources").click()
    expect(page.get_by_text("Decided about 2 sources")).to_be_visible()
    with page.expect_download() as told:
        page.goto(f"{desk.url}/sources/")
        page.get_by_role("link", name="CSV of this view").click()
    table = Path(told.value.path()).read_text("utf-8")
    for title, status in (("Gulls", "retracted"), ("Fog", "retracted"), ("Ferries", "concern")):
        (line,) = [line for line in table.splitlines() if title in line]
        assert status in line
    page.goto(f"{desk.url}/history/")
    page.locator("tr", has_text="Lists of the board of May").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Taken back: 2 changes.")).to_be_visible()
    page.goto(f"{desk.url}/retractions/?tab=retracted")
    expect(page.get_by_role("heading", name="Gulls counted twice")).to_be_visible()
    expect(page.get_by_role("heading", name="Fog over the quay")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_screens_of_retractions_fit_the_window_and_are_quiet(
    signed_in: Page, furnished: LiveDesk, width: int
) -> None:
    page = signed_in
    page.set_viewport_size({"width": width, "height": 800})
    for path in ("", "?tab=retracted", "list/", "check/", "feeds/"):
        answer = page.goto(f"{furnished.url}/retractions/{path}")
        assert answer is not None
        assert answer.ok, path
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide == 0, path
