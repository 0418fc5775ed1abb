"""What is exported comes back, and the page that says so is true."""

import pytest
from hypothesis import given, settings

from sources.core.entries import Author
from sources.core.exported import ExportedSource
from sources.core.holdings import Held
from sources.core.retraction import RetractionStatus
from sources.reports import bibtex, csl_json, csv_table, ris, sources_md
from sources.reports.plain_text import line
from tests.read_back import READERS
from tests.round_trips import PAGE, WRITERS, kept, page
from tests.unit.sources.exports import EXPORT, NASTY, nasty, source, texts

WRITTEN = {
    "BibTeX": lambda sources: bibtex.stream(sources, EXPORT),
    "RIS": lambda sources: ris.stream(sources),
    "CSL-JSON": lambda sources: csl_json.stream(sources),
    "CSV": lambda sources: csv_table.stream(sources),
}


def back(name: str, *sources: ExportedSource) -> list:  # type: ignore[type-arg]
    """The records that come of these sources by way of the format."""
    text = "".join(WRITTEN[name](sources))
    return READERS[name](text.encode().decode())


def test_the_page_of_round_trips_says_what_they_keep() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.round_trips"


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_carries_a_retraction_and_its_note(name: str) -> None:
    assert (kept(name)["retracted"], kept(name)["retraction_note"]) == ("yes", "yes")


@pytest.mark.parametrize("name", WRITTEN)
def test_every_nasty_title_comes_back(name: str) -> None:
    records = back(name, *(source(number, record_title=text) for number, text in enumerate(NASTY, start=1)))
    assert [record.title for record in records] == [line(text) for text in NASTY]


@settings(max_examples=60, deadline=None)
@given(texts, texts)
@pytest.mark.parametrize("name", WRITTEN)
def test_any_text_comes_back_and_stays_in_its_field(name: str, title: str, note: str) -> None:
    records = back(name, source(1, record_title=title, record_note=note), source(2))
    assert len(records) == 2
    assert records[0].title == line(title)
    if "[" not in note:
        assert line(records[0].note) == line(note)
    assert records[1].title == "Harbour survey 2"


@settings(max_examples=30, deadline=None)
@given(texts)
@pytest.mark.parametrize("name", WRITTEN)
def test_a_source_all_of_whose_fields_are_hostile_harms_no_other(name: str, text: str) -> None:
    records = back(name, source(1), nasty(2, text), source(3))
    assert [records[0].title, records[1].title, records[2].title] == [
        "Harbour survey 1",
        line(text),
        "Harbour survey 3",
    ]


@pytest.mark.parametrize("name", ["BibTeX", "CSL-JSON"])
@pytest.mark.parametrize(
    "author",
    [
        Author(family="Ministry of Ports, Ghana"),
        Author(family="Barnes and Noble"),
        Author(family="others"),
        Author(family="{Odd", given="Brace}"),
        Author(family="van der Berg", given="Jan"),
        Author(family="Smith, Jr", given="John"),
        Author(family="and", given="And"),
    ],
    ids=str,
)
def test_a_name_is_neither_split_nor_joined(name: str, author: Author) -> None:
    people = (author, Author(family="Núñez", given="Ana"))
    assert back(name, source(1, record_authors=people))[0].authors == people


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("status", [RetractionStatus.WITHDRAWN, RetractionStatus.REMOVED])
def test_a_withdrawn_work_comes_back_as_retracted(name: str, status: RetractionStatus) -> None:
    record = back(name, source(1, retraction=status, retraction_note="By [the] authors.", record_note="Mine."))[0]
    assert record.retracted
    assert record.note == "Mine."
    assert record.retraction_note in {"By (the) authors.", "By [the] authors."}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_concern_comes_back_as_no_retraction(name: str) -> None:
    told = source(1, retraction=RetractionStatus.CONCERN, retraction_note="Under review.", record_tags=("tides",))
    record = back(name, told)[0]
    assert not record.retracted
    assert record.tags == ("tides",)
    assert record.retraction_note == "Under review."


@pytest.mark.parametrize("name", WRITTEN)
def test_what_came_of_an_export_says_a_retraction_once(name: str) -> None:
    marked = {"retraction": RetractionStatus.RETRACTED, "retraction_note": "Invented."}
    once = source(1, record_note="Mine.", record_tags=("tides",), **marked)
    again = source(1, record_note="[RETRACTED: Earlier.] Mine.", record_tags=("retracted", "tides"), **marked)
    assert "".join(WRITTEN[name]([once])) == "".join(WRITTEN[name]([again]))


@pytest.mark.parametrize("name", WRITTEN)
def test_a_mark_that_only_the_note_knows_of_is_kept(name: str) -> None:
    told = source(1, record_note="[RETRACTED: Earlier.] Mine.", record_tags=("retracted",))
    text = "".join(WRITTEN[name]([told]))
    assert "[RETRACTED: Earlier.] Mine." in text


@settings(max_examples=60, deadline=None)
@given(texts)
def test_the_front_matter_of_sources_md_is_yaml_whatever_stands_in_it(text: str) -> None:
    sources = [source(1), source(2, record_note=text, access_note=text), source(3)]
    records = READERS["Sources.md"]("".join(sources_md.stream(Held(sources), EXPORT)).encode().decode())
    assert [record.section for record in records] == ["02-market"] * 3
    assert records[2].note == ""
