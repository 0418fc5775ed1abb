"""Cells of a CSV: nothing in them is computed, nothing in them is lost."""

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.core.spreadsheet import neutral, restored
from tests.growth import assert_linear

ACTIVE = "=+-@＝＋－＠"
_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
_HOSTILE = st.text(alphabet=st.sampled_from("=+-@＝＋－＠\t\r\n;,\"' \ufeffa1"), max_size=12)


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+49 30 1234",
        "-cmd|' /C calc'!A0",
        "@SUM(A1)",
        "\ttab first",
        "\rreturn first",
        "\nnew line first",
        "＝1+1",
        "＋1",
        "－1+1",
        "＠SUM(A1)",
        "  =1+1",
        '"=1+1',
        "\u200b=1+1",
        '=HYPERLINK("https://evil.example","read me")',
    ],
)
def test_what_a_spreadsheet_would_compute_begins_with_an_apostrophe(text: str) -> None:
    assert neutral(text) == f"'{text}"
    assert restored(neutral(text)) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("harbour;=1+1", "harbour;'=1+1"),
        ("harbour; \t@SUM(A1)", "harbour;' \t'@SUM(A1)"),
        ("first line\n=1+1", "first line\n'=1+1"),
        ("\t=1+1", "'\t'=1+1"),
        ("'quoted' words", "''quoted' words"),
        ("\x00=1+1", "'\ufffd=1+1"),
        ("half \ud800 a pair", "half \ufffd a pair"),
    ],
)
def test_a_cell_that_another_separator_would_split_is_guarded_inside(text: str, cell: str) -> None:
    assert neutral(text) == cell


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-12",
        "-0.75",
        "42",
        "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
        "10.5555/provdesk.2024.0117",
        "https://harbour.example/a?b=c&d=-1",
        "Harbour survey 2024 – a=b, c-d",
        "src-001",
    ],
)
def test_numbers_identifiers_and_ordinary_text_stay_as_they_are(text: str) -> None:
    assert neutral(text) == text


@settings(max_examples=60, deadline=None)
@given(st.one_of(_TEXT, _HOSTILE))
def test_every_text_comes_back(text: str) -> None:
    assert restored(neutral(text)) == text


@settings(max_examples=60, deadline=None)
@given(_HOSTILE)
def test_no_part_of_a_cell_is_a_formula_whatever_splits_it(text: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow([neutral(text)])
    (cell,) = next(csv.reader(io.StringIO(out.getvalue(), newline="")))
    if re.fullmatch(r"-?\d+", text):
        assert cell == text
        return
    for part in re.split(r"[;\t\r\n]", cell):
        assert part.lstrip(' "\ufeff')[:1] not in set(ACTIVE), cell


@pytest.mark.parametrize("piece", ["\r", "\n", "\t ", "'\n", "\n'", "' ", ";", "; \t", '"', "=\n"])
def test_a_long_cell_of_beginnings_costs_its_share(piece: str) -> None:
    for work in (neutral, restored):
        assert_linear(work, piece, 40_000, before="'", after="a")
