"""Telling formats apart by what is in a file: every format has a sample, and each file is of one format only."""

from pathlib import Path

import pytest

from sources.core.entries import Item, as_json, from_json
from sources.core.records import RowError
from sources.formats.format import Unreadable
from sources.formats.opened import head_of
from sources.formats.readers import PLAIN, READERS, reading_of, recognise, takers_of
from tests.environment import ROOT
from tests.formats.given import read, records
from tests.formats.samples import NO_FORMAT, SAMPLES, TEXTS


def entries(path: Path) -> list[Item]:
    """Every entry of a file; they come to the count of the format's second rule."""
    reading = reading_of(path)
    items = list(reading.items)
    assert reading.counted in (None, len(items))
    return items


@pytest.mark.parametrize(
    "text",
    [
        "@book{a,\n shorttitle={Tides}\n}\n",
        "TY  - BOOK\nST  - Tides\nER  - \n",
        '[{"id": "a", "type": "book", "title-short": "Tides", "issued": {"date-parts": [[2020]]}}]',
        "%0 Book\n%! Tides\n%D 2020\n",
        '{"config": {"label": "x"}, "items": [{"itemType": "book", "shortTitle": "Tides", "date": "2020"}]}',
        '<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source>'
        "<b:ShortTitle>Tides</b:ShortTitle></b:Source></b:Sources>",
    ],
)
def test_a_short_title_is_better_than_none(text: str, tmp_path: Path) -> None:
    (record,) = records(read(text, tmp_path))
    assert record.title == "Tides"


@pytest.mark.parametrize("label", [one.label for one in READERS])
def test_the_page_on_imports_names_every_format(label: str) -> None:
    assert label in (ROOT / "docs" / "imports.md").read_text(encoding="utf-8")


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == {one.name for one in READERS}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_of_one_format_only(name: str) -> None:
    assert [one.name for one in takers_of(head_of(SAMPLES[name], is_whole=True))] == [name]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_two_formats_with_signs_of_their_own_know_a_file(name: str) -> None:
    head = head_of(SAMPLES[name], is_whole=True)
    assert len([one for one in READERS if one not in PLAIN and one.recognises(head)]) < 2


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_text_is_known_with_a_mark_before_it(name: str, codec: str) -> None:
    found = recognise(head_of(SAMPLES[name].decode().encode(codec), is_whole=True))
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_read_without_loss(name: str, tmp_path: Path) -> None:
    path = tmp_path / "sample"
    path.write_bytes(SAMPLES[name])
    items = entries(path)
    assert any(not isinstance(item, RowError) for item in items)
    assert [from_json(as_json(item)) for item in items if not isinstance(item, RowError)] == [
        item for item in items if not isinstance(item, RowError)
    ]


@pytest.mark.parametrize("what", NO_FORMAT)
def test_a_file_of_no_format_is_refused_with_the_way_out(what: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(NO_FORMAT[what])
    with pytest.raises(Unreadable, match=r"BibTeX|Markdown|Excel|Give|Import") as refused:
        entries(path)
    assert len(str(refused.value)) > 40


def test_a_database_of_something_else_is_refused_by_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(SAMPLES["rag-store"].replace(b"chunks", b"boatsX"))
    with pytest.raises(Unreadable, match=r"table|SQLite"):
        entries(path)


def test_words_that_name_nothing_are_an_error_and_no_source(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("Just words.")
    (error,) = entries(path)
    assert isinstance(error, RowError)


def test_the_file_is_not_told_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "library.ris"
    path.write_bytes(SAMPLES["bibtex"])
    assert reading_of(path).format.name == "bibtex"
