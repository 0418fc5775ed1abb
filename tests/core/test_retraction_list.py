"""Lists of works and their retractions, as people paste them."""

import pytest

from sources.core.retraction_list import read_list
from sources.core.retraction_status import Status
from tests.growth import assert_linear


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_columns_are_read_in_any_order_and_with_any_of_three_marks(mark: str) -> None:
    lines = [["Status", "DOI", "date", "note"], ["Retracted", "10.5555/Harbour.7", "2010-02", "“Notice” of May"]]
    rows, errors = read_list("\ufeff" + "\n".join(mark.join(line) for line in lines))
    (row,) = rows
    assert (row.line, row.identity.value, row.status, row.date, row.note, errors) == (
        2,
        "10.5555/harbour.7",
        Status.RETRACTED,
        "2010-02",
        "“Notice” of May",
        [],
    )


def test_bare_lines_are_read_and_a_comma_in_a_doi_is_part_of_it() -> None:
    rows, errors = read_list("10.5555/a\n\nhttps://doi.org/10.5555/b.\n10.1001/jama.251.19.2504,2509\nPMID: 9500320")
    assert [(row.line, row.identity.value, row.status) for row in rows] == [
        (1, "10.5555/a", None),
        (3, "10.5555/b", None),
        (4, "10.1001/jama.251.19.2504,2509", None),
        (5, "9500320", None),
    ]
    assert errors == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("unavailable", "identifier"),
        ("0", "0"),
        ("10.5555/a,retracted,,,2010-13", "date"),
        ("10.5555/a,retracted,,,yesterday", "date"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_line(line: str, word: str) -> None:
    rows, errors = read_list(f"identifier,status,note,notice,date\n{line}")
    assert rows == []
    assert errors[0].line == 2
    assert word in errors[0].message


def test_an_unknown_status_is_told_with_the_ones_there_are() -> None:
    rows, errors = read_list("identifier,status\n10.5555/a,dubious\n10.5555/b,not retracted")
    assert [row.status for row in rows] == [Status.NONE_FOUND]
    assert "withdrawn" in errors[0].message


@pytest.mark.parametrize("piece", ['"10.5555/a\n', "10.5555/a,,,,\n", ",", "\n", '"', "\u2028"])
def test_a_hostile_list_is_read_in_linear_time(piece: str) -> None:
    assert_linear(read_list, piece, 100_000)
