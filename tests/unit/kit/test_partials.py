"""A view answers with the page or with its fragment, and tells the page what to say and where to go."""

import json

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.test.utils import override_settings

from provenance_site.kit import partials

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.locmem.Loader",
                    {"page.html": "page of {{ n }}", "_part.html": "part of {{ n }}"},
                )
            ]
        },
    }
]


@pytest.fixture(autouse=True)
def _own_templates() -> object:
    with override_settings(TEMPLATES=TEMPLATES):
        yield


HTMX = {"HX-Request": "true"}


def answer(headers: dict[str, str] | None = None, *, partial: str = "_part.html", status: int = 200) -> HttpResponse:
    request = RequestFactory().get("/", headers=headers)
    return partials.render_page(request, "page.html", {"n": 7}, partial=partial, status=status)


def test_a_person_gets_the_whole_page() -> None:
    assert answer().content == b"page of 7"


def test_htmx_gets_the_fragment() -> None:
    assert answer(HTMX).content == b"part of 7"


def test_htmx_gets_the_whole_page_where_the_view_names_no_fragment() -> None:
    assert answer(HTMX, partial="").content == b"page of 7"


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_htmx_gets_the_whole_page_where_it_replaces_the_whole_page(header: str) -> None:
    assert answer({**HTMX, header: "true"}).content == b"page of 7"


def test_a_cache_keeps_page_and_fragment_apart() -> None:
    assert "HX-Request" in answer()["Vary"]
    assert "HX-Request" in answer(HTMX)["Vary"]


def test_the_status_is_the_one_the_view_chose() -> None:
    assert answer(status=422).status_code == 422


def test_a_person_is_sent_on_by_a_redirect() -> None:
    response = partials.go_to(RequestFactory().get("/"), "/queue/")
    assert (response.status_code, response["Location"]) == (302, "/queue/")


def test_htmx_is_sent_on_by_a_header_that_it_cannot_follow_unseen() -> None:
    response = partials.go_to(RequestFactory().get("/", headers=HTMX), "/queue/")
    assert (response.status_code, response["HX-Redirect"]) == (200, "/queue/")


def test_three_events_travel_in_one_answer() -> None:
    response = partials.say(HttpResponse(), "Accepted. 36 left.")
    partials.refresh(partials.move_focus(response, "#card-h"), "recent", "left")
    assert json.loads(response["HX-Trigger-After-Settle"]) == {
        "ui:say": {"value": "Accepted. 36 left."},
        "ui:focus": {"value": "#card-h"},
        "ui:refresh": {"value": ["recent", "left"]},
    }
