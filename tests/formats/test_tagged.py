"""RIS, NBIB, Web of Science, EndNote's and Biblioscape's tagged files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.files import failed, names, one, read, sources
from tests.growth import assert_linear

RIS = "TY  - JOUR\nAU  - Müller, Jörg\nTI  - Harbours\nPY  - 2019/03/04/\nDO  - 10.1234/a\nER  - \n"


def test_a_ris_entry_is_read() -> None:
    record = one(
        "TY  - JOUR\nID  - k1\nA1  - Müller, Jörg\nAU  - Smith, Ann\nED  - Ed, Itor\nT1  - Harbours\nT2  - Journal\n"
        "VL  - 3\nIS  - 2\nSP  - 1\nEP  - 20\nPY  - 2019\nDA  - 2019/03/04\nSN  - 0378-5955\nPB  - House\nKW  - a\n"
        "KW  - b\n"
        "N2  - An abstract\nthat goes on.\nC7  - 12\nER  - \n",
        as_format="ris",
    )
    assert (record.ref, record.title, record.container_title, record.kind) == (
        "k1",
        "Harbours",
        "Journal",
        "article-journal",
    )
    assert [str(author) for author in record.authors] == ["Smith, Ann", "Müller, Jörg"]
    assert (record.published_date, record.pages, record.issn) == ("2019-03-04", "1–20", "0378-5955")
    assert record.abstract == "An abstract\nthat goes on."
    assert record.tags == ("a", "b")
    assert ("C7", "12") in record.details


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + RIS,
        RIS.replace("  - ", " - "),
        RIS.replace("  - ", "  -").replace("TY  -JOUR", "TY  - JOUR").replace("  -", "  - "),
        "".join(f"{line[:2].lower()}{line[2:]}\n" for line in RIS.splitlines()),
        RIS.replace("\n", "\r\n"),
        RIS.replace("\n", "\r"),
        "1.\n" + RIS + "\n\n",
        RIS.replace("ER  - \n", ""),
    ],
)
def test_a_ris_entry_is_read_however_its_tags_are_written(text: str) -> None:
    record = one(text, as_format="ris")
    assert record.title == "Harbours"
    assert names(record) == ["doi:10.1234/a"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "cp1252"])
def test_a_ris_file_in_another_encoding_is_read(codec: str) -> None:
    assert one(RIS.encode(codec), as_format="ris").authors[0].family == "Müller"


def test_a_ris_entry_without_an_end_is_still_read_and_told() -> None:
    first, second = sources(read(RIS.replace("ER  - \n", "") + RIS, as_format="ris"))
    assert "ER" in first.warnings[0]
    assert second.warnings == ()


def test_a_second_doi_of_a_ris_entry_is_kept() -> None:
    record = one(RIS.replace("ER", "DO  - 10.1234/b\nM3  - doi:10.1234/c\nER"), as_format="ris")
    assert names(record) == ["doi:10.1234/a", "doi:10.1234/b", "doi:10.1234/c"]


def test_an_address_among_words_is_found_and_words_alone_are_kept() -> None:
    text = "TY  - JOUR\nTI  - T\nUR  - https://a.example/1; https://b.example/2;\nUR  - <Go to ISI>://WOS:1\nER  - "
    record = one(text, as_format="ris")
    assert names(record) == ["url:https://a.example/1", "url:https://b.example/2"]
    assert ("UR", "<Go to ISI>://WOS:1") in record.details
    assert record.warnings == ()


def test_words_that_look_like_tags_stay_in_the_abstract() -> None:
    record = one("TY  - JOUR\nTI  - T\nAB  - a\nER then more\nIV - a grade\nan - other\nER  - \n", as_format="ris")
    assert record.abstract == "a\nER then more\nIV - a grade\nan - other"


@pytest.mark.parametrize("stray", ["AU  - A, B\nUR  - https://a.example/1\nER  - \n", "TI  - Lost\nAU  - A, B\n"])
def test_ris_fields_outside_an_entry_are_an_error_with_the_way_out(stray: str) -> None:
    items = read(f"{RIS}\n{stray}{RIS}", as_format="ris")
    assert len(sources(items)) == 2
    (error,) = failed(items)
    assert error.line == 8
    assert "TY" in error.message


def test_a_ris_entry_that_lost_its_first_line_is_read_and_says_so() -> None:
    items = read(RIS + "\nTI  - Lost\nAU  - A, B\nDO  - 10.1234/b\nER  - \n" + RIS, as_format="ris")
    lost = sources(items)[1]
    assert (lost.line, lost.title, lost.kind, names(lost)) == (8, "Lost", "", ["doi:10.1234/b"])
    assert "is missing" in lost.warnings[0]
    assert [str(author) for author in lost.authors] == ["A, B"]


def test_an_id_in_the_note_of_a_ris_entry_is_found() -> None:
    assert names(one("TY  - JOUR\nTI  - T\nN1  - PMID: 123\nER  - ", as_format="ris")) == ["pmid:123"]


def test_an_entry_with_neither_title_nor_identifier_is_an_error() -> None:
    (error,) = failed(read("TY  - JOUR\nAU  - A, B\nER  - \n", as_format="ris"))
    assert "title" in error.message


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["TY  - JOUR", "TI  - T", "ER  - ", "DO  - 10.1234/a", "", "words", "NL  - x"]), max_size=12
    )
)
def test_every_ris_entry_is_a_row_or_an_error_whatever_is_missing(lines: list[str]) -> None:
    read("\n".join(["TY  - JOUR", *lines]), as_format="ris")


NBIB = """PMID- 123
OWN - NLM
TI  - Harbours and their
      boats.
FAU - Carberry, Josiah
AUID- ORCID: 0000-0002-1825-0097
AU  - Carberry J
FAU - Smith, Ann
CN  - Harbour Study Group
JT  - The Journal
DP  - 2019 Mar 4
VI  - 3
IP  - 2
PG  - 1-20
IS  - 0378-5955 (Print)
LID - 10.1234/a [doi]
AID - S12 [pii]
PT  - Journal Article
PT  - Retracted Publication
RIN - The Journal. 2020;4:5. PMID: 456
ECI - The Journal. 2019;4:1. PMID: 455
EIN - The Journal. 2019;4:2
"""


def test_an_nbib_entry_is_read_with_what_was_retracted_and_where() -> None:
    record = one("\ufeff\n" + NBIB, as_format="nbib")
    assert record.title == "Harbours and their\nboats.".replace("\n", " ")
    assert names(record) == ["doi:10.1234/a", "pmid:123"]
    assert [str(author) for author in record.authors] == ["Carberry, Josiah", "Smith, Ann", "Harbour Study Group"]
    assert record.authors[0].orcid == "0000-0002-1825-0097"
    assert (record.published_date, record.container_title) == ("2019-03-04", "The Journal")
    assert record.retracted is True
    assert record.retraction_note == "The Journal. 2020;4:5. PMID: 456"
    kept = dict(record.details)
    assert kept["ECI"].startswith("The Journal. 2019;4:1")
    assert kept["EIN"] == "The Journal. 2019;4:2"


def test_a_concern_alone_is_no_retraction() -> None:
    text = NBIB.replace("PT  - Retracted Publication\n", "").replace("RIN - The Journal. 2020;4:5. PMID: 456\n", "")
    assert one(text, as_format="nbib").retracted is None


def test_nbib_entries_are_told_apart_with_and_without_blank_lines() -> None:
    assert len(read(NBIB + NBIB.replace("123", "124") + "\n" + NBIB.replace("123", "125"), as_format="nbib")) == 3


def test_a_web_of_science_file_is_read() -> None:
    record = one(
        "FN ISI Export Format\nVR 1.0\nPT J\nAU Müller, J\n   Smith, A\nTI Harbours and\n   boats\nSO THE JOURNAL\n"
        "PY 2019\n"
        "PD MAR 4\nVL 3\nBP 1\nEP 20\nDI 10.1234/a\nPM 123\nSN 0378-5955\nDE boats; trade\nUT WOS:1\nER\n\nEF\n",
        as_format="isi",
    )
    assert record.title == "Harbours and boats"
    assert [author.family for author in record.authors] == ["Müller", "Smith"]
    assert names(record) == ["doi:10.1234/a", "pmid:123"]
    assert (record.published_date, record.pages, record.ref) == ("2019-03-04", "1–20", "WOS:1")


def test_an_enw_file_is_read_entry_by_entry() -> None:
    items = read(
        "%0 Journal Article\n%T Harbours\n%A Müller, Jörg\n%J Journal\n%D 2019\n%R doi:10.1234/a\n%U https://a.example/1\n"
        "%@ 0378-5955\n%K a\nb\n%X Words.\n\n%0 Book\n%T Boats\n%@ 978-3-16-148410-0\n",
        as_format="endnote_tagged",
    )
    article, book = sources(items)
    assert names(article) == ["doi:10.1234/a", "url:https://a.example/1"]
    assert article.tags == ("a", "b")
    assert names(book) == ["isbn:9783161484100"]


def test_a_biblioscape_file_is_read() -> None:
    items = read(
        "--AU-- A, B.; C, D.\n--TI-- T\n--ST-- J\n--YP-- 1996\n------\n\n--TI-- U\n------\n", as_format="biblioscape"
    )
    assert [record.title for record in sources(items)] == ["T", "U"]
    assert len(sources(items)[0].authors) == 2


@pytest.mark.parametrize(
    ("name", "piece", "before"),
    [
        ("ris", "line\n", "TY  - JOUR\nTI  - x\n"),
        ("ris", "https://a.b/;", "TY  - JOUR\nTI  - x\nUR  - "),
        ("ris", ";", "TY  - JOUR\nTI  - x\nUR  - "),
        ("ris", "TY  - JOUR\n", "TY  - JOUR\n"),
        ("ris", "DO  - 10.1234/a\n", "TY  - JOUR\nTI  - x\n"),
        ("nbib", "      y\n", "PMID- 1\nTI  - x\n"),
        ("isi", "   y\n", "PT J\nTI x\nAU a\n"),
        ("endnote_tagged", "\nabc", "%0 Book\n%T x\n"),
        ("biblioscape", "--\n", "--TI-- x\n"),
    ],
)
def test_hostile_tags_take_linear_time(name: str, piece: str, before: str) -> None:
    assert_linear(lambda text: read(text, as_format=name), piece, 40_000, before=before)
