"""What no database keeps, and numbers beyond any column, break no page: in addresses, in forms, in cookies."""

import inspect
from collections import Counter
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from provenance_site.accounts.roles import Role
from tests.clearance_pages import PAGES
from tests.damage import NUL
from tests.desk import Desk
from tests.layers import Layer, layer
from tests.screens.test_clearance import asked

pytestmark = pytest.mark.django_db

_READ = re.compile(r"""GET(?:\.get(?:list)?\(|\[)\s*["'](\w+)["']""")
LONG = "9" * 30


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def client(desk: Desk) -> Client:
    client = desk.client(Role.ADMIN)
    client.raise_request_exception = False
    return client


def addresses() -> Iterator[str]:
    """Every address of the product that is no operation of the JSON interface, as the resolver writes it."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if path.startswith(("api/", "static/")) or "(?P" in path:
                continue
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield "/" + path

    yield from walk(get_resolver().url_patterns, "")


def pages_of(seen: Layer) -> list[str]:
    """One address of each page: those of clearance, and every one without a key (with a ref, which lineage asks for)."""
    ref = quote(seen.sources[0].entity.ref, safe="")  # type: ignore[union-attr]
    urls = [f"{path}?ref={ref}" for path in addresses() if "<" not in path] + asked(PAGES, seen)
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
        names |= {str(one["name"]) for one in form.select("[name]")}
    return names | {"page"}


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
    num = Counter()
    for url in pages_of(layer(desk, "tides", "public")):
        path, others = urlsplit(url).path, parse_qsl(urlsplit(url).query)
        page = page_in(answered(client, url))
        posted |= {resolve(urlsplit(to).path).view_name: (to, fields) for to, fields in forms(url, page) if fields}
        for name, value in [*((name, LONG) for name in parameters(path, page)), ("page", LONG * 200), ("q", NUL)]:
            query = urlencode([*((other, kept) for other, kept in others if other != name), (name, value)])
            answer = answered(client, f"{path}?{query}")
            num["get"] += 1
            if answer.status_code == 500 or (value == NUL and answer.status_code == 200):
                broken.append(f"{path}?{name}={value[:40]}")
    for to, fields in posted.values():
        tried = [(name, LONG) for name, _, is_written in fields if not is_written]
        for name, value in dict.fromkeys([*tried, (fields[-1][0], NUL)]):
            sent: dict[str, list[str]] = {}
            for one, kept, _ in fields:
                sent.setdefault(one, []).append(value if one == name else kept)
            answer = answered(client, to, sent)
            num["post"] += 1
            if answer.status_code == 500 or (value == NUL and answer.status_code != 400):
                broken.append(f"{to} {name}={value[:40]}: {answer.status_code}")
    print(num, len(posted))
    assert "\n".join(broken) == ""


def test_no_key_breaks_an_address(desk: Desk, client: Client) -> None:
    keys = {"int": LONG, "uuid": "00000000-0000-4000-8000-000000000000", "path": "a%00b", "str": "a%00b"}
    paths = {re.sub("<(?:(.+?):)?.+?>", lambda found: keys[found[1] or "str"], path) for path in addresses()}
    tried = [path for path in paths if LONG in path or "%00" in path]
    assert len(tried) > 20
    broken = [path for path in tried for sent in (None, {}) if answered(client, path, sent).status_code == 500]
    assert broken == []
