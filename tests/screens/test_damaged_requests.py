"""What no database keeps, and numbers beyond any column, break no page: in addresses, in forms, in cookies."""

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

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


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def other_addresses() -> Iterator[str]:
    """Pages without a key in their address, of lineage, of people and of the admin site."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if "<" in path or "^" in path or path.startswith(("api/", "static/")):
                continue
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield "/" + path

    yield from walk(get_resolver().url_patterns, "")


def parameters(path: str, page: BeautifulSoup) -> set[str]:
    """The names that a page reads by its module, and that its own links and forms send."""
    view = inspect.unwrap(resolve(path).func)
    names = set(_READ.findall(inspect.getsource(inspect.getmodule(view) or inspect)))
    for link in page.select("a[href]"):
        to = urlsplit(str(link["href"]))
        if to.path in ("", path):
            names |= {name for name, _ in parse_qsl(to.query)}
    for form in page.select("form[method=get], form:not([method])"):
        names |= {str(one["name"]) for one in form.select("[name]")}
    return names | {"page"}


def test_no_parameter_breaks_a_page(desk: Desk, client: Client) -> None:
    seen = layer(desk, "tides", "public")
    ref = seen.sources[0].entity.ref  # type: ignore[union-attr]
    urls = [f"{path}?ref={quote(ref, safe='')}" for path in other_addresses()] + asked(PAGES, seen)
    # A page is asked once for each of its parameters, whatever its addresses.
    pages = {resolve(urlsplit(url).path).view_name: url for url in reversed(urls)}
    broken, number = [], 0
    for url in pages.values():
        path, others = urlsplit(url).path, parse_qsl(urlsplit(url).query)
        answer = answered(client, url)
        page = BeautifulSoup(answer.content if "html" in answer.get("Content-Type", "") else b"", "lxml")
        for name, value in [*((name, LONG) for name in parameters(path, page)), ("page", LONG * 200), ("q", NUL)]:
            query = urlencode([*((other, kept) for other, kept in others if other != name), (name, value)])
            answer = answered(client, f"{path}?{query}")
            number += 1
            if answer.status_code == 500 or (value == NUL and answer.status_code == 200):
                broken.append(f"{path}?{name}={value[:40]}: {getattr(answer,'exc_info','')}")
    print(number)
    assert "\n".join(broken) == ""


def answered(client: Client, url: str) -> Any:
    """The answer, read to its end; what it did is undone, a statement that PostgreSQL refused too."""
    with transaction.atomic():
        answer: Any = client.get(url)
        if answer.streaming:
            list(answer)
        transaction.set_rollback(True)
    return answer
