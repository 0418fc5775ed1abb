"""Which reader takes a file: by its content alone, and never two of them."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.entries import as_json, from_json
from sources.core.records import RowError
from sources.formats.format import Unreadable
from sources.formats.opened import head_of
from sources.formats.readers import reading_of, takers_of
from tests.formats.given import format_of, zipped

ENTRY = "Okoro, A. (2004). Storm gates. J Harb, 48(1), 617-43."


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("https://a.example/1\nhttps://a.example/2\n", "list"),
        ("\ufeffhttps://a.example/1\r\n10.1000/182\r\n", "list"),
        (f"{ENTRY}\n", "reference-list"),
        ("# Notes\n\nThe harbour [grew](https://a.example/1) by three per cent in a year, it is said.\n", "draft"),
        ("---\ntitle: A memo\nsources: none\n---\n\nThe harbour [grew](https://a.example/1) a lot.\n", "draft"),
        ("Text.\n\n```bibtex\n@article{a, title={T}}\n```\n\nSee [a](https://a.example/1) for all of it.\n", "draft"),
        ("<!DOCTYPE html><html><a href='https://a.example/1'>a</a></html>", "web-page"),
        ("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DT><A HREF='https://a.example/1'>a</A>", "web-page"),
        ("# Team — Complete Source List\n\n## Included\n", "source-list"),
        ("# Master Source List — Deal\n\n**Firm**: —\n", "master-sources"),
        ("# Master Sources — Deal\n", "master-sources"),
        ("---\nmode: codified\nsources: []\n---\n", "sources-md"),
        ("---\nmode: search\ndeal: D\n---\n", "sources-md"),
        ("---\nsources:\n  - url: https://a.example/1\n---\n", "sources-md"),
        ('[{"id": "src-001", "url": "u", "canonical_url": "u"}]', "sourced-corpus"),
        ('[{"original_url": "u", "recovered_url": "v"}]', "recovery-log"),
        ('title,url,note\nTides,https://a.example/1,"words\nTY  - JOUR\nER  - \n"\n', "csv_table"),
        ('title,url,note\nTides,https://a.example/1,"@article{k1, title={T}}"\n', "csv_table"),
        (zipped({"Deal-v0.0.1/2-sections/01-a.md": "x"}), "memo-outputs"),
        (zipped({"3-source-catalog/01-A-Complete-Source-List.md": "x"}), "memo-outputs"),
        (zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": "<w/>"}), "docx"),
    ],
)  # fmt: skip
def test_a_file_is_told_by_its_content(data: str | bytes, name: str) -> None:
    assert format_of(data.encode() if isinstance(data, str) else data).name == name


PIECES = st.sampled_from(
    ["---\n", "mode: codified\n", "sources:\n", "  - url: u\n", "# A — Complete Source List\n", "# Master Sources — A",
     "[{", '"id": 1,', '"url": "u",', '"canonical_url": "u"', "}]", "PK\x03\x04", "word/", "2-sections/", "<html>",
     "https://a.example/1\n", ENTRY, "\x00", "prose that goes on. "]
)  # fmt: skip
MIXED = PIECES | st.sampled_from(
    [
     "@article{", "k1,", "TY  - JOUR\n", "title,url\n", "PMID- 1\n", "FN x\nPT J\n",
     "%0 Book\n", "--TI-- T\n", '"type": "project"', '"itemType": "book"',
     '"DOI": "10.1/a"', "<xml><records><record>",
     "<rdf:RDF", "<mods", "<record>", "<PubmedArticle>", "PT J\n",
     "INT. HARVEY AND ANA TALKING 2026-06-25 14:23:11\n", "[[rag: 1 chunks from a.db]]\n", "# Master Sources — A\n"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
@settings(max_examples=60, deadline=None)
def test_no_two_readers_take_the_same_file(text: str) -> None:
    assert len(takers_of(head_of(text.encode(), is_whole=True))) < 2


@given(st.lists(MIXED, max_size=12).map("".join))
@settings(max_examples=60, deadline=None)
def test_a_file_of_several_formats_is_read_as_one_of_them_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(text.encode())
        with contextlib.suppress(Unreadable):
            reading = reading_of(path)
            assert reading.format in takers_of(head_of(text.encode(), is_whole=True))
            assert all(from_json(as_json(item)) == item for item in reading.items if not isinstance(item, RowError))
