"""The notes of a turn: exactly Harvey's form, and whatever a title or path holds, they read back as what they say."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.entries import Retrieval, RetrievedSource, TurnRecord
from sources.formats.fountain_notes import note_of_source, notes
from sources.formats.harvey_session import FORMAT


def turn(*retrievals: Retrieval) -> TurnRecord:
    return TurnRecord(
        line=1, session="s", number=1, user="ANA", started_at="2026-06-25 14:23:11", retrievals=retrievals
    )


def test_a_turn_is_written_as_harvey_writes_it() -> None:
    sources = (
        RetrievedSource(
            source="sparql-spec.md", lines="45-72", title="SPARQL 1.1 Query Language", locator="10.1234/sparql"
        ),
        RetrievedSource(source="example-queries.go", lines="12–30"),
        RetrievedSource(source="README.md"),
        RetrievedSource(source="guide.md", title="Guide", locator="https://example.org/guide"),
        RetrievedSource(source="paper.md", locator="doi:10.1234/x"),
    )
    assert notes(turn(Retrieval(store="sparqlset.db", chunk_count=3, top_score=0.87, sources=sources))) == [
        "[[rag: 3 chunks from sparqlset.db, top score 0.87]]",
        "[[rag-source: sparql-spec.md:45–72 (SPARQL 1.1 Query Language, doi:10.1234/sparql)]]",
        "[[rag-source: example-queries.go:12–30]]",
        "[[rag-source: README.md]]",
        "[[rag-source: guide.md (Guide, https://example.org/guide)]]",
        "[[rag-source: paper.md (doi:10.1234/x)]]",
    ]


def test_each_source_is_noted_once_and_the_best_first() -> None:
    sources = tuple(
        RetrievedSource(source=name, lines=lines, score=score)
        for name, lines, score in (("a.go", "1–2", 0.2), ("b.go", "3–4", 0.9), ("a.go", "5–6", 0.7))
    )
    assert notes(turn(Retrieval(store="s", chunk_count=3, top_score=0.9, sources=sources)))[1:] == [
        "[[rag-source: b.go:3–4]]",
        "[[rag-source: a.go:5–6]]",
    ]
    unscored = tuple(RetrievedSource(source=one.source, lines=one.lines) for one in sources)
    assert notes(turn(Retrieval(store="s", chunk_count=3, sources=unscored))) == [
        "[[rag: 3 chunks from s, top score 0.00]]",
        "[[rag-source: a.go:1–2]]",
        "[[rag-source: b.go:3–4]]",
    ]


def test_a_turn_without_a_retrieval_has_no_notes() -> None:
    assert notes(turn()) == []


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("A title (2nd ed.), revised", "A title (2nd ed.), revised"),
        ("a) b (c", "a] b [c"),
        ("https://example.org/b", "“https://example.org/b”"),
        ("x]] [[rag-source: evil", "x] ] [ [rag-source: evil"),
        ("two\nlines\x00", "two lines"),
    ],
)
def test_a_title_gives_way_where_it_would_be_misread(title: str, written: str) -> None:
    assert note_of_source(RetrievedSource(source="a.md", title=title)) == f"[[rag-source: a.md ({written})]]"


def test_a_path_that_looks_like_a_title_gets_its_name_as_one() -> None:
    assert note_of_source(RetrievedSource(source="in/notes (draft)")) == (
        "[[rag-source: in/notes (draft) (notes [draft])]]"
    )


def test_a_doi_with_a_lone_parenthesis_is_written_as_an_address() -> None:
    assert note_of_source(RetrievedSource(source="a.md", title="T", locator="10.1/a)b")) == (
        "[[rag-source: a.md (T, https://doi.org/10.1/a%29b)]]"
    )


def test_nothing_known_is_not_noted() -> None:
    assert note_of_source(RetrievedSource(source="", lines="3–4")) == ""


PIECES = (
    *("[[", "]]", ", ", " (", ") ", "doi:", "doi:10.1/x", "https://", "https://a.b:80", ":12–30", "C:\\", "12"),
    *("a", "Tide", "é", "\u202e", "\n", "[[rag:", "[[rag-source: ", "INT. ", "ANA", *"()[]:,–-\\/ .“”"),
)
NASTY = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
DOIS = st.lists(st.sampled_from([*"()ab<>;/"]), min_size=1, max_size=8).map(lambda parts: "10.1234/" + "".join(parts))
LOCATORS = st.one_of(st.just(""), DOIS, DOIS.map("https://example.org/".__add__))
LINES = st.sampled_from(["", "7", "12–30", "12-30"])
SOURCES = st.builds(RetrievedSource, source=NASTY, lines=LINES, title=NASTY, locator=LOCATORS)


@settings(max_examples=60, deadline=None)
@given(sources=st.lists(SOURCES, max_size=5), store=NASTY)
def test_notes_read_back_as_what_they_say(
    tmp_path_factory: pytest.TempPathFactory, sources: list[RetrievedSource], store: str
) -> None:
    given_turn = turn(Retrieval(store=store, chunk_count=len(sources), top_score=0.5, sources=tuple(sources)))
    written = notes(given_turn)
    read = _read(tmp_path_factory.mktemp("notes"), written)
    assert len(read.retrievals) == 1
    # Written once more, what was read gives the same lines: nothing is lost from then on.
    assert [note_of_source(one) for one in read.retrievals[0].sources] == written[1:]
    assert len(read.retrievals[0].sources) == len(written) - 1
    distinct: dict[tuple[str, str], RetrievedSource] = {}
    for one in sources:
        distinct.setdefault((one.source, "" if one.source else one.title + one.locator), one)
    told = [one for one in distinct.values() if note_of_source(one)]
    for one, again in zip(told, read.retrievals[0].sources, strict=True):
        lines = f":{one.lines.replace('-', '–')}" if one.lines else ""
        place = " ".join(one.source.replace("[[", "[ [").replace("]]", "] ]").split())
        if again.source or again.lines:
            assert _plain(f"{again.source}:{again.lines}" if again.lines else again.source) == _plain(place + lines)
        assert _doi(again.locator) == _doi(one.locator)


def _read(folder: Path, written: list[str]) -> TurnRecord:
    path = folder / "s.spmd"
    path.write_text(
        "INT. HARVEY AND ANA TALKING 2026-06-25 14:23:11\n\nAction.\n\n" + "\n\n".join(written) + "\n\nANA\nWords.\n"
    )
    (read,) = FORMAT.read(path)
    assert isinstance(read, TurnRecord)
    return read


def _plain(place: str) -> str:
    return "".join(place.replace("-", "–").split())


def _doi(locator: str) -> str:
    bare = locator.removeprefix("https://doi.org/").removeprefix("doi:")
    return bare.replace("%28", "(").replace("%29", ")")
