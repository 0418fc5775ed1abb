"""Retraction Watch's export as it comes: what a row says, what is refused, and what one broken row costs."""

from io import BytesIO
from pathlib import Path

import pytest

from sources.core.kinds import IdentifierType
from sources.core.records import RowError
from sources.core.retraction_status import Nature
from tests.growth import assert_linear
from validation.core.retraction_ids import Unusable, WorkId, doi_of, is_preprint_of_openrxiv, pmid_of
from validation.core.retraction_watch import LONGEST_ROW, NotASnapshot, WatchReader, WatchRow, check_size, statements_of

SAMPLE = Path(__file__).parent.parent / "data" / "retraction_watch" / "sample.csv"
HEADER = SAMPLE.read_bytes().splitlines(keepends=True)[0]


def doi(value: str) -> WorkId:
    return WorkId(IdentifierType.DOI, value)


def line(record: str, *, paper: str = "10.5555/a", title: str = "A title", nature: str = "Retraction") -> bytes:
    cells = [
        record,
        title,
        *[""] * 8,
        "6/5/2020 0:00",
        "10.5555/n",
        "0",
        "5/22/2020 0:00",
        paper,
        "0",
        nature,
        "",
        "",
        "",
    ]
    return (",".join(cells) + ",\r\n").encode()


def read(data: bytes) -> tuple[list[WatchRow], list[RowError], WatchReader]:
    reader = WatchReader(BytesIO(data))
    items = list(reader)
    rows = [one for one in items if isinstance(one, WatchRow)]
    return rows, [one for one in items if isinstance(one, RowError)], reader


@pytest.fixture(scope="module")
def sample() -> dict[str, WatchRow]:
    rows, errors, reader = read(SAMPLE.read_bytes())
    assert (errors, reader.blank, reader.other_encoding, reader.missing, reader.added) == ([], 2, 0, (), ())
    return {row.record_id: row for row in rows}


def test_one_work_has_a_row_for_each_notice_and_both_its_identifiers(sample: dict[str, WatchRow]) -> None:
    rows = [sample[record] for record in ("90001", "90002", "90003")]
    assert {row.works for row in rows} == {(doi("10.5555/quay.2020(1)"), WorkId(IdentifierType.PMID, "80000011"))}
    assert [row.nature for row in rows] == [Nature.CORRECTED, Nature.CONCERN, Nature.RETRACTED]
    assert [row.notice_date for row in rows] == ["2020-05-30", "2020-06-03", "2020-06-05"]


def test_what_a_row_cannot_say_is_told_and_never_stored(sample: dict[str, WatchRow]) -> None:
    assert (sample["90005"].works, sample["90005"].notice) == ((), None)
    assert statements_of(sample["90005"], snapshot="s") == ()
    broken = sample["90013"]
    assert broken.works == (WorkId(IdentifierType.PMID, "80000031"),)
    assert broken.notice_date == ""
    assert [problem.split(":")[0] for problem in broken.problems] == ["OriginalPaperDOI", "RetractionDate"]
    assert (sample["90012"].nature, sample["90012"].raw_nature) == (Nature.UNKNOWN, "")


@pytest.mark.parametrize(
    ("record", "nature"),
    [("90006", Nature.REINSTATED), ("90007", Nature.RETRACTED), ("90011", Nature.REPLACED)],
)
def test_reasons_that_need_an_editor_change_a_retraction_only(
    sample: dict[str, WatchRow], record: str, nature: Nature
) -> None:
    """Retract-and-replace and Cochrane's «withdrawn as out of date» are no misconduct; a reinstatement stays one."""
    assert sample[record].nature is nature


def test_a_notice_is_told_once_however_many_works_it_covers(sample: dict[str, WatchRow]) -> None:
    told = [one for record in ("90009", "90010") for one in statements_of(sample[record], snapshot="s")]
    notices = [one for one in told if one.nature is Nature.NOTICE]
    assert len(notices) == 2
    assert len(set(notices)) == 1
    assert {one.work for one in told if one.nature is Nature.RETRACTED} == {
        doi("10.5555/nets.1"),
        doi("10.5555/nets.2"),
    }


def test_a_notice_under_the_works_own_doi_is_no_notice(sample: dict[str, WatchRow]) -> None:
    assert [one.nature for one in statements_of(sample["90004"], snapshot="s")] == [Nature.RETRACTED]
    assert sample["90004"].reasons == ("Duplication of/in Data",)


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("DOI: 10.2147/IJN.S97476", "10.2147/ijn.s97476"),
        ("http://dx.doi.org/10.2147/IJN.S97476", "10.2147/ijn.s97476"),
        ("https://doi-org.proxy.edu/10.2147/IJN.S97476", "10.2147/ijn.s97476"),
        ("  10.2147/IJN.S97476  ", "10.2147/ijn.s97476"),
        ("10.1061/(ASCE)0733-9399(2010)136:2(174)", "10.1061/(asce)0733-9399(2010)136:2(174)"),
        ("(10.1000/xyz)", "10.1000/xyz"),
        ("10.1000/xyz.", "10.1000/xyz"),
        ("xx10.1007/978-3-030-00524-5_9", "10.1007/978-3-030-00524-5_9"),
        ("10.1080/0.2013.545518#.Us5z4LSsxK0", "10.1080/0.2013.545518"),
        ("10.1101/2020.08.20.259804v1", "10.1101/2020.08.20.259804"),
        ("10.1002/(200007)74:3%3c201::AID-JSO8%3E3.0.CO;2-5", "10.1002/(200007)74:3<201::aid-jso8>3.0.co;2-5"),
        ("10.1001/jama.251.19.2504,2509", "10.1001/jama.251.19.2504,2509"),
    ],
)
def test_a_doi_has_one_form_on_both_sides(spelling: str, value: str) -> None:
    assert doi_of(spelling) == doi(value)


@pytest.mark.parametrize("text", ["unavailable", "Unavailable", "0", "", " "])
def test_words_for_none_name_no_work(text: str) -> None:
    assert doi_of(text) is None
    assert pmid_of(text) is None


@pytest.mark.parametrize(
    "text", ["see 10.1000/xyz", "https://journal.example/article/7", "10.1/x", "10.1000/" + "x" * 2001]
)
def test_what_is_no_doi_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(Unusable, match=r"DOI|long"):
        doi_of(text)


def test_an_arxiv_doi_is_the_arxiv_id_of_the_registry() -> None:
    assert doi_of("10.48550/arXiv.2010.01234") == WorkId(IdentifierType.ARXIV, "2010.01234")


def test_journals_under_the_preprint_servers_prefix_are_no_preprints() -> None:
    assert is_preprint_of_openrxiv("10.1101/2020.01.30.927871")
    assert is_preprint_of_openrxiv("10.1101/927871")
    assert not is_preprint_of_openrxiv("10.1101/gad.489409")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\x01\x02",
        HEADER.replace(b"RetractionNature", b"Nature"),
        b"<!doctype html><title>Sign in</title>",
        HEADER.decode("utf-8-sig").encode("utf-16"),
    ],
    ids=["empty", "binary", "renamed", "html", "utf-16"],
)
def test_another_file_is_refused_whole(data: bytes) -> None:
    with pytest.raises(NotASnapshot, match="column"):
        WatchReader(BytesIO(data))


def test_columns_in_another_order_and_new_ones_are_read_by_name() -> None:
    header = (
        b"New,RetractionNature,Record ID,Reason,RetractionDate,RetractionDOI,OriginalPaperDate,OriginalPaperDOI,"
        b"OriginalPaperPubMedID\n"
    )
    rows, errors, reader = read(header + b"x,Retraction,7,,,,,10.5555/A,0\n")
    assert (rows[0].works, errors, reader.added) == ((doi("10.5555/a"),), [], ("New",))
    assert "Notes" in reader.missing


def test_lines_that_are_no_utf_8_are_read_and_counted() -> None:
    rows, errors, reader = read(HEADER + line("1") + line("2").replace(b"A title", b"Stra\xdfe"))
    assert ([row.title for row in rows], errors, reader.other_encoding) == (["A title", "Straße"], [], 1)


def test_nothing_that_a_database_refuses_comes_out_of_a_row() -> None:
    data = HEADER + line("7", title="A\x00title", nature="Retr\x00") + line("8\x00")
    rows, errors, _ = read(data)
    assert [(row.title, row.raw_nature) for row in rows] == [("A title", "Retr"), ("A title", "Retraction")]
    assert errors == []


def test_a_quote_that_nobody_closed_costs_one_row() -> None:
    rows, errors, _ = read(
        HEADER + line("1") + line("2", title='"Open') + b"".join(line(str(n)) for n in range(3, 200))
    )
    assert [row.record_id for row in rows] == ["1", *(str(n) for n in range(3, 200))]
    assert [(error.line, "quote" in error.message) for error in errors] == [(3, True)]


def test_an_inch_sign_inside_a_cell_is_no_quote() -> None:
    rows, errors, _ = read(HEADER + line("1", title='A 5" pipe') + b"".join(line(str(n)) for n in range(2, 99)))
    assert (rows[0].title, len(rows), errors) == ('A 5" pipe', 98, [])


@pytest.mark.parametrize(
    "row",
    [line("1", title="x" * LONGEST_ROW), b"7,too short\r\n", line("none")],
    ids=["too long", "too short", "without a number"],
)
def test_a_row_that_cannot_be_read_is_told_with_its_line(row: bytes) -> None:
    rows, errors, _ = read(HEADER + row + line("2"))
    assert ([one.record_id for one in rows], [error.line for error in errors]) == (["2"], [2])


def test_hostile_quotes_are_read_in_linear_time() -> None:
    assert_linear(lambda text: read(HEADER + text.encode()), '7,"\n', 200_000)


@pytest.mark.parametrize(("rows", "before"), [(0, None), (0, 10), (979, 1000)])
def test_an_export_that_shrank_is_refused(rows: int, before: int | None) -> None:
    with pytest.raises(NotASnapshot):
        check_size(rows=rows, before=before)


def test_a_few_rows_less_are_taken() -> None:
    check_size(rows=980, before=1000)
    check_size(rows=5, before=None)
