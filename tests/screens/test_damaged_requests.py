"""What no database keeps, and numbers beyond any column, break no page: in addresses, in forms, in cookies."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from provenance_site.accounts.roles import Role
from provenance_site.wsgi import application
from sources.models import Project
from tests.clearance import page_client
from tests.clearance_pages import PAGES
from tests.damage import NUL
from tests.desk import Desk
from tests.factories import UserFactory
from tests.layers import Layer, layer
from tests.screens.test_clearance import asked

pytestmark = pytest.mark.django_db

# A parameter that is only held against a word of the page's own is none to try.
_READ = re.compile(r"""GET(?:\.get(?:list)?\(|\[)\s*["'](\w+)["'](?!\) ==)""")
LONG = "9" * 30


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def client(desk: Desk) -> Client:
    client = desk.client(Role.ADMIN)
    client.raise_request_exception = False
    return client


@pytest.fixture
def whole_server(db: Any) -> Iterator[None]:
    """The server's own entry may be called: it lets the test's connection to the database be."""
    ends = (request_started, request_finished)
    for end in ends:
        end.disconnect(close_old_connections)
    yield
    for end in ends:
        end.connect(close_old_connections)


def addresses() -> Iterator[str]:
    """Every address of the product that is no operation of the JSON interface, as the resolver writes it."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if path.startswith(("api/", "static/", "healthz", "readyz")) or "(?P" in path:
                continue
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield "/" + path

    yield from walk(get_resolver().url_patterns, "")


def pages_of(seen: Layer) -> list[str]:
    """One address of each page: those of clearance, and those without a key, with a ref, which lineage asks for."""
    ref = quote(seen.sources[0].entity.ref, safe="")  # type: ignore[union-attr]
    urls = [f"{path}?ref={ref}" for path in addresses() if "<" not in path and "/admin/" not in path] + asked(
        PAGES, seen
    )
    return list({resolve(urlsplit(url).path).view_name: url for url in reversed(urls)}.values())


def parameters(path: str, page: BeautifulSoup) -> set[str]:
    """The names that a page's module reads, and that its own links and forms send."""
    view = inspect.unwrap(resolve(path).func)
    names = set(_READ.findall(inspect.getsource(inspect.getmodule(view) or inspect)))
    for link in page.select("main a[href]"):
        to = urlsplit(str(link["href"]))
        if to.path in ("", path):
            names |= {name for name, _ in parse_qsl(to.query)}
    for form in page.select("form[method=get], form:not([method])"):
        names |= {str(one["name"]) for one in form.select("[name]:not([type=checkbox], [type=radio])")}
    return names


def forms(url: str, page: BeautifulSoup) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
    """Where each form that is posted goes, and its fields: name, value, and whether a person writes words there."""
    for form in page.select("form[method=post]"):
        fields = [
            (
                str(one["name"]),
                str(one.get("value") or "1"),
                one.name == "textarea" or one.get("type") in ("text", "search", "password", "email", "url"),
            )
            for one in form.select("[name]")
            if one.get("type") not in ("file", "submit") and one["name"] != "csrfmiddlewaretoken"
        ]
        yield urljoin(url, str(form.get("action") or "")), fields


def answered(client: Client, url: str, sent: Any = None) -> Any:
    """The answer, read to its end; what it did is undone, a statement that PostgreSQL refused too."""
    with transaction.atomic():
        answer: Any = client.get(url) if sent is None else client.post(url, sent)
        if answer.streaming:
            list(answer)
        transaction.set_rollback(True)
    return answer


def page_in(answer: Any) -> BeautifulSoup:
    return BeautifulSoup(answer.content if "html" in answer.get("Content-Type", "") else b"", "lxml")


def test_no_parameter_and_no_field_breaks_a_page(desk: Desk, client: Client) -> None:
    broken, posted = [], {}
    for url in pages_of(layer(desk, "tides", "public")):
        path, others = urlsplit(url).path, parse_qsl(urlsplit(url).query)
        page = page_in(answered(client, url))
        posted |= {resolve(urlsplit(to).path).view_name: (to, fields) for to, fields in forms(url, page) if fields}
        for name, value in [*((name, LONG) for name in parameters(path, page)), ("q", NUL)]:
            query = urlencode([*((other, kept) for other, kept in others if other != name), (name, value)])
            answer = answered(client, f"{path}?{query}")
            if answer.status_code == 500 or (value == NUL and answer.status_code == 200):
                broken.append(f"{path}?{name}={value[:40]}")
    for to, fields in posted.values():
        tried = [(name, LONG) for name, _, is_written in fields if not is_written]
        for name, value in dict.fromkeys([*tried, (fields[-1][0], NUL)]):
            sent: dict[str, list[str]] = {}
            for one, kept, _ in fields:
                sent.setdefault(one, []).append(value if one == name else kept)
            answer = answered(client, to, sent)
            if answer.status_code == 500 or (value == NUL and answer.status_code != 400):
                broken.append(f"{to} {name}={value[:40]}: {answer.status_code}")
    assert "\n".join(broken) == ""


def test_no_key_breaks_an_address(desk: Desk, client: Client) -> None:
    keys = {"int": LONG, "uuid": "00000000-0000-4000-8000-000000000000"}
    paths = {re.sub("<(.+?):.+?>", lambda key: keys[key[1]], path) for path in addresses() if "/admin/" not in path}
    tried = [path for path in paths if LONG in path]
    assert len(tried) > 15
    broken = [path for path in tried for sent in (None, {}) if answered(client, path, sent).status_code == 500]
    assert broken == []


def test_nothing_breaks_the_lists_of_operators(db: Any) -> None:
    client = page_client(UserFactory(is_staff=True, is_superuser=True))
    client.raise_request_exception = False
    for path in ("/admin/sources/source/", "/admin/accounts/user/", "/admin/lineage/entity/", "/admin/jobs/job/"):
        for damaged in (f"?p={LONG}", f"?q={LONG}", "?q=%00", f"{LONG}/change/", "a%00b/change/"):
            answer = answered(client, path + damaged)
            assert answer.status_code in ((400,) if "%00" in damaged else (200, 302)), path + damaged


@pytest.mark.parametrize(
    "headers",
    [
        {"HTTP_COOKIE": r'desk_session="abcdefghijklmnop\000"'},
        {"HTTP_COOKIE": r'desk_csrf="\000"; desk_session=a' + "\x00"},
        {"CONTENT_TYPE": "text/plain; charset=hex"},
        {"CONTENT_TYPE": "text/plain; charset=unicode_escape"},
        {"CONTENT_TYPE": "application/x-www-form-urlencoded; charset=utf-7"},
        {"HTTP_AUTHORIZATION": "Bearer pd_\x00"},
        {"HTTP_HX_REQUEST": "true", "HTTP_HX_CURRENT_URL": "http://testserver/%00?q=%00", "HTTP_HX_TARGET": "\x00"},
        {"HTTP_X_FORWARDED_FOR": "a\x00b, 1.2.3.4", "HTTP_USER_AGENT": "\x00", "HTTP_REFERER": "\x00"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/sources/", "/accounts/sign-in/", "/api/v1/observations"])
def test_no_header_breaks_a_request(whole_server: None, headers: dict[str, str], path: str) -> None:
    told: list[str] = []
    for environ in (
        RequestFactory().get(rf"{path}?q=\ud800+2AA-&next=\ud800+2AA-").environ,
        RequestFactory().post(path, {"username": r"\ud800+2AA-", "password": "a"}).environ,
    ):
        application({**environ, **headers}, lambda status, _: told.append(status))
    assert len(told) == 2
    assert not [status for status in told if status.startswith("5")]


def test_a_damaged_form_or_address_is_told_with_its_place(desk: Desk) -> None:
    curator = desk.client()
    with CaptureQueriesContext(connection) as queries:
        answer = curator.get("/sources/", {"q": "a\x00b"})
    assert answer.status_code == 400
    assert "The parameter “q” holds a NUL character" in answer.content.decode()
    assert not [one for one in queries.captured_queries if "sources_" in one["sql"]]
    answer = curator.post("/projects/new/", {"name": "a\nb\x00c"})
    assert "The field “name”, in line 2, holds a NUL character" in answer.content.decode()
    assert not Project.objects.exists()
    # Strangers are told nothing but to sign in.
    assert Client().get("/sources/?q=%00").status_code == 302
