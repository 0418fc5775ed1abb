"""Bodies that are mislabelled, mis-encoded, compressed oddly or cut off, from the wire to the verdict."""

import gzip
import zlib

import pytest

from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, PATH, article, by_path, told
from tests.fakes.loopback import head, reply
from tests.pages import html, prose

FAILED = Verdict.FETCH_FAILED
ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
BODY = article()


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return head("HTTP/1.1 200 OK", AS_HTML, "Transfer-Encoding: chunked") + b"".join(chunks) + end


def chunk(data: bytes, extension: str = "") -> bytes:
    return f"{len(data):x}{extension}\r\n".encode() + data + b"\r\n"


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


READABLE = {
    "http-1.0-until-the-connection-ends": b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY,
    "http-1.0-with-a-length": f"HTTP/1.0 200 OK\r\nContent-Length: {len(BODY)}\r\n\r\n".encode() + BODY,
    "http-1.1-without-a-length": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + BODY,
    "chunks": chunked(chunk(BODY[:100]), chunk(BODY[100:])),
    "chunks-of-one-byte": chunked(*(chunk(BODY[at : at + 1]) for at in range(len(BODY)))),
    "chunk-extensions": chunked(chunk(BODY, ";name=value")),
    "trailers": chunked(chunk(BODY), end=b"0\r\nX-Checksum: 7\r\n\r\n"),
    "gzip": reply(gzip.compress(BODY), AS_HTML, "Content-Encoding: gzip"),
    "x-gzip": reply(gzip.compress(BODY), AS_HTML, "Content-Encoding: x-gzip"),
    "upper-case-gzip": reply(gzip.compress(BODY), AS_HTML, "Content-Encoding: GZIP"),
    "zlib-deflate": reply(zlib.compress(BODY), AS_HTML, "Content-Encoding: deflate"),
    "raw-deflate": reply(raw_deflate(BODY), AS_HTML, "Content-Encoding: deflate"),
    "plain-called-gzip": reply(BODY, AS_HTML, "Content-Encoding: gzip"),
    "plain-called-identity": reply(BODY, AS_HTML, "Content-Encoding: identity"),
    "plain-called-utf-8": reply(BODY, AS_HTML, "Content-Encoding: UTF-8"),
    "two-gzip-members": reply(gzip.compress(BODY[:300]) + gzip.compress(BODY[300:]), AS_HTML, "Content-Encoding: gzip"),
    "gzip-with-rubbish-behind": reply(gzip.compress(BODY) + b"\0\0rubbish", AS_HTML, "Content-Encoding: gzip"),
    "gzip-without-its-end": reply(gzip.compress(BODY)[:-8], AS_HTML, "Content-Encoding: gzip"),
    "called-text-plain": reply(BODY, "Content-Type: text/plain"),
    "called-octet-stream": reply(BODY, "Content-Type: application/octet-stream"),
    "called-pdf": reply(BODY, "Content-Type: application/pdf"),
    "called-nothing": reply(BODY),
    "called-rubbish": reply(BODY, "Content-Type: ;;;=text"),
    "called-twice": reply(BODY, "Content-Type: text/html", "Content-Type: text/plain"),
    "called-xhtml": reply(BODY, "Content-Type: application/xhtml+xml"),
    "called-json": reply(BODY, "Content-Type: application/json"),
    "as-a-download": reply(BODY, AS_HTML, 'Content-Disposition: attachment; filename="x.html"'),
    "byte-order-mark": reply(b"\xef\xbb\xbf" + BODY, AS_HTML),
    "blank-lines-first": reply(b"\r\n" * 40 + BODY, AS_HTML),
    "comment-first": reply(b"<!-- " + b"x" * 3_000 + b" -->" + BODY, AS_HTML),
    "xml-declaration-first": reply(b'<?xml version="1.0" encoding="utf-8"?>' + BODY, AS_HTML),
    "zero-bytes-inside": reply(BODY.replace(b"<h1>", b"<h1>\0"), AS_HTML),
    "no-html-or-body-tag": reply(b"<title>Harbour survey results 2024</title>" + prose(200).encode(), AS_HTML),
}


@pytest.mark.parametrize("answer", READABLE.values(), ids=READABLE)
def test_a_body_that_a_browser_reads_is_read(answer: bytes) -> None:
    assert told(answer).said == ACCESSIBLE


LENGTH = f"Content-Length: {len(BODY)}"


def odd(*lines: str, body: bytes = BODY, end: str = "\r\n") -> bytes:
    return (end.join([*lines, "Connection: close", "", ""])).encode() + body


OK = "HTTP/1.1 200 OK"
ODD_HEADS = {
    "length-beside-chunks": odd(OK, LENGTH, "Transfer-Encoding: chunked", body=chunk(BODY) + b"0\r\n\r\n"),
    "length-twice": odd(OK, LENGTH, LENGTH),
    "length-listed-twice": odd(OK, f"{LENGTH}, {len(BODY)}"),
    "length-that-is-no-number": odd(OK, "Content-Length: many"),
    "length-below-nothing": odd(OK, "Content-Length: -1"),
    "bytes-behind-the-length": odd(OK, LENGTH, body=BODY + b"<p>more"),
    "line-without-a-colon": odd(OK, "Rubbish line", LENGTH),
    "blank-in-a-name": odd(OK, "X Harbour: 1", LENGTH),
    "blank-before-the-colon": odd(OK, f"Content-Length : {len(BODY)}"),
    "letters-beyond-ascii": odd(OK, "X-Größe: groß", "X-B: größe", LENGTH),
    "folded-line": odd(OK, "X-A: one", "  two", LENGTH),
    "zero-byte": odd(OK, "X-A: a\0b", LENGTH),
    "bare-line-ends": odd(OK, LENGTH, end="\n"),
    "lower-case-version": odd("http/1.1 200 ok", LENGTH),
    "two-blanks": odd("HTTP/1.1  200 OK", LENGTH),
    "version-2": odd("HTTP/2 200", LENGTH),
    "icy": odd("ICY 200 OK", LENGTH),
    "words-beyond-ascii": odd("HTTP/1.1 200 Größe", LENGTH),
    "three-hundred-headers": odd(OK, *(f"X-{number}: y" for number in range(300)), LENGTH),
    "a-header-of-60-kb": odd(OK, f"X-Long: {'y' * 60_000}", LENGTH),
    "rubbish-cookies": odd(OK, "Set-Cookie: ;;;=\x01", "Set-Cookie: ö=ü", LENGTH),
    "upgrade-offered": odd(OK, "Upgrade: h2c", LENGTH),
    "blank-line-first": b"\r\n" + odd(OK, LENGTH),
}


@pytest.mark.parametrize("answer", ODD_HEADS.values(), ids=ODD_HEADS)
def test_a_head_that_a_browser_understands_is_understood(answer: bytes) -> None:
    assert told(answer).said == ACCESSIBLE


BROKEN = {
    "two-lengths": (odd(OK, LENGTH, "Content-Length: 7"), Cause.UNDECODABLE),
    "four-digit-status": (odd("HTTP/1.1 2000 OK", LENGTH), Cause.UNDECODABLE),
    "length-too-large": (reply(BODY, AS_HTML, length=len(BODY) + 500), Cause.HANG_UP),
    "no-last-chunk": (chunked(chunk(BODY), end=b""), Cause.HANG_UP),
    "chunk-cut-in-two": (chunked(b"ffff\r\n" + BODY, end=b""), Cause.HANG_UP),
    "chunk-size-is-no-number": (chunked(b"zz\r\n" + BODY), Cause.UNDECODABLE),
    "nothing-at-all": (b"", Cause.HANG_UP),
    "half-a-status-line": (b"HTTP/1.1 200", Cause.HANG_UP),
    "half-a-head": (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", Cause.HANG_UP),
    "another-protocol": (b"220 mail.gazette.press ESMTP\r\n\r\n", Cause.UNDECODABLE),
    "html-without-a-head": (BODY, Cause.UNDECODABLE),
    "damaged-gzip": (
        reply(gzip.compress(BODY)[:60] + b"\xff" * 400, AS_HTML, "Content-Encoding: gzip"),
        Cause.UNDECODABLE,
    ),
    "gzip-twice": (
        reply(gzip.compress(gzip.compress(BODY)), AS_HTML, "Content-Encoding: gzip, gzip"),
        Cause.UNDECODABLE,
    ),
    "brotli-unasked": (reply(b"\x8b\x03\x80", AS_HTML, "Content-Encoding: br"), Cause.UNDECODABLE),
    "zstd-unasked": (reply(b"\x28\xb5\x2f\xfd", AS_HTML, "Content-Encoding: zstd"), Cause.UNDECODABLE),
}


@pytest.mark.parametrize(("answer", "cause"), BROKEN.values(), ids=BROKEN)
def test_a_body_that_nobody_can_read_is_a_failure_with_its_cause(answer: bytes, cause: Cause) -> None:
    seen = told(answer)
    assert seen.said == (FAILED, cause)
    assert seen.evidence.detail


POLISH = "Wyniki przeglądu portu w Gdańsku i Łebie"
FRENCH = "Résumé de l'été à la mer"
CHARSETS = {
    "40-latin-1-unsaid": (FRENCH, "latin-1", "text/html", ""),
    "latin-1-said-by-header": (FRENCH, "latin-1", "text/html; charset=ISO-8859-1", ""),
    "latin-1-said-by-meta": (FRENCH, "latin-1", "text/html", "<meta charset=iso-8859-1>"),
    "latin-1-called-utf-8": (FRENCH, "latin-1", "text/html; charset=utf-8", "<meta charset=utf-8>"),
    "utf-8-called-latin-1-by-meta-only": (FRENCH, "utf-8", "text/html; charset=utf-8", "<meta charset=latin1>"),
    "utf-8-unsaid": (FRENCH, "utf-8", "text/html", ""),
    "quoted-charset": (FRENCH, "cp1252", 'text/html; charset="windows-1252"', ""),
    "unknown-charset": (FRENCH, "utf-8", "text/html; charset=x-harbour", ""),
    "http-equiv": (
        FRENCH,
        "latin-1",
        "text/html",
        '<meta http-equiv=Content-Type content="text/html; charset=latin1">',
    ),
    "utf-16-with-mark": (FRENCH, "utf-16", "text/html", ""),
    "polish-by-header": (POLISH, "iso8859-2", "text/html; charset=iso-8859-2", ""),
    "russian-by-header": ("Итоги обследования гавани весной", "cp1251", "text/html; charset=windows-1251", ""),
    "russian-koi8": ("Итоги обследования гавани весной", "koi8-r", "text/html; charset=koi8-r", ""),
    "russian-by-language": ("Итоги обследования гавани весной", "cp1251", "text/html", ""),
    "japanese-shift-jis": ("港の調査結果と今後の計画", "cp932", "text/html; charset=Shift_JIS", ""),
    "japanese-euc": ("港の調査結果と今後の計画", "euc_jp", "text/html", "<meta charset=EUC-JP>"),
    "chinese-gb2312": ("港口调查结果与未来计划", "gb18030", "text/html; charset=gb2312", ""),
    "chinese-big5": ("港口調查結果與未來計劃", "big5hkscs", "text/html; charset=big5", ""),
    "korean": ("항구 조사 결과 보고서", "cp949", "text/html; charset=euc-kr", ""),
    "greek": ("Αποτελέσματα έρευνας του λιμανιού", "cp1253", "text/html; charset=windows-1253", ""),
    "turkish": ("Liman araştırması sonuçları açıklandı", "cp1254", "text/html; charset=iso-8859-9", ""),
}


@pytest.mark.parametrize(("title", "charset", "content_type", "meta"), CHARSETS.values(), ids=CHARSETS)
def test_a_title_in_any_charset_is_compared_letter_by_letter(
    title: str, charset: str, content_type: str, meta: str
) -> None:
    language = "ru" if title.startswith("Итоги") else "fr"
    text = f"<html lang={language}><head>{meta}<title>{title}</title></head><body><h1>{title}</h1>{prose(200)}"
    seen = told(reply(text.encode(charset), f"Content-Type: {content_type}"), title=title)
    assert seen.said == ACCESSIBLE
    assert seen.evidence.title_found == title
    assert seen.evidence.similarity == 1.0


def test_a_stray_byte_in_a_utf_8_page_is_no_replacement_character() -> None:
    body = html("Résumé de l'été", prose(200)).replace("été".encode(), b"\xe9t\xe9", 1)
    seen = told(reply(body, AS_HTML), title="Résumé de l'été")
    assert seen.said[0] is Verdict.VERIFIED_ACCESSIBLE
    assert "�" not in seen.evidence.title_found


NEARLY_NOTHING = {
    "empty-200": (reply(b"", AS_HTML), Cause.EMPTY),
    "only-blanks": (reply(b" \r\n\t ", AS_HTML), Cause.EMPTY),
    "only-a-comment": (reply(b"<!doctype html><!-- nothing -->", AS_HTML), Cause.EMPTY),
    "an-empty-gzip": (reply(gzip.compress(b""), AS_HTML, "Content-Encoding: gzip"), Cause.EMPTY),
    "a-promised-gzip-of-nothing": (reply(b"", AS_HTML, "Content-Encoding: gzip"), Cause.EMPTY),
    "ok": (reply(b"ok", AS_HTML), Cause.LITTLE_TEXT),
    "ok-in-html": (reply(html("Harbour survey results 2024", "<p>ok</p>"), AS_HTML), Cause.LITTLE_TEXT),
}


@pytest.mark.parametrize(("answer", "cause"), NEARLY_NOTHING.values(), ids=NEARLY_NOTHING)
def test_a_page_with_next_to_nothing_on_it_is_thin(answer: bytes, cause: Cause) -> None:
    assert told(by_path({PATH: answer})).said == (Verdict.THIN, cause)


def test_a_connection_that_is_reset_while_it_waits_for_the_head_is_a_hang_up() -> None:
    assert told(lambda _: []).said == (FAILED, Cause.HANG_UP)
