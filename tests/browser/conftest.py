"""A real Chromium for tests: pages that speak of an error, of a refused content or of another host fail their test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from tests import live, services
from tests.live import LiveDesk

_ARGUMENTS = (
    "--no-sandbox",  # root in a container has no user namespaces; the pages are our own
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--disable-dev-shm-usage",
)
OWN_PASSWORD = "seven-herons-4-mud"
# Chromium writes refusals to the console as well, but not those of every directive.
_TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`content security policy: ${event.violatedDirective} refused ${event.blockedURI}`));
"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of this folder, and lets them run last: Playwright leaves an event loop running in its thread."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker("browser")
    items.sort(key=lambda item: item.path.is_relative_to(folder))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium, headless; skips with the reason where there is none."""
    program = services.chromium()
    if isinstance(program, services.Missing):
        pytest.skip(program.reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=[*_ARGUMENTS], headless=True)
        yield started
        started.close()


@pytest.fixture
def troubles() -> list[str]:
    """What pages of this test complained of. A test that provokes a complaint clears the list when it has seen it."""
    return []


@pytest.fixture
def context(browser: Browser, troubles: list[str]) -> Iterator[BrowserContext]:
    """A window without cookies, 1280 pixels wide; every page in it is watched."""
    opened = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", timezone_id="UTC")
    opened.set_default_timeout(5_000)
    opened.add_init_script(_TELL_VIOLATIONS)
    opened.on("page", lambda page: _watch(page, troubles))
    yield opened
    opened.close()
    assert troubles == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page in a fresh window."""
    return context.new_page()


@pytest.fixture(scope="session")
def live_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveDesk]:
    """The product of `make run`, started once for all browser tests, its sample project checked."""
    with live.live_desk(tmp_path_factory.mktemp("live")) as desk:
        yield desk


@pytest.fixture(scope="session")
def owner_cookies(browser: Browser, live_desk: LiveDesk) -> list[dict[str, Any]]:
    """The session of the desk's owner, who signed in with the one-time password and chose one of their own."""
    opened = browser.new_context()
    opened.set_default_timeout(5_000)
    page = opened.new_page()
    page.goto(live_desk.url)
    page.get_by_label("User name").fill(live_desk.username)
    page.get_by_label("Password").fill(live_desk.password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Old password").fill(live_desk.password)
    page.get_by_label("New password", exact=True).fill(OWN_PASSWORD)
    page.get_by_label("New password again").fill(OWN_PASSWORD)
    page.get_by_role("button", name="Change password").click()
    page.get_by_role("navigation", name="Main").wait_for()
    cookies = [dict(cookie) for cookie in opened.cookies()]
    opened.close()
    return cookies


@pytest.fixture
def signed_in(context: BrowserContext, page: Page, live_desk: LiveDesk, owner_cookies: list[Any]) -> Page:
    """The desk's first page, with its owner signed in."""
    context.add_cookies(owner_cookies)
    page.goto(live_desk.url)
    return page


def _watch(page: Page, troubles: list[str]) -> None:
    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            troubles.append(f"{page.url}: {message.text}")

    def on_request(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https"} and parts.hostname != "127.0.0.1":
            troubles.append(f"{page.url} asked another host: {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: troubles.append(f"{page.url}: {error}"))
    page.on("request", on_request)
