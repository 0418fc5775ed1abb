"""Tables as text: Zotero's CSV and any other with headings."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.catalog import CitationStatus
from sources.core.kinds import Sensitivity
from tests.formats.files import failed, names, one, read, sources
from tests.growth import assert_linear


def test_a_table_is_read_by_its_headings() -> None:
    record = one(
        "Title;URL;DOI;Authors;Year;Publisher;Section;Tags;Status;Note;Sensitivity;Colour\n"
        'Harbours;https://a.example/1;10.1234/a;"Müller, Jörg; Smith, Ann";2019;House;02-market;boats, trade;'
        "Included in Final Draft;PMID: 123;internal only;blue\n",
        as_format="csv_table",
    )
    assert (record.title, record.publisher, record.section, record.published_date) == (
        "Harbours",
        "House",
        "02-market",
        "2019",
    )
    assert [str(author) for author in record.authors] == ["Müller, Jörg", "Smith, Ann"]
    assert names(record) == ["doi:10.1234/a", "pmid:123", "url:https://a.example/1"]
    assert (record.status, record.sensitivity) == (CitationStatus.INCLUDED, Sensitivity.INTERNAL_ONLY)
    assert record.details == (("colour", "blue"),)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(separator: str) -> None:
    assert one(
        separator.join(["title", "url"]) + "\n" + separator.join(["T", "https://a.example/1"]), as_format="csv_table"
    )


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("'=1+1", "=1+1"),
        ("'+49 harbours", "+49 harbours"),
        ("''quoted' words", "'quoted' words"),
        ("\t=1+1", "=1+1"),
        ("'Tis a harbour", "'Tis a harbour"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_the_guard_before_a_formula_is_taken_away(cell: str, text: str) -> None:
    assert one(f'title,url\n"{cell}",https://a.example/1\n', as_format="csv_table").title == text


def test_an_error_names_the_line_of_its_row() -> None:
    items = read('title,url\n"A\ntitle",https://a.example/1\n,\n,not an address\n', as_format="csv_table")
    assert sources(items)[0].line == 2
    assert failed(items)[0].line == 5


def test_cells_beyond_the_headings_are_kept() -> None:
    record = one("title,url\nT,https://a.example/1,more,\n", as_format="csv_table")
    assert ("beyond", "more") in record.details


def test_a_quotation_mark_that_is_never_closed_loses_no_row_before_it() -> None:
    items = read('title,url\nA,https://a.example/1\n"B,https://a.example/2\nC,x\n', as_format="csv_table")
    assert sources(items)[0].title == "A"
    assert len(items) == 2


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_table_in_another_encoding_is_read(codec: str) -> None:
    assert one("title,url\nHäfen,https://a.example/1\n".encode(codec), as_format="csv_table").title == "Häfen"


ZOTERO = '\ufeff"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","ISSN","DOI","Url",' \
    '"Date","Date Added","Manual Tags","Extra","Editor"\n'  # fmt: skip


def test_zoteros_own_table_is_read() -> None:
    text = ZOTERO + (
        '"AB12","journalArticle","2019","Müller, Jörg; Harbour Group","The ""harbour""","Journal","","0378-5955",'
        '"10.1234/a","https://a.example/1","2019-03-04","2020-01-01","boats; trade","PMID: 123\nmore","Ed, Itor"\n'
        '"AB13","attachment","","","PDF","","","","","","","2020","","",""\n'
    )
    items = read(text, as_format="zotero_csv")
    (record,) = sources(items)
    assert (record.ref, record.title, record.kind) == ("AB12", 'The "harbour"', "article-journal")
    assert [str(author) for author in record.authors] == ["Müller, Jörg", "Harbour Group"]
    assert names(record) == ["doi:10.1234/a", "pmid:123", "url:https://a.example/1"]
    assert (record.published_date, record.tags) == ("2019-03-04", ("boats", "trade"))
    assert "attachment" in failed(items)[0].message


_CELL = st.text(alphabet=st.sampled_from("a \",;\n'=\té"), max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_CELL, _CELL), max_size=6))
def test_every_row_that_a_writer_wrote_is_counted_and_read(rows: list[tuple[str, str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("title", "url"), *rows])
    items = read(out.getvalue(), as_format="csv_table")
    assert len(items) == sum(1 for row in rows if any(cell.strip() for cell in row))


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from('a ",\n'), max_size=40))
def test_rows_and_errors_come_to_the_count_whatever_the_quotation_marks(text: str) -> None:
    read(f"title,url\n{text}", as_format="csv_table")


@pytest.mark.parametrize("piece", ['"', ",", "' ", "\n", "a\r", "a b, "])
def test_hostile_tables_take_linear_time(piece: str) -> None:
    assert_linear(lambda text: read(text, as_format="csv_table"), piece, 40_000, before='title,authors\nx,"')
