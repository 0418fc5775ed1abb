"""What is exported comes back, and the page that says so is true."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from sources.core.entries import Author, SourceRecord
from sources.core.exported import ExportedSource
from sources.core.holdings import Held
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.reports.plain_text import line
from tests import round_trips
from tests.read_back import OTHERS, READERS, own
from tests.round_trips import PAGE, WRITERS, imported, kept, page, read_again
from tests.unit.sources.exports import NASTY, nasty, source, texts, web

Read = Callable[[str], list[SourceRecord]]
WRITTEN = ("BibTeX", "RIS", "CSL-JSON", "CSV")
# Each by the project's reader and by another tool's: two writers of the same mistake would agree with themselves.
BOTH = [(name, read) for name in WRITTEN for read in (READERS[name], OTHERS[name])]
both = pytest.mark.parametrize(("name", "read"), BOTH, ids=[f"{name} {read.__name__}" for name, read in BOTH])


def written(name: str, *sources: ExportedSource) -> str:
    """The one file of these sources."""
    (text,) = WRITERS[name](Held(list(sources)))
    return text.encode().decode()


def as_title(text: str, read: Read) -> str:
    """A title as it comes back: the desk's own readers keep 2,000 characters of it."""
    told = line(text)
    return told[:2_000] if read is own else told


def test_the_page_of_round_trips_says_what_they_keep() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.round_trips"


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_carries_a_retraction_and_its_note(name: str) -> None:
    assert (kept(name)["retracted"], kept(name)["retraction_note"]) == ("yes", "yes")


@both
def test_every_nasty_title_comes_back(name: str, read: Read) -> None:
    records = read(written(name, *(source(number, record_title=text) for number, text in enumerate(NASTY, start=1))))
    assert [record.title for record in records] == [as_title(text, read) for text in NASTY]


@settings(max_examples=60, deadline=None)
@given(texts, texts)
@both
def test_any_text_comes_back_and_stays_in_its_field(name: str, read: Read, title: str, note: str) -> None:
    records = read(written(name, source(1, record_title=title, record_note=note), source(2)))
    assert len(records) == 2
    assert records[0].title == as_title(title, read)
    if "[" not in note:
        assert line(records[0].note) == line(note)
    assert records[1].title == "Harbour survey 2"


@settings(max_examples=30, deadline=None)
@given(texts)
@both
def test_a_source_all_of_whose_fields_are_hostile_harms_no_other(name: str, read: Read, text: str) -> None:
    records = read(written(name, source(1), nasty(2, text), source(3)))
    assert [records[0].title, records[1].title, records[2].title] == [
        "Harbour survey 1",
        as_title(text, read),
        "Harbour survey 3",
    ]


@pytest.mark.parametrize(("name", "read"), [pair for pair in BOTH if pair[0] in {"BibTeX", "CSL-JSON"}])
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
def test_a_name_is_neither_split_nor_joined(name: str, read: Read, author: Author) -> None:
    people = (author, Author(family="Núñez", given="Ana"))
    assert read(written(name, source(1, record_authors=people)))[0].authors == people


@both
@pytest.mark.parametrize("status", [RetractionStatus.WITHDRAWN, RetractionStatus.REMOVED])
def test_a_withdrawn_work_comes_back_as_retracted(name: str, read: Read, status: RetractionStatus) -> None:
    record = read(
        written(name, source(1, retraction=status, retraction_note="By [the] authors.", record_note="Mine."))
    )[0]
    assert record.retracted
    assert record.note == "Mine."
    assert record.retraction_note in {"By (the) authors.", "By [the] authors."}


@both
def test_a_concern_comes_back_as_no_retraction(name: str, read: Read) -> None:
    told = source(1, retraction=RetractionStatus.CONCERN, retraction_note="Under review.", record_tags=("tides",))
    record = read(written(name, told))[0]
    assert not record.retracted
    assert record.tags == ("tides",)
    assert record.retraction_note == "Under review."


@pytest.mark.parametrize("name", WRITTEN)
def test_what_came_of_an_export_says_a_retraction_once(name: str) -> None:
    marked = {"retraction": RetractionStatus.RETRACTED, "retraction_note": "Invented."}
    once = source(1, record_note="Mine.", record_tags=("tides",), **marked)
    again = source(1, record_note="[RETRACTED: Earlier.] Mine.", record_tags=("retracted", "tides"), **marked)
    assert written(name, once) == written(name, again)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_mark_that_only_the_note_knows_of_is_kept(name: str) -> None:
    told = source(1, record_note="[RETRACTED: Earlier.] Mine.", record_tags=("retracted",))
    text = written(name, told)
    assert "[RETRACTED: Earlier.] Mine." in text


@settings(max_examples=60, deadline=None)
@given(texts)
def test_the_front_matter_of_sources_md_is_yaml_whatever_stands_in_it(text: str) -> None:
    sources = [source(1), source(2, record_note=text, access_note=text), source(3)]
    records = OTHERS["Sources.md"](written("Sources.md", *sources))
    assert [record.section for record in records] == ["02-market"] * 3
    assert records[2].note == ""


@pytest.mark.parametrize("name", WRITERS)
def test_what_was_imported_from_an_export_is_exported_with_the_same_bytes(name: str) -> None:
    given = round_trips.sources()
    again = [imported(one, record) for one, record in zip(given, read_again(name, given), strict=True)]
    assert WRITERS[name](Held(again)) == WRITERS[name](Held(given))


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("status", RetractionStatus)
def test_every_word_on_a_retraction_comes_back(name: str, status: RetractionStatus) -> None:
    given = [source(1, retraction=status, retraction_note="By the authors." if status.label else "")]
    (record,) = read_again(name, given)
    assert record is not None
    assert bool(record.retracted) == status.is_retracted
    assert record.retraction_note == given[0].retraction_note
    again = imported(given[0], record)
    # JSON Lines have one bit for what no longer holds.
    if name != "JSON Lines" or not status.is_retracted:
        assert again.retraction.label == status.label
        assert WRITERS[name](Held([again])) == WRITERS[name](Held(given))


@settings(max_examples=40, deadline=None)
@given(texts)
@pytest.mark.parametrize("name", WRITTEN)
def test_a_second_round_trip_changes_nothing_whatever_the_texts(name: str, text: str) -> None:
    identified = (Identity(IdentifierType.DOI, "10.1234/harbour", ""), web("https://harbour.example/2"))
    given = [source(1), nasty(2, text), source(3)]
    given[1] = replace(given[1], record=replace(given[1].record, identities=identified))
    once = [imported(one, record) for one, record in zip(given, READERS[name](written(name, *given)), strict=True)]
    text_once = written(name, *once)
    twice = [imported(one, record) for one, record in zip(once, READERS[name](text_once), strict=True)]
    assert written(name, *twice) == text_once
