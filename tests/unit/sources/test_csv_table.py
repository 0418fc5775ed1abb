"""The table of sources: nothing in it is computed, nothing in it is lost, and every column is explained."""

import csv
import io

from hypothesis import given, settings

from lineage.core.spreadsheet import restored
from sources.core.entries import Author
from sources.core.exported import ExportedSource
from sources.core.listing import DecisionNote
from sources.core.retraction import RetractionStatus
from sources.reports.csv_table import BOM, COLUMNS, stream
from tests.unit.sources.exports import CHECKED, doi, nasty, recovered, source, texts, web


def rows(*sources: ExportedSource) -> list[dict[str, str]]:
    """The rows by column, with guards taken off."""
    read = csv.DictReader(io.StringIO("".join(stream(sources)), newline=""), strict=True)
    return [{name: restored(cell) for name, cell in row.items()} for row in read]


def test_every_column_has_its_cell_and_its_explanation() -> None:
    written = list(csv.reader(io.StringIO("".join(stream([nasty(1, "=1+1"), source(2)])), newline="")))
    assert [len(row) for row in written] == [len(COLUMNS)] * 3
    assert written[0] == list(COLUMNS)
    assert all(COLUMNS.values())


def test_a_row_says_all_of_a_source() -> None:
    one = recovered(
        1,
        "https://harbour.example/new;a=1",
        record_identities=(
            web("https://harbour.example/1"),
            doi("10.1002/3.0.CO;2-2"),
            web("https://harbour.example/other"),
        ),
        record_authors=(Author(family="Núñez", given="Ana"), Author(family="World Health Organization")),
        record_tags=("tides", "a; b"),
        retraction=RetractionStatus.CONCERN,
        retraction_note="Under review.",
        decision=DecisionNote("Accepted", "anna", CHECKED, "I read it."),
        variants=("https://harbour.example/1?a;b", "http://harbour.example/1"),
    )
    told = {name: cell for name, cell in rows(one)[0].items() if cell}
    assert told == {
        "id": "src-001",
        "title": "Harbour survey 1",
        "authors": "Núñez, Ana; World Health Organization",
        "url": "https://harbour.example/new;a=1",
        "identifier_type": "url",
        "identifier": "https://harbour.example/1",
        "doi": "10.1002/3.0.CO;2-2",
        "other_identifiers": "url:https://harbour.example/other",
        "retracted": "no",
        "retraction_status": "concern",
        "retraction_note": "Under review.",
        "verdict": "verified-via-republish",
        "reason": "real content and a fitting title",
        "disposition": "keep",
        "http_status": "404",
        "checked_at": "2026-03-02T10:30:00Z",
        "recovered_from": "https://harbour.example/1",
        "status": "included",
        "sections": "02-market",
        "versions": "v1",
        "variants": "https://harbour.example/1?a;b; http://harbour.example/1",
        "decision": "Accepted",
        "decided_by": "anna",
        "decided_at": "2026-03-02T10:30:00Z",
        "decision_reason": "I read it.",
        "tags": "tides; a, b",
    }


@settings(max_examples=60, deadline=None)
@given(texts)
def test_no_cell_begins_a_formula(text: str) -> None:
    written = csv.reader(io.StringIO("".join(stream([nasty(1, text)])), newline=""))
    cells = list(written)[1]
    assert not [cell for cell in cells if cell.lstrip(' "')[:1] in set("=+-@＝＋－＠\t\r") and not cell[1:].isdecimal()]


def test_a_byte_order_mark_is_written_where_it_is_asked_for() -> None:
    assert "".join(stream([], bom=True)) == BOM + "".join(stream([]))
    assert not "".join(stream([])).startswith(BOM)
