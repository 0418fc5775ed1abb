"""BibTeX, RIS and CSL-JSON: what they say, and that no text of a stranger says anything of its own in them."""

import json
import re

import bibtexparser
import pytest
import rispy
from hypothesis import given, settings

from sources.core.entries import Author
from sources.core.exported import ExportedSource
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.reports import bibtex, csl_json, ris
from tests.growth import assert_linear
from tests.unit.sources.exports import EXPORT, NASTY, doi, nasty, recovered, source, texts, web

_COMMANDS = {"textbackslash", "textbraceleft", "textbraceright", "textasciitilde", "textasciicircum", *"$%&#_{}"}
RETRACTED = source(1, retraction=RetractionStatus.RETRACTED, retraction_note="Invented.", record_note="Mine.")


def bib(*sources: ExportedSource, **options: bool) -> str:
    """The BibTeX file of these sources."""
    return "".join(bibtex.stream(sources, EXPORT, **options))


def tags(*sources: ExportedSource, **options: bool) -> list[str]:
    """The lines of the RIS file of these sources."""
    return "".join(ris.stream(sources, **options)).split("\r\n")


def items(*sources: ExportedSource, **options: bool) -> list[dict[str, object]]:
    """The objects of the CSL-JSON file of these sources."""
    told: list[dict[str, object]] = json.loads("".join(csl_json.stream(sources, **options)))
    return told


@settings(max_examples=60, deadline=None)
@given(texts)
def test_a_text_holds_no_command_and_no_odd_brace_for_latex(text: str) -> None:
    written = bibtex.escaped(text)
    commands = re.findall(r"\\([A-Za-z]+|.)", written, re.DOTALL)
    assert set(commands) <= _COMMANDS
    # BibTeX counts every brace, escaped or not, and never below nothing.
    depth = 0
    for letter in written:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    bare = re.sub(r"\\(?:[A-Za-z]+\{\}|.)|\{@\}|\{\}", "", written)
    assert not set(bare) & set("\\{}$%&#_~^@\n\r")


@settings(max_examples=60, deadline=None)
@given(texts)
def test_every_entry_is_whole_whatever_stands_in_its_fields(text: str) -> None:
    written = bib(source(1), nasty(2, text), nasty(3, text), source(4))
    library = bibtexparser.parse_string(written.encode().decode())
    assert library.failed_blocks == []
    assert len(library.entries) == 4
    assert len({entry.key.casefold() for entry in library.entries}) == 4
    assert len(re.findall(r"^@", written, re.MULTILINE)) == 4


@settings(max_examples=60, deadline=None)
@given(texts)
def test_a_record_of_ris_holds_only_its_own_tags(text: str) -> None:
    lines = tags(nasty(1, text), source(2))
    assert sum(line.startswith("TY  - ") for line in lines) == sum(line == "ER  - " for line in lines) == 2
    assert all(line == "" or re.match(r"[A-Z][A-Z0-9]  - ", line) for line in lines)
    assert len(rispy.loads("\r\n".join(lines).encode().decode())) == 2


@pytest.mark.parametrize("text", NASTY)
def test_the_name_of_a_project_opens_no_entry(text: str) -> None:
    export = bibtex.Export(project=text, as_of=EXPORT.as_of, left_out_internal=2)
    written = "".join(bibtex.stream([source(1)], export))
    assert len(bibtexparser.parse_string(written.encode("utf-8", "replace").decode()).entries) == 1
    assert "2 internal sources were left out" in written.split("\n")[0]


def test_capitals_inside_a_title_are_kept_from_styles() -> None:
    assert "  title = {The {DNA} of {McDonald}, an e{@}mail}," in bib(
        source(1, record_title="The DNA of McDonald, an e@mail")
    )


def test_addresses_stand_raw_and_a_brace_in_one_is_encoded() -> None:
    url = "https://harbour.example/a_b%20c?d=1&e=#f{g}"
    written = bib(source(1, record_identities=(web(url), doi("10.5555/a_b<1::AID>2"))))
    assert "  url = {https://harbour.example/a_b%20c?d=1&e=#f%7Bg%7D}," in written
    assert "  doi = {10.5555/a_b<1::AID>2}," in written


def test_a_key_of_the_file_it_came_from_stays_and_every_key_is_there_once() -> None:
    twins = [
        source(number, record_ref=ref)
        for number, ref in enumerate(("Nunez2024", "nunez2024", "", "src-003", "a b%"), 1)
    ]
    keys = re.findall(r"^@online\{(.*),|^@misc\{(.*),", bib(*twins), re.MULTILINE)
    assert [found for _, found in keys] == ["Nunez2024", "nunez2024-src-002", "src-003", "src-003-src-004", "a-b"]


def test_a_key_does_not_depend_on_what_else_is_exported() -> None:
    sources = [source(number) for number in range(1, 6)]
    assert bib(sources[3]).partition("\n")[2] in bib(*sources)


@pytest.mark.parametrize(
    ("date", "fields"),
    [
        ("2024", ["  year = {2024}"]),
        ("2024-04", ["  year = {2024}", "  month = apr"]),
        ("2024-04-25", ["  year = {2024}", "  month = apr", "  date = {2024-04-25}"]),
        ("n.d.", ["  year = {n.d.}"]),
        ("", []),
    ],
)
def test_a_date_is_written_for_bibtex_and_for_biber(date: str, fields: list[str]) -> None:
    lines = bib(source(1, record_published_date=date)).replace(",\n", "\n").split("\n")
    assert [line for line in lines if re.match(r"  (?:year|month|date) =", line)] == fields


@pytest.mark.parametrize("date", ["2024", "2024-04", "2024-04-25"])
def test_a_date_is_written_for_ris_and_csl(date: str) -> None:
    dated = source(1, record_published_date=date)
    parts = [int(part) for part in date.split("-")]
    assert items(dated)[0]["issued"] == {"date-parts": [parts]}
    day = {1: [], 2: ["DA  - 2024/04//"], 3: ["DA  - 2024/04/25/"]}[len(parts)]
    assert [line for line in tags(dated) if line[:2] in {"PY", "DA"}] == ["PY  - 2024", *day]


@pytest.mark.parametrize(
    ("kind", "bib_type", "ris_type", "csl_type"),
    [
        ("article-journal", "article", "JOUR", "article-journal"),
        ("book", "book", "BOOK", "book"),
        ("chapter", "incollection", "CHAP", "chapter"),
        ("paper-conference", "inproceedings", "CPAPER", "paper-conference"),
        ("report", "techreport", "RPRT", "report"),
        ("thesis", "thesis", "THES", "thesis"),
        ("webpage", "online", "ELEC", "webpage"),
        ("dataset", "dataset", "DATA", "dataset"),
        ("", "misc", "GEN", "document"),
        ("hologram", "misc", "GEN", "hologram"),
    ],
)
def test_each_kind_of_work_has_its_type(kind: str, bib_type: str, ris_type: str, csl_type: str) -> None:
    work = source(1, record_kind=kind)
    assert f"@{bib_type}{{" in bib(work)
    assert tags(work)[0] == f"TY  - {ris_type}"
    assert items(work)[0]["type"] == csl_type


def test_a_retraction_stands_in_note_and_keywords_of_every_file() -> None:
    assert "  note = {[RETRACTED: Invented.] Mine.},\n  keywords = {retracted}\n" in bib(RETRACTED)
    assert [line for line in tags(RETRACTED) if line[:2] in {"N1", "KW"}] == [
        "N1  - [RETRACTED: Invented.]",
        "N1  - Mine.",
        "KW  - retracted",
    ]
    told = items(RETRACTED)[0]
    assert (told["status"], told["note"], told["keyword"]) == ("retracted", "[RETRACTED: Invented.] Mine.", "retracted")


def test_the_title_is_marked_only_where_that_is_asked_for() -> None:
    assert "{Harbour survey 1}" in bib(RETRACTED)
    assert "{{RETRACTED}: Harbour survey 1}" in bib(RETRACTED, title_prefix=True)
    assert "TI  - RETRACTED: Harbour survey 1" in tags(RETRACTED, title_prefix=True)
    assert items(RETRACTED, title_prefix=True)[0]["title"] == "RETRACTED: Harbour survey 1"
    assert items(source(1), title_prefix=True)[0]["title"] == "Harbour survey 1"


def test_organisations_are_literal_names_in_csl() -> None:
    people = (Author(family="World Health Organization"), Author(family="Núñez", given="Ana"))
    assert items(source(1, record_authors=people))[0]["author"] == [
        {"literal": "World Health Organization"},
        {"family": "Núñez", "given": "Ana"},
    ]


def test_a_work_found_again_is_written_with_the_address_that_answers() -> None:
    found = recovered(1, "https://harbour.example/new")
    assert "url = {https://harbour.example/new}" in bib(found)
    assert [line for line in tags(found) if line.startswith("UR")] == ["UR  - https://harbour.example/new"]
    assert items(found)[0]["URL"] == "https://harbour.example/new"


def test_every_identifier_is_told() -> None:
    ids = (
        Identity(IdentifierType.ARXIV, "2404.00017", ""),
        Identity(IdentifierType.PMID, "31452104", ""),
        Identity(IdentifierType.HANDLE, "2027/a", ""),
    )
    one = source(1, record_identities=ids)
    assert "  eprint = {2404.00017},\n  archiveprefix = {arXiv},\n  pmid = {31452104},\n  handle = {2027/a}" in bib(one)
    assert [line[6:] for line in tags(one) if line.startswith("UR")] == [
        "https://arxiv.org/abs/2404.00017",
        "https://pubmed.ncbi.nlm.nih.gov/31452104/",
        "https://hdl.handle.net/2027/a",
    ]
    told = items(one)[0]
    assert (told["PMID"], told["custom"]) == ("31452104", {"arxiv": "2404.00017", "handle": "2027/a"})


def test_a_password_in_an_address_leaves_with_no_file() -> None:
    one = source(
        1, record_identities=(web("https://anna:secret@harbour.example/"),), record_note="https://a:secret@b.example"
    )
    assert "secret" not in bib(one) + "".join(tags(one)) + json.dumps(items(one))


def test_an_empty_export_is_a_file_of_its_format() -> None:
    assert bib() == "% Harbour memo: references.\n"
    assert tags() == [""]
    assert items() == []


@pytest.mark.parametrize("piece", ["{", "}", "{}", "\\", "@a{", "--", "A", "aB ", "_", "[RETRACTED: "])
def test_writing_takes_linear_time(piece: str) -> None:
    def all_three(text: str) -> int:
        one = source(1, record_title=text, record_note=text, record_authors=(Author(family=text, given=text),))
        return len(bib(one)) + len(tags(one)) + len(items(one))

    assert_linear(all_three, piece, 100_000)
