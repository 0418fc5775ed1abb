"""Sessions: turns, what was retrieved in each, and notes that stand where none belongs."""

from pathlib import Path

import pytest

from sources.core.entries import Item, Retrieval, RetrievedSource, TurnRecord
from sources.core.records import RowError
from sources.formats.format import Head
from sources.formats.harvey_session import FORMAT
from tests.growth import assert_linear

SESSION = """Title: A morning at the harbour
Credit: Recorded by Harvey
Author: ANA

FADE IN:

INT. HARVEY AND ANA TALKING 2026-06-25 14:23:11

Harvey and ANA are in chat mode. Model: GEMMA4. Workspace: /home/ana/tide.

[[rag: 3 chunks from sparqlset.db, top score 0.87]]

[[rag-source: sparql-spec.md:45–72 (SPARQL 1.1 Query Language, doi:10.1234/sparql)]]

[[rag-source: example-queries.go:12-30]]

[[rag-source: README.md]]

ANA
How do federated queries work?

HARVEY
Forwarding to GEMMA4.

[[tool: read_file({"path":"x"}) — ok]]

GEMMA4
With SERVICE blocks.

They name a remote endpoint.

INT. SHELL 2026-06-25 14:30:00

ANA
! ls

INT. HARVEY AND ANA TALKING 2026-06-25 14:31:02

Harvey and ANA are in chat mode. Model: GEMMA4. Workspace: /home/ana/tide.

ANA
And the limits?

THE END.
"""
HEADING = "INT. HARVEY AND ANA TALKING 2026-06-25 14:23:11\n\nHarvey and ANA are in chat mode.\n\n"
SUMMARY = "[[rag: 1 chunks from s.db, top score 0.50]]\n"


def read(tmp_path: Path, text: str) -> list[Item]:
    path = tmp_path / "morning.spmd"
    path.write_text(text, newline="")
    return list(FORMAT.read(path))


def turns(tmp_path: Path, text: str) -> list[TurnRecord]:
    return [one for one in read(tmp_path, text) if isinstance(one, TurnRecord)]


def source(tmp_path: Path, note: str) -> RetrievedSource:
    (turn,) = read(tmp_path, f"{HEADING}{SUMMARY}[[rag-source: {note}]]\n\nANA\nWords.\n")
    assert isinstance(turn, TurnRecord)
    (one,) = turn.retrievals[0].sources
    return one


def errors(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    return [(one.line, one.message) for one in read(tmp_path, text) if isinstance(one, RowError)]


def test_a_session_is_its_turns_and_what_they_retrieved(tmp_path: Path) -> None:
    assert read(tmp_path, SESSION) == [
        TurnRecord(
            line=7,
            session="morning",
            number=1,
            user="ANA",
            started_at="2026-06-25 14:23:11",
            retrievals=(
                Retrieval(
                    store="sparqlset.db",
                    chunk_count=3,
                    top_score=0.87,
                    sources=(
                        RetrievedSource(
                            source="sparql-spec.md",
                            lines="45–72",
                            title="SPARQL 1.1 Query Language",
                            locator="10.1234/sparql",
                        ),
                        RetrievedSource(source="example-queries.go", lines="12–30"),
                        RetrievedSource(source="README.md"),
                    ),
                ),
            ),
        ),
        TurnRecord(line=37, session="morning", number=2, user="ANA", started_at="2026-06-25 14:31:02"),
    ]


def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + SESSION.replace("\n", "\r\n")) == read(tmp_path, SESSION)


@pytest.mark.parametrize(
    ("note", "place", "lines", "title", "locator"),
    [
        ("a.md (A title (2nd ed.))", "a.md", "", "A title (2nd ed.)", ""),
        ("a.md (One, two, three, doi:10.1/x)", "a.md", "", "One, two, three", "10.1/x"),
        ("a.md (Life: a primer, https://example.org:8080/x?y=1,2)", *("a.md", "", "Life: a primer"),
         "https://example.org:8080/x?y=1,2"),
        ("a.md (doi:10.1016/0022-1(90)90001-2)", "a.md", "", "", "10.1016/0022-1(90)90001-2"),
        ("a.md (DOI: 10.1/x)", "a.md", "", "", "10.1/x"),
        ("a.md (https://example.org/a_(b))", "a.md", "", "", "https://example.org/a_(b)"),
        (r"C:\docs\tide.go:12–30 (Tide)", r"C:\docs\tide.go", "12–30", "Tide", ""),
        (r"C:\docs\tide.go", r"C:\docs\tide.go", "", "", ""),
        (r"C:\Program Files (x86)\a.md (T)", r"C:\Program Files (x86)\a.md", "", "T", ""),
        ("http://localhost:8080", "http://localhost:8080", "", "", ""),
        ("http://localhost:8080/a.go:3-9", "http://localhost:8080/a.go", "3–9", "", ""),
        ("https://example.org/a (T, https://example.org/b)", "https://example.org/a", "", "T", "https://example.org/b"),
        ("a.go:7", "a.go", "7", "", ""),
        ("a[1].md (On [[double]] brackets)", "a[1].md", "", "On [[double]] brackets", ""),
        ("a.md (A title) b)", "a.md", "", "A title) b", ""),
        ("notes(draft).md", "notes(draft).md", "", "", ""),
        ("notes(draft)", "notes(draft)", "", "", ""),
        ("(A title only, doi:10.1/x)", "", "", "A title only", "10.1/x"),
        ("a.md ()", "a.md", "", "", ""),
        ("über/größe.md (Größe — ein Maß)", "über/größe.md", "", "Größe — ein Maß", ""),
    ],
)  # fmt: skip
def test_a_source_is_taken_apart(tmp_path: Path, note: str, place: str, lines: str, title: str, locator: str) -> None:
    assert source(tmp_path, note) == RetrievedSource(source=place, lines=lines, title=title, locator=locator)


def test_a_turn_may_retrieve_several_times(tmp_path: Path) -> None:
    text = (
        f"{HEADING}[[rag: 2 chunks from a, b.db, top score 0.9]]\n[[rag-source: x.md]]\n\n"
        "[[rag: 1 chunk from c.db]]\n[[rag-source: y.md]] [[rag-source: z.md]]\n\nANA\nWords.\n"
    )
    (turn,) = turns(tmp_path, text)
    assert [(one.store, one.chunk_count, one.top_score) for one in turn.retrievals] == [
        ("a, b.db", 2, 0.9),
        ("c.db", 1, None),
    ]
    assert [[two.source for two in one.sources] for one in turn.retrievals] == [["x.md"], ["y.md", "z.md"]]


def test_a_note_may_go_over_several_lines(tmp_path: Path) -> None:
    (turn,) = turns(tmp_path, f"{HEADING}{SUMMARY}[[rag-source: a.md (A title\nin two lines)]]\n\nANA\nWords.\n")
    assert turn.retrievals[0].sources[0].title == "A title in two lines"


@pytest.mark.parametrize("note", [SUMMARY.strip(), "[[rag-source: a.md]]"])
def test_a_note_outside_any_turn_is_an_error(tmp_path: Path, note: str) -> None:
    for text in (f"Title: x\n\n{note}\n\n{HEADING}", f"{HEADING}\n\nINT. SHELL 2026-06-25 14:30:00\n\n{note}\n"):
        ((line, message),) = errors(tmp_path, text)
        assert text.splitlines()[line - 1] == note
        assert "outside any turn" in message
        assert [one.retrievals for one in turns(tmp_path, text)] == [()]


def test_a_note_that_somebody_quotes_is_not_taken(tmp_path: Path) -> None:
    for quoted in ("As it says:\n\n[[rag-source: evil.md]]\n", "[[rag-source: evil.md]]\n"):
        text = f"{HEADING}{SUMMARY}\nGEMMA4\n{quoted}"
        ((_, message),) = errors(tmp_path, text)
        assert "may be a quotation" in message
        assert turns(tmp_path, text)[0].retrievals[0].sources == ()


@pytest.mark.parametrize(
    ("note", "named"),
    [
        ("[[rag: many chunks from s.db, top score 0.5]]", "not understood"),
        ("[[rag: 3 chunks from , top score 0.5]]", "not understood"),
        ("[[rag: 3 chunks from s.db, top score high]]", ""),
        ("[[rag-source: ]]", "names nothing"),
        ("[[rag-source: a.md", "not closed"),
        ("[[rag: 3 chunks", "not closed"),
    ],
)
def test_a_malformed_note_is_an_error_with_its_line(tmp_path: Path, note: str, named: str) -> None:
    told = errors(tmp_path, f"{HEADING}{SUMMARY}\n{note}\n\nANA\nWords.\n")
    if named:
        assert [(line, named in message) for line, message in told] == [(7, True)]
    else:
        assert told == []


def test_a_source_without_a_retrieval_above_it_is_an_error(tmp_path: Path) -> None:
    ((line, message),) = errors(tmp_path, f"{HEADING}[[rag-source: a.md]]\n\nANA\nWords.\n")
    assert line == 5
    assert "[[rag: …]]" in message


def test_a_heading_in_other_spacing_or_with_another_name_is_a_turn(tmp_path: Path) -> None:
    text = "EXT. HARVEY AND MARÍA JOSÉ TALKING\n\nWords.\n\nINT.  HARVEY  AND  BO TALKING 2026-06-25T14:23:11Z\n"
    assert [(one.number, one.user, one.started_at) for one in turns(tmp_path, text)] == [
        (1, "MARÍA JOSÉ", ""),
        (2, "BO", "2026-06-25T14:23:11Z"),
    ]


def test_a_note_with_a_broken_letter_is_an_error_and_the_session_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "morning.fountain"
    note = b"[[rag: 1 chunks from \xff\xfe.db]]\n\nANA\nCaf\xe9!\n\n"
    path.write_bytes(HEADING.encode() + note + HEADING.encode())
    assert [type(one) for one in FORMAT.read(path)] == [RowError, TurnRecord, TurnRecord]


def test_only_sessions_are_recognised() -> None:
    def told(text: str) -> bool:
        return FORMAT.recognises(Head(text.encode(), text, True))

    assert told(SESSION)
    assert told("Title: x\n\n[[rag-source: a.md]]\n")
    assert not told("Title: A film\n\nINT. KITCHEN - DAY\n\nANA\nHarvey and I are talking.\n")
    assert not told("We met HARVEY AND ANA TALKING.")


def test_long_lines_take_their_share_of_time(tmp_path: Path) -> None:
    path = tmp_path / "long.spmd"

    def work(text: str) -> None:
        path.write_text(text)
        list(FORMAT.read(path))
        FORMAT.recognises(Head(text.encode(), text, True))

    starts = ("INT. HARVEY AND ", HEADING + SUMMARY + "[[rag-source: ", HEADING + "[[rag: 1 chunks from ", "")
    for start in starts:
        for piece in (" ", "(", "] ", ", top score 1", ", doi:x", " TALKING", ":1", "\n", "[[rag-source:a]]"):
            assert_linear(work, piece, 20_000, before=start, after=")]]\n")
