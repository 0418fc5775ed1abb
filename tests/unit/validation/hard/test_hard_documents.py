"""Documents and archives: known by their bytes, whatever the server calls them; a capture proves what it shows."""

import gzip
import io
import zipfile
from collections.abc import Mapping

import pytest

from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, TITLE, Told, article, by_path, found, page, told
from tests.fakes.loopback import head, redirect, reply
from tests.fakes.providers import FakeSearch
from tests.pages import html, prose

ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)


def pdf(title: str = TITLE, *, before: bytes = b"", size: int = 4_000) -> bytes:
    """A small PDF with a title in plain sight; `before` stands ahead of its mark."""
    info = f"1 0 obj\n<< /Title ({title}) /Producer (test) >>\nendobj\n".encode("cp1252")
    return before + b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + info + b"2 0 obj\n<<>>\nendobj\n".ljust(size) + b"\n%%EOF\n"


def office(folder: str) -> bytes:
    """A zip file as office programs write them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(f"{folder}/document.xml", "<document/>" * 50)
    return packed.getvalue()


DOCUMENTS = {
    "38-octet-stream": reply(pdf(), "Content-Type: application/octet-stream"),
    "called-pdf": reply(pdf(), "Content-Type: application/pdf"),
    "called-html": reply(pdf(), AS_HTML),
    "called-text": reply(pdf(), "Content-Type: text/plain; charset=utf-8"),
    "called-nothing": reply(pdf()),
    "called-download": reply(pdf(), "Content-Type: application/force-download", "Content-Disposition: attachment"),
    "rubbish-before-the-mark": reply(pdf(before=b"\r\n\0\0 rubbish "), "Content-Type: application/pdf"),
    "byte-order-mark": reply(pdf(before=b"\xef\xbb\xbf"), "Content-Type: application/pdf"),
    "gzipped": reply(gzip.compress(pdf()), "Content-Type: application/pdf", "Content-Encoding: gzip"),
    "http-1.0": b"HTTP/1.0 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + pdf(),
    "postscript": reply(
        b"%!PS-Adobe-3.0\n%%Title: x\n" + b"0 0 moveto\n" * 200, "Content-Type: application/postscript"
    ),
    "rich-text": reply(b"{\\rtf1\\ansi " + b"Harbour survey. " * 60 + b"}", "Content-Type: application/rtf"),
    "word": reply(office("word"), "Content-Type: application/octet-stream"),
    "spreadsheet": reply(office("xl"), "Content-Type: application/zip"),
}


@pytest.mark.parametrize("answer", DOCUMENTS.values(), ids=DOCUMENTS)
def test_38_a_document_is_known_by_its_bytes(answer: bytes) -> None:
    assert told(by_path({}, otherwise=answer)).said == ACCESSIBLE


def test_38_the_title_in_a_pdf_is_compared() -> None:
    other = reply(pdf("Macroscopic quantum tunnelling in superconducting loops"), "Content-Type: application/pdf")
    seen = told(other, title="Ten simple rules for reproducible research")
    assert seen.said == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)


def test_a_pdf_longer_than_the_cap_is_judged_by_its_beginning() -> None:
    seen = told(
        reply(pdf(size=900_000), "Content-Type: application/pdf"), limits={"max_raw": 100_000, "max_document": 100_000}
    )
    assert seen.said == ACCESSIBLE
    assert "truncated" in seen.signals


def test_a_pdf_that_breaks_off_is_a_hang_up_with_its_title_as_evidence() -> None:
    seen = told(reply(pdf(), "Content-Type: application/pdf", length=90_000))
    assert seen.said == (Verdict.FETCH_FAILED, Cause.HANG_UP)
    assert seen.evidence.title_found == TITLE


def test_a_pdf_that_is_really_an_error_page_is_read_as_a_page() -> None:
    body = html("Page not found", "<p>Sorry, that file is not here.</p>")
    seen = told(reply(body, "Content-Type: application/pdf"), paths=["/report.pdf"])
    assert seen.said == (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)


def test_an_html_page_under_a_pdf_address_is_a_page() -> None:
    assert told(found(), paths=["/report.pdf"]).said == ACCESSIBLE


CSV = b"port,year,boats\n" + b"north,2024,17\n" * 60
NUMBERS = b'{"port": "north", "boats": [' + b"17, " * 90 + b"0]}"
PLAIN = b"Harbour survey results 2024\n\n" + b"The boats were counted again. " * 60
OTHER_FILES = {
    "csv": (reply(CSV, "Content-Type: text/csv"), Verdict.VERIFIED_ACCESSIBLE),
    "json": (reply(NUMBERS, "Content-Type: application/json"), Verdict.VERIFIED_ACCESSIBLE),
    "text": (reply(PLAIN, "Content-Type: text/plain"), Verdict.VERIFIED_ACCESSIBLE),
    "image": (reply(b"\x89PNG\r\n\x1a\n" + b"\0" * 900, "Content-Type: image/png"), Verdict.THIN),
    "image-called-html": (reply(b"\xff\xd8\xff\xe0" + b"\0" * 900, AS_HTML), Verdict.THIN),
    "unknown-bytes": (reply(bytes(range(256)) * 8, "Content-Type: application/octet-stream"), Verdict.THIN),
    "video": (reply(b"\0\0\0\x20ftypisom" + b"\0" * 900, "Content-Type: video/mp4"), Verdict.THIN),
}


@pytest.mark.parametrize(("answer", "verdict"), OTHER_FILES.values(), ids=OTHER_FILES)
def test_a_file_that_is_no_page_is_judged_for_what_it_is(answer: bytes, verdict: Verdict) -> None:
    assert told(answer, title="").said[0] is verdict


# -- web archives ------------------------------------------------------------------------------------------------------

CAPTURE = "/web/20240102030405/http://gazette.press/2024/harbour-survey"


def archived(answer: bytes, *, path: str = CAPTURE, also: Mapping[str, bytes] | None = None) -> Told:
    """A cited capture for which the archive gives `answer`; `also` are its answers for other captures."""
    return told(by_path({path: answer, **(also or {})}), host="web.archive.org", paths=[path])


def test_55_a_capture_of_the_article_is_the_article() -> None:
    assert archived(found()).said == ACCESSIBLE


@pytest.mark.parametrize("status", ["404", "404 Not Found", "HTTP/1.1 404 Not Found", "410 Gone"])
def test_55_a_capture_of_a_404_is_dead_by_its_header(status: str) -> None:
    seen = archived(page(article(), f"x-archive-orig-status: {status}"))
    assert seen.said == (Verdict.HARD_404, Cause.ARCHIVED_ERROR)


@pytest.mark.parametrize("status", ["200", "200 OK", "301 Moved"])
def test_55_a_capture_of_a_found_page_is_judged_by_its_text(status: str) -> None:
    assert archived(page(article(), f"x-archive-orig-status: {status}")).said == ACCESSIBLE


@pytest.mark.parametrize("status", ["403 Forbidden", "503 Service Unavailable", "429 Too Many Requests"])
def test_55_a_capture_of_a_refusal_proves_nothing(status: str) -> None:
    seen = archived(page(html("Sorry", prose(60)), f"x-archive-orig-status: {status}"))
    assert seen.said == (Verdict.FETCH_FAILED, Cause.ARCHIVED_ERROR)


def test_55_a_capture_of_a_404_is_dead_by_its_notice() -> None:
    body = html("Wayback Machine", "<p>Got an HTTP 404 response at crawl time</p><p>Redirecting to...</p>")
    assert archived(page(body)).said == (Verdict.HARD_404, Cause.ARCHIVED_ERROR)


def test_55_a_capture_of_a_page_that_says_not_found_is_gone() -> None:
    body = html("Page not found | Gazette", "<p>We could not find that page.</p>")
    assert archived(page(body)).said == (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)


def test_55_a_capture_of_an_empty_shell_is_thin() -> None:
    body = (
        b"<html><head><title>Harbour survey results 2024</title></head><div id=root></div><script src=/a.js></script>"
    )
    assert archived(page(body)).said == (Verdict.THIN, Cause.JS_SHELL)


@pytest.mark.parametrize("status", ["404 Not Found", "200 OK"])
def test_55_a_capture_of_an_error_or_a_shell_recovers_nothing(status: str) -> None:
    shell = (
        b"<html><head><title>Harbour survey results 2024</title></head><div id=root></div><script src=/a.js></script>"
    )
    search = FakeSearch([(f"http://web.archive.org:{{port}}{CAPTURE}", TITLE)])
    pages = {CAPTURE: page(shell, f"x-archive-orig-status: {status}")}
    seen = told(by_path(pages), search=search, also_hosts=["web.archive.org"])
    assert seen.said == (Verdict.HARD_404, Cause.NOT_FOUND)


def test_55_an_archive_without_a_capture_is_a_404() -> None:
    body = html("Wayback Machine", "<p>The Wayback Machine has not archived that URL.</p>")
    assert archived(page(body, status="404 Not Found")).said == (Verdict.HARD_404, Cause.NOT_FOUND)


def test_a_capture_that_leads_to_the_next_date_is_the_same_page() -> None:
    later = CAPTURE.replace("20240102030405", "20240605040302")
    assert archived(redirect(later), also={later: found()}).said == ACCESSIBLE


def test_a_capture_that_leads_to_the_captured_front_page_is_gone() -> None:
    front = "/web/20240605040302/http://gazette.press/"
    seen = archived(redirect(front), also={front: page(html("The Gazette", prose(300), heading="Headlines"))})
    assert seen.said == (Verdict.SOFT_404_GRACEFUL, Cause.REDIRECT_TO_ROOT)


def test_a_capture_is_asked_for_with_the_users_bytes() -> None:
    path = "/web/2020id_/http://gazette.press/a?utm_source=b&x=%2F"
    seen = archived(found(), path=path)
    assert seen.said == ACCESSIBLE
    assert seen.targets == [path]


def test_no_made_up_address_is_asked_of_an_archive() -> None:
    seen = archived(page(article("Seventeen recipes for winter soups and stews")))
    assert seen.said == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)
    assert len(seen.requests) == 1


def test_the_same_header_from_anywhere_else_means_nothing() -> None:
    assert told(page(article(), "x-archive-orig-status: 404")).said == ACCESSIBLE


def test_a_document_in_chunks_without_an_end_is_cut_at_the_cap() -> None:
    def answer(_: object) -> list[bytes]:
        block = f"{len(pdf()):x}\r\n".encode() + pdf() + b"\r\n"
        return [head("HTTP/1.1 200 OK", "Content-Type: application/pdf", "Transfer-Encoding: chunked"), *[block] * 60]

    assert told(answer, limits={"max_raw": 100_000, "max_document": 100_000}).said == ACCESSIBLE
