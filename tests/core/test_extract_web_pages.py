"""Saved pages and bookmark files: links to other places, with their lines and headings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.extract import extract
from tests.growth import assert_linear

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3>Harbours</H3>
    <DL><p>
        <DT><A HREF="https://gazette.org/survey?a=1&amp;b=2" ADD_DATE="1">Harbour survey 2024</A>
        <DT><A HREF="javascript:void(0)">A bookmarklet</A>
        <DT><A HREF="https://doi.org/10.1016/j.harbour.2024.01.001">Tides</A>
    </DL><p>
</DL><p>
"""

PAGE = """<!doctype html>
<html><head><title>Reading list</title></head><body>
<nav><a href="/about">About</a> <a href="#top">Top</a> <a href="mailto:a@b.org">Mail</a></nav>
<h2>Ferries</h2>
<p>See <a
  href='https://observer.org/ferries'>Night ferries</a> and
<a href="https://user:hunter2@observer.org/private">a private page</a>,
<a href="ftp://observer.org/old">an old one</a>.</p>
</body></html>
"""


def test_bookmarks_become_references_with_titles_folders_and_lines() -> None:
    found = extract(BOOKMARKS)
    assert [(one.line, one.title, one.section) for one in found.references] == [
        (7, "Harbour survey 2024", "Harbours"),
        (9, "Tides", "Harbours"),
    ]
    assert found.references[0].identity.request_url == "https://gazette.org/survey?a=1&b=2"
    assert found.references[1].identity.type == "doi"


def test_an_address_that_comes_again_stands_in_its_own_line() -> None:
    page = "<html><body>\n<a href='https://a.example/1'>One</a>\n<p>And</p>\n<a href='https://a.example/1'>Two</a>\n"
    assert [(one.line, one.title) for one in extract(page).references] == [(2, "One"), (4, "Two")]


def test_links_within_the_site_are_no_references_and_unusable_ones_are_errors_with_their_line() -> None:
    found = extract(PAGE)
    assert [one.line for one in found.references] == [6, 7]
    assert [(error.line, error.spelling) for error in found.errors] == [(8, "ftp://observer.org/old")]
    assert "hunter2" not in repr(found)


def test_a_page_without_links_elsewhere_says_so() -> None:
    found = extract("<!doctype html><html><body><p>Only words.</p></body></html>")
    assert not found.references
    assert len(found.errors) == 1


def test_a_list_that_shows_a_tag_is_still_a_list() -> None:
    assert len(extract("https://gazette.org/a\n<https://gazette.org/b>\n").references) == 2


@pytest.mark.parametrize(
    "body", ["<a href='https://a.org/x", "<a href=https://a.org/1>", "<!--", "<div>", "<h1>", "<![CDATA["]
)
def test_hostile_markup_is_read_in_linear_time(body: str) -> None:
    assert_linear(extract, body, 200_000, before="<html>")


@settings(max_examples=60, deadline=None)
@given(body=st.text(alphabet="<>/a =\"'hrefttps:.org\n&;!-", max_size=300))
def test_no_page_breaks_the_reader_and_lines_lie_within_it(body: str) -> None:
    text = "<html>" + body
    found = extract(text)
    lines = text.count("\n") + 1
    assert all(1 <= one.line <= lines for one in (*found.references, *found.errors))
