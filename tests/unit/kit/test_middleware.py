"""Private pages stay out of caches; htmx without a session leads the whole page to the sign-in."""

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.test import RequestFactory

from provenance_site.kit.middleware import PRIVATE, PrivatePagesMiddleware

SESSION = {settings.SESSION_COOKIE_NAME: "x"}
HTMX = {"HX-Request": "true"}


def answer(response: HttpResponse, *, cookies: dict[str, str] | None = None, **headers: str) -> HttpResponse:
    """What becomes of a view's `response`."""
    request = RequestFactory(headers=headers).get("/s/1/")
    request.COOKIES = cookies or {}

    def view(inner: HttpRequest) -> HttpResponse:
        return response

    passed = PrivatePagesMiddleware(view)(request)
    assert isinstance(passed, HttpResponse)
    return passed


def test_an_answer_to_a_session_is_kept_nowhere() -> None:
    assert answer(HttpResponse(), cookies=SESSION)["Cache-Control"] == PRIVATE


def test_an_answer_to_a_token_is_kept_nowhere() -> None:
    assert answer(HttpResponse(), Authorization="Bearer pd_x")["Cache-Control"] == PRIVATE


def test_an_answer_to_nobody_in_particular_is_left_alone() -> None:
    assert not answer(HttpResponse(), cookies={"desk_theme": "dark"}).has_header("Cache-Control")


def test_a_view_that_says_how_long_it_may_be_kept_is_believed() -> None:
    public = HttpResponse(headers={"Cache-Control": "public, max-age=60"})
    assert answer(public, cookies=SESSION)["Cache-Control"] == "public, max-age=60"


def to_sign_in() -> HttpResponse:
    return HttpResponseRedirect(f"{resolve_url(settings.LOGIN_URL)}?next=/runs/1/progress/")


@pytest.mark.parametrize(
    ("page", "next_page"),
    [
        ("http://testserver/runs/1/?a=b&c=d", "?next=%2Fruns%2F1%2F%3Fa%3Db%26c%3Dd"),
        ("http://evil.example/runs/1/", ""),
        ("//evil.example/", ""),
        ("javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_htmx_goes_to_the_sign_in_as_a_whole_page_and_comes_back_to_a_page_of_ours(page: str, next_page: str) -> None:
    found = answer(to_sign_in(), **HTMX, **{"HX-Current-URL": page})
    assert (found.status_code, found.content) == (204, b"")
    assert found["HX-Redirect"] == resolve_url(settings.LOGIN_URL) + next_page
    assert not found.has_header("Location")


def test_a_person_without_htmx_is_redirected_as_always() -> None:
    assert answer(to_sign_in()).status_code == 302


def test_other_redirects_of_htmx_are_left_to_their_views() -> None:
    assert answer(HttpResponseRedirect("/p/1/"), **HTMX).status_code == 302
