"""Telling formats apart by what is in a file."""

from pathlib import Path

import pytest

from sources.formats.format import Unreadable
from sources.formats.opened import head_of
from sources.formats.readers import READERS, reading_of, recognise
from tests.formats import test_bibtex, test_json, test_tables, test_tagged, test_xml

SAMPLES = {
    "bibtex": test_bibtex.bib("title={T}"),
    "ris": test_tagged.RIS,
    "nbib": test_tagged.NBIB,
    "isi": "FN x\nPT J\nAU A\nTI T\nPY 2019\nER\n",
    "endnote_tagged": "%0 Book\n%T T\n",
    "biblioscape": "--TI-- T\n------\n",
    "csl_json": test_json.csl(),
    "zotero_json": test_json.zotero(),
    "endnote_xml": test_xml.endnote(test_xml.RECORD),
    "pubmed_xml": test_xml.PUBMED,
    "mods": '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>T</title></titleInfo></mods>',
    "marc_xml": '<record><datafield tag="245"><subfield code="a">T</subfield></datafield></record>',
    "word_sources": '<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"/>',
    "zotero_rdf": test_xml.rdf(test_xml.ARTICLE),
    "zotero_csv": test_tables.ZOTERO,
    "csv_table": "title,url\nT,https://a.example/1\n",
}


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == {one.name for one in READERS}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_of_one_format_only(name: str) -> None:
    head = head_of(SAMPLES[name].encode(), is_whole=True)
    assert [one.name for one in READERS if one.recognises(head)] == [name]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_known_from_utf_16_too(name: str) -> None:
    found = recognise(head_of(SAMPLES[name].encode("utf-16"), is_whole=True))
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Just words, and more words.\nhttps://a.example/1\n",
        "# A draft\n\n- [Title](https://a.example/1)\n",
        '{"type": "project", "name": "x"}\n{"type": "source", "title": "T"}\n',
        '[{"id": "src-001", "url": "https://a.example/1", "title": "T"}]',
        "<html><body>words</body></html>",
        "%PDF-1.7\n%more\n",
        "\x89PNG\r\n\x1a\n\x00\x00",
        "# How to cite\n\n```bibtex\n@book{a, title={T}}\n```\n",
        "name,colour\nboat,blue\n",
    ],
)
def test_what_is_another_kind_of_file_is_not_taken(text: str) -> None:
    assert recognise(head_of(text.encode(), is_whole=True)) is None


def test_a_file_of_no_format_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("Just words.")
    with pytest.raises(Unreadable, match="BibTeX"):
        reading_of(path)
