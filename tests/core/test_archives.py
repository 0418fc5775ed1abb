"""What an archive's address names, and when a capture shows only an error."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.pages import html, prose
from validation.core.archives import archived_url, captured_error
from validation.core.reading import read_body

CAPTURE = "https://web.archive.org/web/20240102030405/https://gazette.press/harbour"
TEXT = read_body(html(main=prose(80)), {})


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        (CAPTURE, "https://gazette.press/harbour"),
        ("http://web.archive.org/web/2020/http://a.org/b?c=d", "http://a.org/b?c=d"),
        ("https://web.archive.org/web/20200101000000id_/http:/a.org/b", "http://a.org/b"),
        ("https://web.archive.org/web/2020*/http://a.org/", ""),
        ("https://arquivo.pt/wayback/20100101000000/http://a.pt/", "http://a.pt/"),
        ("https://web.archive.org/web/*/http://a.org/", "http://a.org/"),
        ("https://web.archive.org/", ""),
        ("https://gazette.press/web/2020/http://a.org/b", ""),
        ("not an address", ""),
        ("http://[", ""),
    ],
)
def test_the_captured_address_is_read_from_the_archives(url: str, inside: str) -> None:
    assert archived_url(url) == inside


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("404", Verdict.HARD_404),
        ("HTTP/1.1 410 Gone", Verdict.HARD_404),
        ("500 Internal Server Error", Verdict.FETCH_FAILED),
        ("403", Verdict.FETCH_FAILED),
    ],
)
def test_a_captured_error_is_told_by_its_header(said: str, verdict: Verdict) -> None:
    ruling = captured_error(CAPTURE, {"x-archive-orig-status": said}, TEXT)
    assert ruling is not None
    assert (ruling.verdict, ruling.cause) == (verdict, Cause.ARCHIVED_ERROR)


@pytest.mark.parametrize("headers", [{}, {"x-archive-orig-status": "200 OK"}, {"x-archive-orig-status": "unknown"}])
def test_any_other_capture_is_left_to_the_other_rules(headers: dict[str, str]) -> None:
    assert captured_error(CAPTURE, headers, TEXT) is None
    assert captured_error("https://gazette.press/x", {"x-archive-orig-status": "404"}, TEXT) is None
