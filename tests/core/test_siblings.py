"""Made-up neighbours of an address, when they are asked for, and when two pages are one."""

from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.findings import Cause
from tests.pages import TITLE, URL, answer, html, prose
from validation.core.classify import Claimed, classify
from validation.core.fetching import Failure, Page
from validation.core.siblings import directory_of, is_same_page, is_worth_asking, likeness_of, made_up_neighbour

TOKEN = "0f3a9b2c"


@pytest.mark.parametrize(
    ("url", "neighbour"),
    [
        (URL, "https://gazette.press/2024/0f3a9b2c"),
        ("https://a.org/x/report.html?y=1", "https://a.org/x/0f3a9b2c.html"),
        ("https://a.org/x/y/", "https://a.org/x/0f3a9b2c/"),
        ("http://a.org:8080/x", "http://a.org:8080/0f3a9b2c"),
        ("https://a.org/v1.2.3-final", "https://a.org/0f3a9b2c"),
    ],
)
def test_a_neighbour_lies_in_the_same_directory_and_is_of_the_same_kind(url: str, neighbour: str) -> None:
    assert made_up_neighbour(url, TOKEN) == neighbour


@settings(max_examples=60, deadline=None)
@given(st.lists(st.from_regex(r"[a-z0-9.%-]{1,8}", fullmatch=True), min_size=1, max_size=5), st.booleans())
def test_neighbours_share_their_directory(parts: list[str], slash: bool) -> None:
    url = "https://gazette.press/" + "/".join(parts) + ("/" if slash else "")
    neighbour = made_up_neighbour(url, TOKEN)
    assert urlsplit(neighbour).netloc == "gazette.press"
    assert urlsplit(neighbour).path.count("/") == urlsplit(url).path.count("/")
    assert directory_of(neighbour) == directory_of(url)


def worth(page: Page, title: str = TITLE) -> bool:
    return is_worth_asking(page, classify(page, Claimed(title=title)))


def test_it_is_asked_where_it_can_change_the_verdict() -> None:
    assert worth(answer(html("Seventeen recipes for winter soups and stews", prose(300))))
    assert worth(answer(html(main=prose(80))))
    assert worth(answer(html(main="<p>Some words.</p>")))
    assert worth(answer(html("The Gazette", prose(300))), title="")


@pytest.mark.parametrize(
    "page",
    [
        answer(html(main=prose(300))),
        answer(html("Seventeen recipes for winter soups and stews", prose(300)), url="https://gazette.press/"),
        answer(html("Seventeen recipes for winter soups and stews", prose(300)), url="https://doi.org/10.1000/1"),
        answer(html("Seventeen recipes for winter soups and stews", prose(300)), url="https://bit.ly/3abc"),
        answer(html(main="<p>No.</p>"), 404),
        answer(html(main="<p>No.</p>"), 403),
        answer(html("Page not found", "<p>Sorry.</p>")),
        answer(b""),
        answer(b"<div id=root></div><script src=/app.js></script>"),
        answer(b"%PDF-1.7 ..."),
    ],
)
def test_it_is_not_asked_where_it_cannot(page: Page) -> None:
    assert not worth(page)


def test_a_failure_has_no_likeness() -> None:
    assert likeness_of(Failure(URL, Cause.DEADLINE)) is None
    assert likeness_of(answer(b"ok")) is None
    assert likeness_of(answer(html(main=prose(60)), 404)) is None


def same(one: bytes, other: bytes) -> bool:
    mine, theirs = likeness_of(answer(one)), likeness_of(answer(other))
    assert mine is not None
    assert theirs is not None
    return is_same_page(mine, theirs)


def test_the_same_page_is_the_same_although_a_word_changes() -> None:
    front = html("The Gazette", prose(200))
    assert same(front, front)
    assert same(front, html("The Gazette", prose(200) + "<p>It is 10:24 now.</p>"))


def test_other_text_or_another_title_is_another_page() -> None:
    front = html("The Gazette", prose(200))
    assert not same(front, html("The Gazette", prose(200) + "<p>A whole new paragraph stands here today.</p>" * 8))
    assert not same(front, html("The Gazette | Harbour", prose(200)))


def test_a_large_menu_does_not_make_two_pages_one() -> None:
    menu = "<nav>" + "".join(f"<a href=/{number}>Section number {number}</a> " for number in range(400)) + "</nav>"
    one = html("The Gazette", "<p>" + "boats came in " * 30 + "</p>", around=menu)
    other = html("The Gazette", "<p>" + "trains went out " * 30 + "</p>", around=menu)
    assert not same(one, other)


def test_a_page_is_like_itself_after_a_redirect() -> None:
    page = answer(html("The Gazette", prose(200)))
    assert likeness_of(page) == likeness_of(replace(page, final_url="https://gazette.press/start"))
