"""Reference lists in every usual style: one record an entry, nothing lost, broken DOIs joined."""

from pathlib import Path

import pytest

from sources.core.extraction.citation import read_citation
from sources.formats import reference_lists
from tests.formats.given import errors, format_of, named, read, records
from tests.growth import assert_linear

LIST = """References

Okoro, A. B., Marek, J., & Berg, L. (2020). Storm gates and the tide: A review. J Harb, 12(3), 45–67. doi:10.1000/jhs.11
Marek, J. (2019, May 4). The night ferry returns. Harbour Gazette. https://gazette.example/night-ferry
Board of Tides. (2021). Guidelines on tides.
"""


@pytest.mark.parametrize(
    ("entry", "title", "authors", "year", "container", "numbers"),
    [
        (
            "Okoro, A. B., Marek, J., & van den Berg, L. (2020). Storm gates and the tide: A review. Journal of "
            "Harbour Studies, 12(3), 45–67. https://doi.org/10.1000/jhs.1",
            "Storm gates and the tide: A review",
            ["Okoro, A. B.", "Marek, J.", "van den Berg, L."],
            "2020",
            "Journal of Harbour Studies",
            ("12", "3", "45–67"),
        ),
        (
            'Okoro, Ada, and Jan Marek. "Storm Gates and the Tide." Journal of Harbour Studies, vol. 12, no. 3, 2020, '
            "pp. 45-67.",
            "Storm Gates and the Tide",
            ["Okoro, Ada", "Marek, Jan"],
            "2020",
            "Journal of Harbour Studies",
            ("12", "3", "45–67"),
        ),
        (
            'Okoro, Ada, and Jan Marek. "Storm Gates." Journal of Harbour Studies 12, no. 3 (2020): 45–67.',
            "Storm Gates",
            ["Okoro, Ada", "Marek, Jan"],
            "2020",
            "Journal of Harbour Studies",
            ("12", "3", "45–67"),
        ),
        (
            "A. B. Okoro and J. Marek, “Storm gates in practice,” IEEE Trans. Harb., vol. 3, no. 2, pp. 1–9, May 2017, "
            "doi: 10.1109/TH.2017.123.",
            "Storm gates in practice",
            ["Okoro, A. B.", "Marek, J."],
            "2017",
            "IEEE Trans. Harb",
            ("3", "2", "1–9"),
        ),
        (
            "Okoro AB, Marek J, Berg L, et al. Storm gates and tides: a cohort study. J Harb Med. 2004;48(3):617-43.",
            "Storm gates and tides: a cohort study",
            ["Okoro, AB", "Marek, J", "Berg, L"],
            "2004",
            "J Harb Med",
            ("48", "3", "617–43"),
        ),
        (
            "Okoro, A. (2004): “Tides of the north,” Econ. of Harbours, 48(3), 617 – 643.",
            "Tides of the north",
            ["Okoro, A."],
            "2004",
            "Econ. of Harbours",
            ("48", "3", "617–643"),
        ),
        (
            "Okoro, A. (2015) 'Ferries and fog', Harbour Review, 4(1), pp. 12-30.",
            "Ferries and fog",
            ["Okoro, A."],
            "2015",
            "Harbour Review",
            ("4", "1", "12–30"),
        ),
        (
            "Okoro, Ada. *The Long Harbour*. Gazette Press, 2018.",
            "The Long Harbour",
            ["Okoro, Ada"],
            "2018",
            "",
            ("", "", ""),
        ),
        (
            "Board of Tides. (2021). Guidelines on tides. https://tides.example/g",
            "Guidelines on tides",
            ["Board of Tides"],
            "2021",
            "",
            ("", "", ""),
        ),
    ],
)  # fmt: skip
def test_every_style_tells_title_authors_year_and_place(
    entry: str, title: str, authors: list[str], year: str, container: str, numbers: tuple[str, str, str]
) -> None:
    told = read_citation(entry)
    assert told.is_clear
    assert (told.title, [str(author) for author in told.authors]) == (title, authors)
    assert (told.published_date, told.container_title) == (year, container)
    assert (told.volume, told.issue, told.pages) == numbers


def test_an_entry_without_an_identifier_is_a_record_with_its_title(tmp_path: Path) -> None:
    found = records(read(LIST, tmp_path))
    assert [(one.line, named(one), one.title) for one in found] == [
        (3, "10.1000/jhs.11", "Storm gates and the tide: A review"),
        (4, "https://gazette.example/night-ferry", "The night ferry returns"),
        (5, "", "Guidelines on tides"),
    ]
    assert found[1].publisher == "Harbour Gazette"
    assert found[0].container_title == "J Harb"


GATES = "Okoro, A. (2004). Storm gates. J Harb, 48(1), 617-43."
FOG = "Marek, J. (2005). Fog over the{}harbour. J Harb, 4(2), 1-9."
EELS = "Berg, L. (2006). Eels. J Harb, 5(3), 2-8."


@pytest.mark.parametrize(
    "text",
    [
        "[1] Okoro A. Storm gates. J Harb. 2004;48:617-43.\n[2] Marek J. Fog over the\n    harbour. J Harb. 2005;4:1-9."
        "\n[3] Berg L. Eels. J Harb. 2006;5:2-8.\n",
        f"1. {GATES}\n2. {FOG.format(chr(10))}\n3. {EELS}\n",
        f"{GATES}\n\n{FOG.format(chr(10))}\n\n{EELS}\n",
        f"{GATES}\n{FOG.format(chr(10) + '   ')}\n{EELS}\n",
        f"- {GATES}\n- {FOG.format(' ')}\n- {EELS}\n",
        f"{GATES}\n{FOG.format(' ')}\n{EELS}\n",
    ],
    ids=["brackets", "numbers", "paragraphs", "hanging", "bullets", "lines"],
)
def test_entries_are_told_apart_by_numbers_blanks_indents_or_bullets(text: str, tmp_path: Path) -> None:
    found = records(read(text, tmp_path))
    assert [one.title for one in found] == ["Storm gates", "Fog over the harbour", "Eels"]
    assert [one.published_date for one in found] == ["2004", "2005", "2006"]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("https://doi.org/10.1000/", "jhs.2020.11"),
        ("https://doi.org/10.1000/jhs.", "2020.11"),
        ("doi:10.1000/jhs", ".2020.11"),
        ("doi:10.1000/jhs.2020", ".11"),
        ("doi: 10.1000/ jhs.2020.11", ""),
        ("https://doi. org/10.1000/jhs.2020.11", ""),
    ],
)
def test_a_doi_broken_over_lines_is_joined_and_said_so(above: str, below: str, tmp_path: Path) -> None:
    text = f"[1] Okoro, A. (2020). Storm gates. J Harb, 12(3), 45–67. {above}\n    {below}\n[2] {EELS}\n"
    first = records(read(text, tmp_path))[0]
    assert named(first) == "10.1000/jhs.2020.11"
    assert any("joined" in warning for warning in first.warnings)


def test_a_year_or_a_sentence_after_an_address_is_not_joined_to_it(tmp_path: Path) -> None:
    text = (
        "[1] Okoro, A. (2020). Storm gates. J Harb, 12(3), 45–67. https://harbour.example/gates\n    2020\n"
        "[2] Berg, L. (2006). Eels. J Harb, 5(3), 2-8. https://harbour.example/eels.\n    Accessed 3 May 2020.\n"
    )
    assert [named(one) for one in records(read(text, tmp_path))] == [
        "https://harbour.example/gates",
        "https://harbour.example/eels",
    ]


def test_an_author_left_blank_is_the_last_one_again(tmp_path: Path) -> None:
    text = (
        "Okoro, A. (2004). Storm gates. J Harb, 48(1), 617-43.\n\n———. (2005). Fog. J Harb, 4(2), 1-9.\n\n"
        "          (2006). Eels. J Harb, 5(3), 2-8.\n"
    )
    assert [str(one.authors[0]) for one in records(read(text, tmp_path))] == ["Okoro, A."] * 3


def test_an_entry_of_no_style_keeps_its_words_and_says_so(tmp_path: Path) -> None:
    found = records(read(LIST + "Something odd that nobody wrote in a style, 1999\n", tmp_path))[-1]
    assert found.title == "Something odd that nobody wrote in a style, 1999"
    assert found.published_date == "1999"
    assert "could not be told apart" in found.warnings[-1]


def test_a_wrong_identifier_in_an_entry_is_a_warning_and_the_entry_stays(tmp_path: Path) -> None:
    (found,) = records(read("Okoro, A. (2004). Storm gates. Gazette Press. ISBN 0-306-40615-3.\n", tmp_path))
    assert (found.title, found.identities) == ("Storm gates", ())
    assert "check digit" in found.warnings[0]


def test_a_line_that_begins_with_a_year_or_volume_opens_no_entry(tmp_path: Path) -> None:
    text = f"References\n\n1. {GATES}\n2. Marek, J. Fog over the harbour. J Harb.\n2005. 4(2), 1-9.\n3. {EELS}\n"
    assert [(one.ref, one.line) for one in records(read(text, tmp_path))] == [("1", 3), ("2", 4), ("3", 6)]


@pytest.mark.parametrize(
    ("entry", "title", "first", "year"),
    [
        ("Ada B. Okoro and J. Marek. Feasible gates for deep harbours. Harbour Letters, 6(5):80–91, 2005.",
         "Feasible gates for deep harbours", "Okoro, Ada B.", "2005"),
        ("Okoro, A.C. Processes of tides in firms. Almery: University of Almery, 1957. (Unpublished.)",
         "Processes of tides in firms", "Okoro, A.C.", "1957"),
        ("Okoro AB, Marek J: How many eels? A field guide to counting them. J Harb 1999, 4:1-9.",
         "How many eels? A field guide to counting them", "Okoro, AB", "1999"),
        ("Okoro, Ada. Works. Edited by Jan Marek. Almery: Gazette Press, 1968.", "", "", ""),
    ],
)  # fmt: skip
def test_names_are_told_from_titles_or_nothing_is_guessed(entry: str, title: str, first: str, year: str) -> None:
    told = read_citation(entry)
    assert told.is_clear is bool(title)
    if title:
        assert (told.title, str(told.authors[0]), told.published_date) == (title, first, year)


def test_a_list_of_over_ten_thousand_entries_loses_none(tmp_path: Path) -> None:
    text = "".join(
        f"[{number}] Okoro, A. (2004). Gates {number}. J Harb, 48(1), 6-9.\n" for number in range(9_990, 10_020)
    )
    assert [one.ref for one in records(read(text, tmp_path))] == [str(number) for number in range(9_990, 10_020)]


def test_a_list_of_addresses_is_no_reference_list() -> None:
    assert format_of(b"Port growth: https://a.example/1\nhttps://a.example/2\n").name == "list"
    assert format_of(LIST.encode()).name == "reference-list"


@pytest.mark.parametrize(
    "piece",
    [
        "Okoro A, ",
        "(2020). ",
        "a. ",
        "“",
        "'A",
        ",,,,",
        "10.1000/x-\n",
        "[1] ",
        "1. A\n",
        "—— ",
        "*a",
        "Vol. 1; 2020: ",
        "Aa-\n",
    ],
)
def test_hostile_references_grow_linearly(piece: str, tmp_path: Path) -> None:
    path = tmp_path / "file"

    def work(text: str) -> None:
        path.write_text(text)
        assert errors(list(reference_lists.FORMAT.read(path))) == []

    assert_linear(work, piece, 24_000, before="Okoro, A. (2004). Storm gates. J Harb, 48(1), 617-43.\n")
