"""desk.js in a real browser, under the policy of the product: keys, dialogs, choosing, telling."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.environment import ROOT

ADDRESS = "http://127.0.0.1:1/"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; img-src data:"
)
SHEET = re.sub(r"{%.*?%}", "", (ROOT / "templates" / "kit" / "_keys.html").read_text(encoding="utf-8"))

Open = Callable[[str], Page]


@pytest.fixture
def show(context: BrowserContext) -> Iterator[Open]:
    """Shows a body with desk.js, the live regions and the key sheet around it; clicks are counted per element id."""
    script = (ROOT / "static" / "desk" / "desk.js").read_text(encoding="utf-8")
    bodies: list[str] = []
    context.route(f"{ADDRESS}desk.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
    context.route(
        re.compile(rf"{ADDRESS}(?!desk\.js)"),
        lambda route: route.fulfill(
            body=f'<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,">'
            f'<script src="/desk.js" defer></script><div id="live"></div><div id="alert"></div>{bodies[-1]}{SHEET}',
            headers={"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY},
        ),
    )

    def opened(body: str) -> Page:
        bodies.append(body)
        page = context.new_page()
        page.goto(ADDRESS)
        page.evaluate("""() => {
            window.clicks = {};
            document.addEventListener("click", (event) => {
                const id = event.target.closest("[id]")?.id;
                window.clicks[id] = (window.clicks[id] ?? 0) + 1;
            }, true);
        }""")
        return page

    yield opened
    context.unroute_all()


def clicks(page: Page, name: str) -> int:
    return int(page.evaluate("(name) => window.clicks[name] ?? 0", name))


ACCEPT = '<button type="button" id="accept" data-key="a">Accept <kbd>A</kbd></button>'


def test_a_key_presses_its_button(show: Open) -> None:
    page = show(ACCEPT)
    page.keyboard.press("a")
    assert clicks(page, "accept") == 1


def test_a_key_that_is_held_decides_once(show: Open) -> None:
    page = show(ACCEPT)
    for _ in range(4):
        page.keyboard.down("a")
    assert clicks(page, "accept") == 1


@pytest.mark.parametrize("combination", ["Control+a", "Alt+a", "Meta+a", "Shift+a"])
def test_a_key_with_a_modifier_belongs_to_the_browser(show: Open, combination: str) -> None:
    page = show(ACCEPT)
    page.keyboard.press(combination)
    assert clicks(page, "accept") == 0


def test_a_capital_is_a_key_of_its_own(show: Open) -> None:
    page = show('<button type="button" id="redo" data-key="shift+z">Redo</button>')
    page.keyboard.press("z")
    page.keyboard.press("Shift+Z")
    assert clicks(page, "redo") == 1


@pytest.mark.parametrize("field", ["<input id=f>", "<textarea id=f></textarea>", "<select id=f><option>a</select>"])
def test_a_letter_typed_into_a_field_decides_nothing(show: Open, field: str) -> None:
    page = show(ACCEPT + field)
    page.locator("#f").focus()
    page.keyboard.press("a")
    assert clicks(page, "accept") == 0


@pytest.mark.parametrize(
    "button",
    [
        '<button id="accept" data-key="a" disabled>A</button>',
        '<button id="accept" data-key="a" aria-disabled="true">A</button>',
        '<button id="accept" data-key="a" hidden>A</button>',
        '<form class="htmx-request"><button id="accept" data-key="a">A</button></form>',
    ],
    ids=["disabled", "sent", "hidden", "under way"],
)
def test_a_key_does_nothing_where_its_button_could_not(show: Open, button: str) -> None:
    page = show(button)
    page.keyboard.press("a")
    assert clicks(page, "accept") == 0


def test_a_key_focuses_its_field(show: Open) -> None:
    page = show('<input type="search" id="q" data-key="/">')
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    expect(page.locator("#q")).to_have_value("")
    page.keyboard.press("Escape")
    expect(page.locator("#q")).not_to_be_focused()


def test_an_open_dialog_keeps_the_keys_of_the_page_away(show: Open) -> None:
    page = show(f'{ACCEPT}<button type="button" data-key="?" data-dialog-open="keys">?</button>')
    page.keyboard.press("?")
    expect(page.locator("#keys-title")).to_be_focused()
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    assert clicks(page, "accept") == 0


def test_two_keys_in_a_row_follow_a_link(show: Open) -> None:
    page = show('<a href="/queue/" data-chord="g q">Queue</a>')
    page.keyboard.press("g")
    expect(page.locator("#live")).to_have_text("g, then …")
    page.keyboard.press("q")
    page.wait_for_url("**/queue/")


def test_two_keys_with_a_pause_between_follow_nothing(show: Open) -> None:
    page = show('<a id="queue" href="#queue" data-chord="g q">Queue</a>')
    page.clock.install()
    page.keyboard.press("g")
    page.clock.fast_forward(1_500)
    page.keyboard.press("q")
    assert clicks(page, "queue") == 0


def test_the_sheet_lists_what_this_page_answers_to(show: Open) -> None:
    page = show(f'{ACCEPT}<button id="open" data-dialog-open="keys">Keys</button>')
    page.locator("#open").click()
    assert "Accept" in page.locator("#keys dl").inner_text()
    page.locator("[data-dialog-close]").click()
    expect(page.locator("#open")).to_be_focused()


def test_the_keys_can_be_turned_off_for_good(show: Open) -> None:
    page = show(f'{ACCEPT}<button id="open" data-dialog-open="keys">Keys</button>')
    page.locator("#open").click()
    page.locator("#keys-on").uncheck()
    page.reload()
    page.evaluate("window.clicks = {}")
    page.keyboard.press("a")
    assert clicks(page, "accept") == 0
    page.locator("#open").click()
    expect(page.locator("#keys-on")).not_to_be_checked()


def test_the_colours_change_at_once_and_are_kept(show: Open, context: BrowserContext) -> None:
    page = show(
        '<button id="dark" data-theme-choice="dark">Dark</button><button data-theme-choice="auto">Auto</button>'
    )
    page.locator("#dark").click()
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    expect(page.locator("#dark")).to_have_attribute("aria-pressed", "true")
    assert [(cookie["name"], cookie["value"]) for cookie in context.cookies()] == [("desk_theme", "dark")]
    page.get_by_text("Auto").click()
    assert page.locator("html").get_attribute("data-bs-theme") is None


def test_choosing_the_page_chooses_each_row_and_says_how_many(show: Open) -> None:
    rows = "".join(f'<input type="checkbox" name="ids" value="{number}">' for number in range(3))
    page = show(f'<form><input type="checkbox" id="all" data-select-all="ids">{rows}<p data-select-count></p></form>')
    page.locator("#all").check()
    expect(page.locator("[data-select-count]")).to_have_text("3 of 3 on this page chosen")
    page.locator("[name=ids]").first.uncheck()
    expect(page.locator("[data-select-count]")).to_have_text("2 of 3 on this page chosen")
    assert page.locator("#all").evaluate("(box) => [box.checked, box.indeterminate]") == [False, True]


def test_an_open_menu_closes_by_escape_and_gives_the_focus_back(show: Open) -> None:
    page = show('<details data-menu><summary id="menu">Ana</summary><a href="#x" id="item">Sign out</a></details>')
    page.locator("#menu").click()
    page.locator("#item").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#menu")).to_be_focused()
    expect(page.locator("#item")).to_be_hidden()


def test_the_server_has_the_page_speak_and_move_the_focus(show: Open) -> None:
    page = show('<h2 id="card-h">Next</h2>')
    page.evaluate("""() => {
        const tell = (name, value) =>
            document.body.dispatchEvent(new CustomEvent(name, {bubbles: true, detail: {value}}));
        tell("ui:say", "Accepted. 36 left.");
        tell("ui:focus", "#card-h");
    }""")
    expect(page.locator("#live")).to_have_text("Accepted. 36 left.")
    expect(page.locator("#card-h")).to_be_focused()


def test_regions_that_the_server_names_fetch_themselves_again(show: Open) -> None:
    page = show('<div data-region="recent"></div><div data-region="left"></div>')
    asked = page.evaluate("""() => {
        const asked = [];
        for (const region of document.querySelectorAll("[data-region]"))
            region.addEventListener("ui:refetch", () => asked.push(region.dataset.region));
        document.body.dispatchEvent(new CustomEvent("ui:refresh", {bubbles: true, detail: {value: ["left"]}}));
        return asked;
    }""")
    assert asked == ["left"]


@pytest.mark.parametrize(("status", "words"), [(500, "The server answered 500."), (403, "You may not do this")])
def test_a_request_that_failed_is_told_with_the_way_out(show: Open, status: int, words: str) -> None:
    page = show("")
    page.evaluate(
        """(status) => document.body.dispatchEvent(
            new CustomEvent("htmx:responseError", {bubbles: true, detail: {xhr: {status}}}))""",
        status,
    )
    expect(page.locator("#alert")).to_contain_text(words)
    expect(page.locator("#alert a")).to_have_text("Reload the page")


def test_a_form_is_sent_once_however_often_it_is_sent(show: Open) -> None:
    page = show('<form data-once><button id="send">Send</button></form>')
    sent = page.evaluate("""() => {
        let sent = 0;
        document.addEventListener("submit", (event) => {
            if (!event.defaultPrevented) sent += 1;
            event.preventDefault();
        });
        const form = document.querySelector("form");
        for (let turn = 0; turn < 3; turn += 1) form.requestSubmit();
        return sent;
    }""")
    assert sent == 1


def test_control_and_enter_send_a_form_from_its_text(show: Open) -> None:
    page = show('<form data-ctrl-enter action="/done/"><textarea id="f"></textarea></form>')
    page.locator("#f").focus()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done/*")
