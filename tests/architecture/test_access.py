"""Every address needs a login unless it is listed here; nothing answers a stranger by forgetting to ask.

No test here may touch the database: a stranger is turned away before anything is looked up.
"""

import re
from collections.abc import Iterator
from http import HTTPStatus

import pytest
from django.conf import settings
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern
from django.utils.regex_helper import normalize

from tests.desk import HTMX

# Route names (with namespace) that answer anyone, and why.
OPEN_TO_ANYONE: dict[str, str] = {
    "login": "one signs in there",
    "logout": "ends a session that there may not be any more",
    "notice-feed": "a feed reader has no session; the key in the address says who asks",
    "favicon": "browsers ask for it on the sign-in page",
    "healthz": "asked by the machine that runs the process",
    "readyz": "asked by the machine that runs the process",
    "admin:login": "one signs in there",
}

_SAMPLES = {
    "int": "999999",
    "uuid": "0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11",
    "slug": "none",
    "str": "none",
    "path": "none",
}
_PLACEHOLDER = re.compile(r"<(?:(?P<converter>\w+):)?\w+>")


def _addresses() -> Iterator[tuple[str, str]]:
    """(route name with namespace, a path of that route) of everything the resolver knows."""
    yield from _below(get_resolver().url_patterns, "/", "")


def _below(patterns: list[URLPattern | URLResolver], prefix: str, namespace: str) -> Iterator[tuple[str, str]]:
    for entry in patterns:
        path = prefix + _example(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _below(entry.url_patterns, path, inner)
        else:
            yield f"{namespace}{entry.name or entry.lookup_str}", path


def _example(pattern: object) -> str:
    match pattern:
        case RoutePattern():
            return _PLACEHOLDER.sub(lambda found: _SAMPLES.get(found["converter"] or "str", "1"), str(pattern))
        case RegexPattern():
            form, names = normalize(str(pattern))[0]
            return form % dict.fromkeys(names, "none")
        case _:
            raise AssertionError(f"a kind of pattern that this test does not know: {pattern!r}")


ADDRESSES = sorted(set(_addresses()))
GUARDED = [(name, path) for name, path in ADDRESSES if name not in OPEN_TO_ANYONE]


def test_the_resolver_was_walked() -> None:
    names = {name for name, _ in ADDRESSES}
    assert {"home", "login", "admin:index"} <= names
    assert len(names) > 30


def test_what_is_open_to_anyone_exists() -> None:
    assert set(OPEN_TO_ANYONE) <= {name for name, _ in ADDRESSES}


@pytest.mark.parametrize(("name", "path"), GUARDED)
def test_a_stranger_is_turned_away(name: str, path: str) -> None:
    """By every method that the address knows; one that it does not know may be said (405) before anyone is asked."""
    answers = {method: getattr(Client(), method)(path) for method in ("get", "post", "put", "delete")}
    known = {
        method: answer for method, answer in answers.items() if answer.status_code != HTTPStatus.METHOD_NOT_ALLOWED
    }
    assert known, f"{name}: no method is known at {path}"
    assert [method for method, answer in known.items() if not _turned_away(answer)] == []


@pytest.mark.parametrize(("name", "path"), GUARDED)
def test_a_stranger_gets_no_fragment(name: str, path: str) -> None:
    answer = Client(headers=HTMX).get(path)
    away = _turned_away(answer) or answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert away, f"{name}: {path} answered a stranger's htmx with {answer.status_code}"


def _turned_away(answer: HttpResponseBase) -> bool:
    """A way to the login page, by redirect or by htmx's header, or a plain 401 or 403."""
    way = answer.headers.get("Location", answer.headers.get("HX-Redirect", ""))
    to_login = way.split("?")[0] in {resolve_url(settings.LOGIN_URL), "/admin/login/"}
    return (answer.status_code in {200, 204, 302} and to_login) or answer.status_code in {401, 403}
