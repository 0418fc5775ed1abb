"""Bytes read as a person would see them: charset, media type, titles, visible text."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pages import TITLE, html, prose
from validation.core.blocks import walk
from validation.core.charsets import decode_body
from validation.core.reading import meta_refresh_target, read_body
from validation.core.sniffing import media_type_of, pdf_title


@pytest.mark.parametrize(
    ("body", "content_type", "charset"),
    [
        ("<title>Résumé de l’été</title>".encode("cp1252"), "text/html", "cp1252"),
        ("<title>Résumé de l’été</title>".encode("cp1252"), "text/html; charset=utf-8", "cp1252"),
        ("<title>Résumé de l’été</title>".encode("cp1252"), 'text/html; charset="ISO-8859-1"', "cp1252"),
        (
            "<meta charset=iso-8859-15><title>Résumé de l\u2019été</title>".encode("utf-8"),
            "text/html; charset=utf-8",
            "utf-8",
        ),
        (b"\xef\xbb\xbf<title>R\xc3\xa9sum\xc3\xa9 de l\xe2\x80\x99\xc3\xa9t\xc3\xa9</title>", "", "utf-8"),
        ("<title>Résumé de l’été</title>".encode("utf-16"), "text/html", "utf-16-le"),
    ],
)
def test_a_title_keeps_its_accents_whatever_the_label_says(body: bytes, content_type: str, charset: str) -> None:
    text, found = decode_body(body, content_type)
    assert "Résumé de l’été" in text
    assert "\ufffd" not in text
    assert found == charset


@pytest.mark.parametrize(
    ("text", "charset", "declared"),
    [
        ('<html lang="ru"><title>Гавань и порт</title>', "cp1251", ""),
        ("<meta charset=gb2312><title>港口的历史</title>", "gb18030", ""),
        ("<meta http-equiv=content-type content='text/html; charset=Shift_JIS'><title>港の歴史</title>", "cp932", ""),
        ("<title>Porty północy i żegluga</title>", "iso8859-2", "text/html; charset=iso-8859-2"),
    ],
)
def test_other_alphabets_are_read_in_their_charset(text: str, charset: str, declared: str) -> None:
    assert decode_body(text.encode(charset), declared) == (text, charset)


def test_one_stray_byte_does_not_change_the_charset_of_a_page() -> None:
    text, charset = decode_body("Hafenprüfung, Größe, Höhe, ".encode() + b"caf\xe9")
    assert (text, charset) == ("Hafenprüfung, Größe, Höhe, café", "utf-8")


@pytest.mark.parametrize(
    ("body", "content_type", "media_type"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "application/octet-stream", "application/pdf"),
        (b"\r\n\r\n%PDF-1.4", "text/html", "application/pdf"),
        (b"<html><body>%PDF-1.7 is a mark</body></html>", "application/pdf", "text/html"),
        (b"<!-- note --><!DOCTYPE html><p>x", "", "text/html"),
        (b"plain words", "application/pdf", "text/plain"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "text/html", "image/png"),
        (
            b"PK\x03\x04\x14\x00word/document.xml",
            "",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (b"PK\x03\x04\x14\x00data.csv", "", "application/zip"),
        (b"\x00\x01\x02\x03\x04\x05", "text/html", "application/octet-stream"),
        (b'{"a": 1}', "text/plain", "text/plain"),
        (b'{"a": 1}', "", "application/json"),
        (b"", "text/html", ""),
    ],
)
def test_the_bytes_tell_the_media_type(body: bytes, content_type: str, media_type: str) -> None:
    assert media_type_of(body, content_type) == media_type


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (b"%PDF-1.4 /Title (Harbour \\(north\\) survey)", "Harbour (north) survey"),
        (b"%PDF-1.4 /Title <FEFF004800E9>", "Hé"),
        (b"<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Quay walls</rdf:li></rdf:Alt></dc:title>", "Quay walls"),
        (b"%PDF-1.4 /Title (Microsoft Word - draft3.doc)", ""),
        (b"%PDF-1.4 /Title (survey_final.indd)", ""),
        (b"%PDF-1.4", ""),
    ],
)
def test_a_pdf_gives_the_title_that_lies_in_the_open(body: bytes, title: str) -> None:
    assert pdf_title(body) == title


def test_only_what_a_reader_sees_is_text() -> None:
    hidden = (
        "<script>var a = 'secret one'</script><style>.x{content:'secret two'}</style><template>secret three</template>"
        "<div hidden>secret four</div><div style='display: none'>secret five</div><p aria-hidden=true>secret six</p>"
        "<noscript>secret seven</noscript><dialog>secret eight</dialog><!-- secret nine -->"
        "<svg><title>secret ten</title></svg>"
        "<select><option>secret eleven</option></select><textarea>secret twelve</textarea>"
    )
    text = read_body(html(main=f"{hidden}<p>Seen by all.</p>"), {})
    everything = "\n".join(block.text for block in text.blocks)
    assert "Seen by all." in everything
    assert "secret" not in everything
    assert text.document_title == TITLE


def test_titles_come_in_the_order_in_which_they_are_believed() -> None:
    head = (
        '<meta property="og:title" content="From the card"><meta name="citation_title" content="From the citation">'
        '<script type="application/ld+json">{"@graph": [{"@type": "Article", "headline": "From the data"}]}</script>'
        '<meta property="og:site_name" content="The Gazette">'
    )
    text = read_body(html("From the title", head=head, heading="From the heading"), {})
    assert [title.text for title in text.titles] == [
        "From the citation",
        "From the card",
        "From the data",
        "From the title",
        "From the heading",
    ]
    assert text.site_name == "The Gazette"


@pytest.mark.parametrize(
    ("data", "free"),
    [
        ('{"isAccessibleForFree": false}', False),
        ('{"isAccessibleForFree": "False"}', False),
        ('[{"isAccessibleForFree": true}, {"hasPart": {"isAccessibleForFree": false}}]', False),
        ('{"isAccessibleForFree": true}', True),
        ('{"isAccessibleForFree": false, broken', False),
        ('{"name": "x"}', None),
        ("[" * 100_000, None),
    ],
)
def test_structured_data_says_whether_reading_is_free(data: str, free: bool | None) -> None:
    head = f'<script type="application/ld+json">{data}</script>'
    assert read_body(html(head=head), {}).free is free


def test_navigation_and_lists_of_links_are_no_main_text() -> None:
    links = "".join(f"<li><a href=/{n}>Another piece about the harbour, number {n}</a></li>" for n in range(40))
    around = f"<aside><ul>{links}</ul></aside><ul>{links}</ul>"
    assert read_body(html(main=prose(60), around=around), {}).word_count < 90


def test_a_misleading_class_name_does_not_hide_an_article() -> None:
    body = html(main=f'<div class="page with-sidebar">{prose(200)}</div>')
    assert read_body(body, {}).word_count >= 200


def test_a_script_without_spaces_has_words_too() -> None:
    assert read_body(html(main=f"<p>{'港口的历史与地图' * 50}</p>"), {}).word_count >= 150


def test_very_deep_nesting_still_gives_the_text() -> None:
    deep = b"<html><body>" + b"<div>" * 30_000 + b"<p>At the bottom of the harbour" + b"</div>" * 30_000
    assert "At the bottom of the harbour" in read_body(deep, {}).main_text


@pytest.mark.parametrize(
    ("tag", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=/gone">', "/gone"),
        ("<META HTTP-EQUIV=Refresh CONTENT=\"5;URL='https://a.press/b?c=1&amp;d=2'\">", "https://a.press/b?c=1&d=2"),
        ('<meta http-equiv="refresh" content="0;/bare">', "/bare"),
        ('<meta http-equiv="refresh" content="300; url=/later">', None),
        ('<meta http-equiv="refresh" content="5">', None),
        ('<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>', None),
        ('<!-- <meta http-equiv="refresh" content="0; url=/comment"> -->', None),
        ('<meta http-equiv="x-ua-compatible" content="0; url=/x">', None),
    ],
)
def test_a_refresh_that_sends_readers_on_is_found(tag: str, target: str | None) -> None:
    assert meta_refresh_target(f"<html><head>{tag}</head><body><p>Moved</p></body></html>".encode()) == target


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=400), st.sampled_from(["", "text/html", "text/html; charset=utf-16", "text/html; charset=idna"])
)
def test_any_bytes_can_be_read(body: bytes, content_type: str) -> None:
    for data in (body, b"<html><title>" + body, b"%PDF-1.4 /Title (" + body + b")"):
        read_body(data, {"content-type": content_type})
        meta_refresh_target(b"<meta http-equiv=refresh content='0;url=" + data + b"'>", content_type)


@pytest.mark.parametrize(("word", "words"), [("tide", 1), ("\u6f6e\u6c50", 2)])
def test_a_text_of_a_megabyte_is_read_word_by_word_and_without_an_object_for_each(word: str, words: int) -> None:
    number = 200_000
    text = f"{word} \u00a0\n" * number
    markup = f"<p>{text}</p>"
    tracemalloc.start()
    try:
        (block,) = walk(markup).blocks
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert block.text == " ".join([word] * number)
    assert block.words == words * number
    assert peak < 9 * len(markup) * (1 if word.isascii() else 4)
