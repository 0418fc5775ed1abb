"""Hostile and broken files of every format: a message, an error for the entry, never a crash; nothing unstorable."""

import io
import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sources.core.entries import from_json
from sources.formats.spool import write_items
from tests.formats import test_docx
from tests.formats.given import zipped
from tests.formats.samples import NO_FORMAT, SAMPLES, TEXTS

SCRIPT = "<script>alert(1)</script> =1+1 {{7*7}} ${x} %s \\input{/etc/passwd}"
DEEP = 100_000


def outcome(data: bytes) -> list[dict[str, object]]:
    """What the child process would print of a file. Every line is JSON again, every record is one again, and no text
    holds what PostgreSQL cannot store: NUL or half a surrogate pair."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        out = io.BytesIO()
        write_items(path, out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert "unreadable" in lines[-1] or "counted" in lines[-1]
    assert not any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in _texts(lines))
    for told in lines:
        if "item" in told:
            from_json(told["item"])
        message = told.get("unreadable", told.get("error", {}).get("message", "x" * 20))
        assert len(str(message)) >= 20
    return lines


def _texts(value: object) -> str:
    if isinstance(value, dict):
        return "".join(map(_texts, value.values()))
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_that_is_cut_off_anywhere_is_read_or_refused(name: str) -> None:
    data = SAMPLES[name]
    for part in range(21):
        outcome(data[: len(data) * part // 20])


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_with_flipped_bytes_is_read_or_refused(name: str) -> None:
    chance = random.Random(name)
    for _ in range(25):
        data = bytearray(SAMPLES[name])
        for _ in range(chance.choice((1, 2, 8, 40))):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    del data[at : at + chance.randrange(1, 8)]
                case 2:
                    data[at:at] = chance.choice((b"\x00", b"\xff\xfe", b"{", b"}", b"<", b"]]>", b"\r", b'"', b"\x85"))
                case _:
                    data[at:at] = data[: chance.randrange(1, 60)]
            if not data:
                data = bytearray(b"x")
        outcome(bytes(data))


@settings(max_examples=60, deadline=None)
@example("zotero_rdf", SAMPLES["zotero_rdf"].index(b"itemType"), "\u0362")
@given(st.sampled_from(TEXTS), st.integers(0, 400), st.text(max_size=20) | st.sampled_from(["\x00", "\ufeff", SCRIPT]))
def test_any_text_anywhere_in_a_file_is_read_or_refused(name: str, at: int, text: str) -> None:
    data = SAMPLES[name]
    outcome(data[:at] + text.encode("utf-8", "surrogatepass") + data[at:])


# What parsers of XML treat alike while the file is well-formed, and each in its own way where it is mended.
_IN_XML = (b"&#xD800;", b"&#0;", b"&#x110000;", b"<!-- aside -->", b"<?aside?>", "\u0362".encode(), b"\xed\xa0\x80")


@pytest.mark.parametrize("name", [name for name in TEXTS if SAMPLES[name].lstrip().startswith(b"<")])
@pytest.mark.parametrize("broken", [b"", b"<", b"</x>"])
def test_anything_anywhere_in_xml_is_read_or_refused_broken_or_not(name: str, broken: bytes) -> None:
    data = SAMPLES[name]
    places = random.Random(name).sample(range(len(data)), 20)
    for at in places:
        for text in _IN_XML:
            outcome(data[:at] + text + data[at:] + broken)
            outcome(broken + data[:at] + text + data[at:])


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_a_file_in_another_encoding_is_read_or_refused(name: str, codec: str) -> None:
    outcome(SAMPLES[name].decode().encode(codec, "replace"))


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_of_two_encodings_is_read_or_refused(name: str) -> None:
    data = SAMPLES[name]
    outcome(data + data.decode().encode("cp1252", "replace") + b"\xe9\xff\x81" + data.decode().encode("utf-16"))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("text", [SCRIPT, "\x00" * 50, "\ufeff", "=cmd|' /C calc'!A0", "\u202egpj.exe", "é" * 5_000])
def test_a_title_of_any_kind_stays_a_title(name: str, text: str) -> None:
    lines = outcome(SAMPLES[name].replace(b"Tides", text.encode()).replace(b"Harbours", text.encode()))
    assert lines


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("opening", ["{", "[", "<a>", "(", '{"a":', "<div>", "\\{", "- ", "> ", "![", '"', "'", "`"])
def test_nesting_without_end_is_read_or_refused(name: str, opening: str) -> None:
    text = SAMPLES[name].decode()
    outcome((text.replace("Tides", opening * DEEP, 1) if "Tides" in text else text + opening * DEEP).encode())


ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>',
    '<!DOCTYPE x [<!ENTITY c SYSTEM "file:///etc/hostname">]>',
    '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p.dtd"> %p;]>',
)
XML = ("endnote_xml", "pubmed_xml", "mods", "marc_xml", "word_sources", "zotero_rdf")


@pytest.mark.parametrize("name", XML)
@pytest.mark.parametrize("declared", ENTITIES)
def test_entities_are_never_expanded(name: str, declared: str) -> None:
    text = SAMPLES[name].decode().replace("Tides", "&c;").replace("harbours", "&c;").replace("Harbours", "&c;")
    prolog, _, rest = text.rpartition("?>") if text.startswith("<?xml") else ("", "", text)
    body = rest.split("]>")[-1] if "<!DOCTYPE" not in rest else rest[rest.index("<PubmedArticleSet>") :]
    lines = outcome(f"{prolog}{'?>' if prolog else ''}{declared}{body}".encode())
    assert "hahaha" not in _texts(lines)
    assert not any("item" in told for told in lines)


@pytest.mark.parametrize(
    "members",
    [
        {"word/document.xml": b"<w/>" + b" " * 40_000_000},
        {"word/document.xml": b"<w:a>" * DEEP},
        {"[Content_Types].xml": b"<Types/>", "word/document.xml": ENTITIES[0].encode() + b"<w>&c;</w>"},
        {"Deal-v0.0.1/2-sections/01-a.md": b"0" * 40_000_000},
        {"Deal-v0.0.1/2-sections/01-a.md": b"[" * DEEP, "Deal-v0.0.1/sourced_corpus.json": b"[" * DEEP},
        {"Deal-v0.0.1/../../2-sections/01-a.md": b"x"},
    ],
)
def test_an_archive_made_to_harm_is_refused(members: dict[str, bytes]) -> None:
    lines = outcome(zipped(members))
    assert not any(told.get("item", {}).get("record") == "source" for told in lines)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "code", ["{" * DEEP, '{"citationItems":' + "[" * DEEP, "\x00", '{"citationItems": [{"itemData": 5}]}']
)
def test_a_field_of_a_document_made_to_harm_is_an_error_at_its_paragraph(code: str) -> None:
    field = test_docx.field("ADDIN ZOTERO_ITEM CSL_CITATION " + code, "[1]")
    lines = outcome(test_docx.document(test_docx.paragraph(field)))
    assert not any("item" in told for told in lines)


@pytest.mark.parametrize("what", NO_FORMAT)
def test_what_is_no_format_says_so(what: str) -> None:
    assert "unreadable" in outcome(NO_FORMAT[what])[-1]
