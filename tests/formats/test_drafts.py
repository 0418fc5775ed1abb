"""Lists, drafts and assistants' exports: what names a source, what only looks so, and what points to nothing."""

from pathlib import Path

import pytest

from sources.core.catalog import CitationStatus
from sources.formats.opened import head_of
from sources.formats.readers import PLAIN
from tests.formats.given import errors, named, read, records

PROSE = (
    "The harbour has grown for years, and the ferry line with it, as people on both sides of the water like to say.\n\n"
)


def test_a_list_gives_a_record_or_an_error_for_each_line(tmp_path: Path) -> None:
    items = read(
        "# Fish\n\n- https://a.example/1\n- Herring by sound: https://a.example/2\nonly words\n10.1000/182\n", tmp_path
    )
    assert [(item.line, type(item).__name__) for item in items] == [
        (3, "SourceRecord"),
        (4, "SourceRecord"),
        (5, "RowError"),
        (6, "SourceRecord"),
    ]
    assert [(named(one), one.title, one.section) for one in records(items)][1] == (
        "https://a.example/2",
        "Herring by sound",
        "Fish",
    )


def test_a_reference_among_addresses_keeps_its_title_even_without_an_address(tmp_path: Path) -> None:
    items = read(
        "https://a.example/1\nhttps://a.example/2\nOkoro, A. (2004). Storm gates. J Harb, 48(1), 617-43.\n", tmp_path
    )
    assert errors(items) == []
    assert records(items)[2].title == "Storm gates"


@pytest.mark.parametrize(
    "mark",
    [
        "citeturn0search0turn0search1",
        "\ue200cite\ue202turn0search0\ue202turn1view2\ue201",
        "\ue200filecite\ue202turn0file3\ue202L1-L9\ue201",
        ":contentReference[oaicite:0]{index=0}",
        "【12†source】",
        "【4:0†harbour.pdf】",
        "[oai_citation:0‡harbour.example]",
        "[cite: 1, 2]",
    ],
)
def test_a_mark_that_points_to_nothing_is_told_with_its_line(mark: str, tmp_path: Path) -> None:
    items = read(f"{PROSE}The gates hold. {mark}\n\nSee [Tides](https://a.example/1).\n", tmp_path)
    assert [(named(one), one.title) for one in records(items)] == [("https://a.example/1", "Tides")]
    (error,) = errors(items)
    assert error.line == 3
    assert "points to nothing" in error.message


def test_marks_never_become_part_of_a_title_or_context(tmp_path: Path) -> None:
    text = (
        PROSE
        + "- See [Tides :contentReference[oaicite:0]{index=0}](https://a.example/1?utm_source=chatgpt.com) "
        + "\ue200cite\ue202turn0search0\ue201.\n"
        + "- Rain [oai_citation:0‡Rain Board](https://a.example/2?utm_source=chatgpt.com) citeturn0search1\n"
    )
    found = records(read(text, tmp_path))
    assert [(named(one), one.title) for one in found] == [("https://a.example/1", "Tides"), ("https://a.example/2", "")]
    for one in found:
        told = one.title + one.context + named(one)
        assert not any(mark in told for mark in ("cite", "turn0", "‡", "\ue200", "utm_", "oai"))


def test_a_numbered_mark_with_an_entry_of_its_number_points_to_something(tmp_path: Path) -> None:
    items = read(
        f"{PROSE}Gates hold [cite: 1, 3]. Fog thins【2†L1-L4】.\n\n## Sources\n\n"
        "[1] Gates: https://a.example/1\n[2] Fog: https://a.example/2\n[3] Eels: https://a.example/3\n",
        tmp_path,
    )
    assert errors(items) == []
    assert [one.context for one in records(items)] == ["Gates hold.", "Fog thins.", "Gates hold."]


def test_a_reference_list_at_the_end_of_a_draft_loses_no_entry(tmp_path: Path) -> None:
    text = (
        PROSE
        + "## References\n\n"
        + "Okoro, A. (2004). Storm gates. *J Harb*, 48(1), 617-43. doi:10.1000/182 https://a.example/gates\n\n"
        + "Marek, J. (2005). Fog over the harbour. *J Harb*, 4(2), 1-9.\n\n"
        + "## Appendix\n\nMore prose that names nobody.\n"
    )
    found = records(read(text, tmp_path))
    assert [(one.line, named(one), one.title, one.published_date) for one in found] == [
        (5, "10.1000/182", "Storm gates", "2004"),
        (7, "", "Fog over the harbour", "2005"),
    ]
    assert [identity.type.value for identity in found[0].identities] == ["doi", "url"]
    assert {one.status for one in found} == {CitationStatus.INCLUDED}


def test_a_text_without_a_source_says_so_once(tmp_path: Path) -> None:
    items = read(PROSE, tmp_path)
    assert [error.line for error in errors(items)] == [1]


@pytest.mark.parametrize(
    "data",
    [
        b"@article{a, title={T}}\n",
        b"TY  - JOUR\nTI  - T\nER  - \n",
        b"PMID- 123\nTI  - T\n",
        b'[{"id": 1, "title": "T"}]',
        b"<?xml version='1.0'?><xml><records/></xml>",
        b"Title,DOI,Year\nT,10.1000/182,2020\n",
        b"SQLite format 3\x00",
        b"%PDF-1.7",
        b"%0 Journal Article\n%T T\n",
        b"",
    ],
)
def test_what_belongs_to_another_reader_is_left_to_it(data: bytes) -> None:
    assert not any(found.recognises(head_of(data, is_whole=True)) for found in PLAIN)


def test_saved_pages_and_bookmarks_are_read_as_pages(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><html><body><h1>Fish</h1><a href='https://a.example/1'>Herring by sound</a></body></html>"
    (found,) = records(read(page, tmp_path))
    assert (named(found), found.title, found.section) == ("https://a.example/1", "Herring by sound", "Fish")


NOTES = """\
# Moorings

Lines wear out.[^1] Nobody knows when they break.[^2] People look at error pages instead.[^3]

## References

[^1]: 2024, May 16. [Ballast rules](http://harbour.org/ballast). Northwind Research. Published: 2024-05-16
[^2]: 2024, Jan 30. A theory of mooring line fatigue. doi:10.5555/harbour.9
[^3]: 2024, Mar 3. [Fixing the “404 Not Found” error](http://harbour.org/fixing). Quayside Blog. Published: 2024-03-03
"""


def test_a_dated_note_gives_its_title_publisher_and_date(tmp_path: Path) -> None:
    told = {record.title: record for record in records(read(NOTES, tmp_path))}
    assert set(told) == {"Ballast rules", "A theory of mooring line fatigue", "Fixing the “404 Not Found” error"}
    assert told["A theory of mooring line fatigue"].published_date == "2024-01-30"
