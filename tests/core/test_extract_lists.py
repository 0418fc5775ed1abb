"""Plain lists: what a person pastes, line by line."""

import pytest

from sources.core.catalog import CitationStatus
from sources.core.extract import MAX_LINES, Shape, extract, lines_of, shape_of
from sources.core.records import Extraction


def values(found: Extraction) -> list[tuple[int, str]]:
    return [(reference.line, reference.identity.value) for reference in found.references]


def test_each_line_of_a_list_is_a_source_or_an_error_with_its_line() -> None:
    found = extract(
        "https://a.example/1\n"
        "\n"
        "  2) http://www.b.example/2/?utm_source=letter \r\n"
        "- <https://c.example/3>\r"
        "doi:10.1000/ABC\n"
        "nothing to see\n"
        "example.org/page\n"
        "arXiv:1706.03762v5\n"
        "PMID: 12345\n"
        "ISBN 0-306-40615-2\n"
        "9780306406157\n"
        "javascript:alert(1)\n"
    )
    assert values(found) == [
        (1, "https://a.example/1"),
        (3, "https://b.example/2"),
        (4, "https://c.example/3"),
        (5, "10.1000/abc"),
        (7, "https://example.org/page"),
        (8, "1706.03762"),
        (9, "12345"),
        (10, "9780306406157"),
        (11, "9780306406157"),
    ]
    assert [(error.line, error.spelling) for error in found.errors] == [
        (6, "nothing to see"),
        (12, "javascript:alert(1)"),
    ]
    assert "no web address" in found.errors[0].message
    assert "javascript:" in found.errors[1].message
    assert {reference.status for reference in found.references} == {CitationStatus.FOUND_IN_RESEARCH}


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Harbour survey 2024 — https://a.example/1", "Harbour survey 2024"),
        ("Harbour survey 2024, https://a.example/1", "Harbour survey 2024"),
        ("Harbour survey 2024\thttps://a.example/1", "Harbour survey 2024"),
        ("Harbour survey 2024: https://a.example/1", "Harbour survey 2024"),
        ("- [ ] “Harbour survey 2024” (https://a.example/1)", "Harbour survey 2024"),
        ("12. **Harbour survey 2024** | https://a.example/1", "Harbour survey 2024"),
        ("[3] https://a.example/1 - Harbour survey 2024", "Harbour survey 2024"),
        ("* [Harbour survey 2024](https://a.example/1)", "Harbour survey 2024"),
        ("Harbour survey 2024. Accessed 3 May 2025. https://a.example/1", "Harbour survey 2024"),
        ("Harbour survey 2024, accessed May 3, 2025, https://a.example/1", "Harbour survey 2024"),
        ('Okoro, A. "Harbour survey 2024" (2024) [https://a.example/1]', "Harbour survey 2024"),
        ("Title: Harbour survey 2024 URL: https://a.example/1", "Harbour survey 2024"),
        ("https://a.example/1", ""),
        ("1. https://a.example/1", ""),
        ("see also https://a.example/1", ""),
        ("Available at: https://a.example/1", ""),
        ("read it at https://a.example/1", ""),
        ("Okoro, A., & Vaszary, B. (2024). Siltation. Tides, 12(3), 45. https://a.example/1", ""),
        ("[https://a.example/1](https://a.example/1)", ""),
        ("I found this: https://a.example/1", ""),
        ("https://a.example/1 by Ada Okoro.", "by Ada Okoro"),
        ("https://a.example/1 harbour survey", "harbour survey"),
    ],
)
def test_a_title_beside_the_address_is_kept(line: str, title: str) -> None:
    found = extract(line)
    assert [reference.title for reference in found.references] == [title]
    assert found.references[0].spelling == "https://a.example/1"


@pytest.mark.parametrize(
    "text",
    [
        "According to https://a.example/1 tides rise.",
        "See also https://a.example/1 for the tables.",
        "Boats rose 3 m, https://a.example/1 shows.",
        "The harbour silts up (https://a.example/1) and nobody dredges it.",
        "https://a.example/1 is the survey of the harbour.",
        "As https://a.example/1 says, tides rise.\n\nBoats float.",
    ],
)
def test_a_sentence_around_an_address_is_a_draft_and_no_title(text: str) -> None:
    assert shape_of(lines_of(text)) is Shape.DRAFT
    for shape in (Shape.DRAFT, Shape.LIST):
        assert [reference.title for reference in extract(text, shape=shape).references] == [""]


def test_several_sources_in_a_line_are_several_references() -> None:
    found = extract("https://a.example/1,https://b.example/2; https://c.example/3 10.1000/182,10.1000/183\n")
    assert [reference.spelling for reference in found.references] == [
        "https://a.example/1",
        "https://b.example/2",
        "https://c.example/3",
        "10.1000/182",
        "10.1000/183",
    ]


@pytest.mark.parametrize("shape", [Shape.LIST, Shape.DRAFT])
@pytest.mark.parametrize("before", ["isbn", "ISBN-10 ", "issn", "pmid", "PMID: ", "doi", "arXiv"])
def test_a_doi_glued_to_a_name_is_a_doi_without_a_title(before: str, shape: Shape) -> None:
    (reference,) = extract(f"{before}10.1000/182\n", shape=shape).references
    assert (reference.identity.value, reference.title) == ("10.1000/182", "")


def test_a_source_named_twice_in_a_line_is_one_reference() -> None:
    found = extract("Tides. doi:10.1000/182 https://doi.org/10.1000/182 http://dx.doi.org/10.1000/182\n")
    assert values(found) == [(1, "10.1000/182")]


def test_identifiers_that_go_with_a_doi_are_no_second_source() -> None:
    found = extract("Tides. ISSN 0378-5955. doi: 10.1000/182. PMID: 12345; PMCID: PMC1\nPMID: 67890\n")
    assert values(found) == [(1, "10.1000/182"), (2, "67890")]


def test_headings_and_rules_set_sections_and_are_no_errors() -> None:
    found = extract(
        "# Market\n\nhttps://a.example/1\n---\n**Team**\nhttps://a.example/2\nPapers:\nhttps://a.example/3\n#Other\nhttps://a.example/4\n"
    )
    assert [reference.section for reference in found.references] == ["Market", "Team", "Papers", "Other"]
    assert found.errors == ()


def test_a_heading_may_itself_name_a_source() -> None:
    assert values(extract("# https://a.example/1\n")) == [(1, "https://a.example/1")]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("file:///home/me/x.pdf", "file:"),
        ("Report — ftp://files.example/x", "ftp:"),
        ("data:text/html,x", "data:"),
        ("http://", "host"),
        ("http://127.1/x", "127.1"),
        ("https://exa mple.com/", ""),
        ("me@example.org", "e-mail"),
        ("20240425", "only a number"),
        ("ISBN 0-306-40615-3", "check digit"),
        ("arXiv:2613.99999", "arXiv"),
        ("10.12/abc", "DOI"),
        ("https://a.example/" + "x" * 20_000, "20,018 characters"),
        ("x." * 15_000, "30,000 characters"),
    ],
)
def test_an_unusable_line_says_why(line: str, says: str) -> None:
    found = extract(f"https://ok.example/1\n{line}\nhttps://ok.example/2\n")
    if says:
        assert [error.line for error in found.errors] == [2]
        assert says in found.errors[0].message
        assert len(found.errors[0].spelling) <= 200
    assert [reference.line for reference in found.references if "ok.example" in reference.spelling] == [1, 3]


def test_a_password_never_shows() -> None:
    found = extract(
        "https://user:Hunter22@a.example/1\n"
        "https://user:Hunter22/x@a.example/2\n"
        "https://a.example/3?to=http%3A%2F%2Fuser%3AHunter22%40b.example\n"
        "user:Hunter22@c.example\n"
        "Mine — ftp://user:Hunter22@d.example/\n"
        "https://e.example/5\n"
    )
    assert "Hunter22" not in repr(found)
    assert found.references[0].spelling == "https://***@a.example/1"
    assert found.references[0].identity.request_url == "https://a.example/1"
    assert [error.line for error in found.errors] == [3, 4, 5]


def test_a_line_with_a_nul_byte_is_an_error_and_the_others_are_read() -> None:
    found = extract("https://a.example/1\nhttps://b.example/\x002\nhttps://c.example/3\n")
    assert values(found) == [(1, "https://a.example/1"), (3, "https://c.example/3")]
    assert [(error.line, "NUL" in error.message) for error in found.errors] == [(2, True)]


def test_control_characters_end_an_address_and_are_not_kept() -> None:
    found = extract("\x1b[31mhttps://a.example/1\x1b[0m\nhttps://b.example/2\x0c\n")
    assert [reference.spelling for reference in found.references] == ["https://a.example/1", "https://b.example/2"]
    assert "\x1b" not in repr(found)


def test_an_empty_text_gives_nothing_and_a_text_without_sources_one_error() -> None:
    assert extract("") == extract(" \n\t\n\ufeff\n") == Extraction((), ())
    found = extract(
        "\nThe harbour grew last year, and nobody has said by how much or why it did so.\n\nMore prose follows.\n"
    )
    assert found.references == ()
    assert [(error.line, "whole text" in error.message) for error in found.errors] == [(2, True)]


def test_a_text_of_too_many_lines_is_not_read() -> None:
    found = extract("https://a.example/1\n" + "\n" * MAX_LINES)
    assert found.references == ()
    assert len(found.errors) == 1
    assert "Split it" in found.errors[0].message


def test_code_ticks_hide_nothing_in_a_list() -> None:
    assert values(extract("- `https://a.example/1` — reason\n")) == [(1, "https://a.example/1")]
