"""The frame around every page: what it offers to whom, what it promises to assistive technology and to the CSP."""

import re

import pytest
from bs4 import BeautifulSoup, Tag
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from provenance_site.accounts.roles import Role
from tests.desk import Desk
from tests.environment import ROOT

NOWHERE = "/there-is-no-such-page/"
HEADER = "".join(
    (ROOT / "templates" / name).read_text(encoding="utf-8") for name in ("base.html", "kit/_account_menu.html")
)
NAMES = sorted(set(re.findall(r'{% (?:nav_link|url) "([\w:-]+)"', HEADER)))


def page(client: Client, path: str = NOWHERE) -> BeautifulSoup:
    return BeautifulSoup(client.get(path).content, "lxml")


def only(soup: BeautifulSoup, selector: str) -> Tag:
    found = soup.select(selector)
    assert len(found) == 1, selector
    return found[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_address_that_the_header_offers_is_installed(name: str) -> None:
    assert reverse(name)


def test_a_member_finds_the_places_of_the_desk(desk: Desk) -> None:
    nav = only(page(desk.client(Role.READER)), 'nav[aria-label="Main"]')
    assert [link.get_text(strip=True) for link in nav.select("a")] == [
        "Projects",
        "Queue",
        "Sources",
        "Retractions",
        "Duplicates",
        "Observations",
        "Chunks",
        "Lineage",
        "History",
    ]


def test_a_stranger_finds_the_way_to_the_start_and_no_more() -> None:
    soup = page(Client(), reverse("login"))
    assert soup.select('nav[aria-label="Main"]') == []
    assert only(soup, "a.brand")["href"] == "/"


@pytest.mark.parametrize(("role", "is_offered"), [(Role.ADMIN, True), (Role.EDITOR, False)])
def test_only_an_admin_is_offered_the_people_page(desk: Desk, role: Role, is_offered: bool) -> None:
    links = {link.get("href") for link in page(desk.client(role)).select(".menu-item")}
    assert (reverse("people") in links) == is_offered


def test_signing_out_is_a_form_that_another_site_cannot_send(desk: Desk) -> None:
    form = only(page(desk.client()), f'form[action="{reverse("logout")}"]')
    assert form["method"] == "post"
    assert form.select_one('input[name="csrfmiddlewaretoken"]')


def test_every_page_has_its_landmarks_and_live_regions_from_the_start(desk: Desk) -> None:
    soup = page(desk.client())
    assert only(soup, "h1").get_text(strip=True)
    assert only(soup, "a.skip")["href"] == "#" + str(only(soup, "main")["id"])
    assert only(soup, "#live").get_text(strip=True) == only(soup, "#alert").get_text(strip=True) == ""
    assert (only(soup, "#live")["role"], only(soup, "#alert")["role"]) == ("status", "alert")
    assert only(soup, "html")["lang"] == "en"


def test_no_id_stands_twice_on_a_page(desk: Desk) -> None:
    ids = [element["id"] for element in page(desk.client(Role.ADMIN)).select("[id]")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("cookie", "theme"), [("dark", "dark"), ("light", "light"), ("auto", None), ('"><b>', None)])
def test_the_chosen_colours_come_with_the_page(desk: Desk, cookie: str, theme: str | None) -> None:
    client = desk.client()
    client.cookies["desk_theme"] = cookie
    assert only(page(client), "html").get("data-bs-theme") == theme


def test_a_page_needs_nothing_that_the_policy_forbids(desk: Desk) -> None:
    response = desk.client(Role.ADMIN).get(NOWHERE)
    assert "unsafe" not in response["Content-Security-Policy"]
    soup = BeautifulSoup(response.content, "lxml")
    assert [script for script in soup.select("script") if not script.get("src") or script.get_text(strip=True)] == []
    assert soup.select("style, [style]") == []
    handlers = [name for element in soup.select("*") for name in element.attrs if name.startswith(("on", "hx-on"))]
    assert handlers == []
    assert '"allowEval":false' in str(only(soup, 'meta[name="htmx-config"]')["content"])


def test_htmx_sends_the_token_of_the_session(desk: Desk) -> None:
    assert re.search(r'"X-CSRFToken": "\w{32,}"', str(only(page(desk.client()), "body")["hx-headers"]))


@pytest.mark.parametrize("name", ["400.html", "500.html"])
def test_a_page_of_last_resort_needs_neither_request_nor_database(name: str) -> None:
    assert "Go to the start page" in render_to_string(name)


@pytest.mark.django_db
def test_an_expired_form_is_explained() -> None:
    response = Client(enforce_csrf_checks=True).post(reverse("login"), {"username": "x", "password": "y"})
    assert response.status_code == 403
    assert b"This form is no longer valid" in response.content


def test_a_refusal_says_why_and_who_can_help(desk: Desk) -> None:
    request = desk.client(Role.CURATOR).get(NOWHERE).wsgi_request
    html = render_to_string("403.html", {"exception": "Only <editors> may drop a source."}, request=request)
    assert "Only &lt;editors&gt; may drop a source." in html
    assert f"Your role in {desk.workspace.name} is curator" in html
