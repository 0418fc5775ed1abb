"""Knowledge bases of every age: what they hold, and what an observation's source_doi still says."""

from pathlib import Path

import pytest

from sources.core import entries
from sources.core.entries import Author, Item, LinkKind, ObservationKind, Relationship
from sources.core.records import RowError
from sources.formats.format import HEAD_BYTES, Head, Unreadable
from sources.formats.harvey_knowledge import FORMAT
from tests.factories.sqlite_files import NEW_KNOWLEDGE, OLD_KNOWLEDGE, OLD_STORE, database

UUID = "0190f3c2-7b1a-7c3d-8e4f-000000000001"


def read(path: Path) -> list[Item]:
    return list(FORMAT.read(path))


def sources(path: Path) -> list[entries.SourceRecord]:
    return [one for one in read(path) if isinstance(one, entries.SourceRecord)]


def links(path: Path) -> list[entries.LinkRecord]:
    return [one for one in read(path) if isinstance(one, entries.LinkRecord)]


def errors(path: Path) -> list[RowError]:
    return [one for one in read(path) if isinstance(one, RowError)]


def old(tmp_path: Path, *dois: str) -> Path:
    rows = [{"body": f"words {at}", "source_doi": doi} for at, doi in enumerate(dois)]
    return database(tmp_path / "old.db", OLD_KNOWLEDGE, observations=rows)


def test_a_whole_knowledge_base_is_read(tmp_path: Path) -> None:
    path = database(
        tmp_path / "knowledge.db",
        NEW_KNOWLEDGE,
        projects=[
            {"id": 3, "name": "Harbour", "description": "Silt", "created_at": "2026-01-02 03:04:05", "uuid": UUID}
        ],
        concepts=[{"id": 4, "name": "Dredging", "identifier_type": "ror", "identifier_value": "https://ror.org/x"}],
        sources=[
            {
                "id": 5,
                "title": "Tides",
                "identifier_type": "doi",
                "identifier_value": "10.1234/Tide",
                "authors": "Núñez, Ana; Harbour Board",
                "published_date": "2024-05",
                "retracted": 1,
                "retraction_note": "Data lost",
                "origin_host": "pi",
            }
        ],
        observations=[{"id": 6, "project_id": 3, "kind": "finding", "body": "Silt\nmoves.", "uuid": UUID.upper()}],
        observation_concepts=[{"observation_id": 6, "concept_id": 4}],
        project_concepts=[{"project_id": 3, "concept_id": 4}],
        observation_sources=[{"observation_id": 6, "source_id": 5, "relationship": "retrieved"}],
    )
    project, concept, source, observation, *linked = read(path)
    assert isinstance(project, entries.ProjectRecord)
    assert (project.ref, project.name, project.uuid, project.created_at) == (
        *("project:3", "Harbour", UUID, "2026-01-02 03:04:05"),
    )
    assert isinstance(concept, entries.ConceptRecord)
    assert (concept.ref, concept.identifier_type, concept.created_at) == ("concept:4", "ror", "")
    assert isinstance(source, entries.SourceRecord)
    assert source.identities[0].value == "10.1234/tide"
    assert source.authors == (Author(family="Núñez", given="Ana"), Author(family="Harbour Board"))
    assert (source.retracted, source.retraction_note, source.origin_host) == (True, "Data lost", "pi")
    assert dict(source.details)["identifier_value"] == "10.1234/Tide"
    assert isinstance(observation, entries.ObservationRecord)
    assert (observation.kind, observation.body, observation.project_ref, observation.uuid) == (
        *(ObservationKind.FINDING, "Silt\nmoves.", "project:3", UUID),
    )
    assert {(one.kind, one.from_ref, one.to_ref) for one in linked if isinstance(one, entries.LinkRecord)} == {
        (LinkKind.OBSERVATION_CONCEPT, "observation:6", "concept:4"),
        (LinkKind.PROJECT_CONCEPT, "project:3", "concept:4"),
        (LinkKind.OBSERVATION_SOURCE, "observation:6", "source:5"),
    }


def test_each_doi_of_an_old_file_makes_a_cited_source(tmp_path: Path) -> None:
    path = old(tmp_path, "10.1234/abc", "", "10.5678/def")
    assert [(one.title, one.identities[0].value) for one in sources(path)] == [
        ("Source (DOI: 10.1234/abc)", "10.1234/abc"),
        ("Source (DOI: 10.5678/def)", "10.5678/def"),
    ]
    assert [(one.from_ref, one.to_ref, one.relationship) for one in links(path)] == [
        ("observation:1", "doi:10.1234/abc", Relationship.CITED),
        ("observation:3", "doi:10.5678/def", Relationship.CITED),
    ]


def test_spellings_of_one_doi_are_one_source(tmp_path: Path) -> None:
    path = old(
        tmp_path, "10.1234/AbC", "https://doi.org/10.1234/abc", "doi:10.1234/ABC", " http://dx.doi.org/10.1234/abc"
    )
    assert [one.ref for one in sources(path)] == ["doi:10.1234/abc"]
    assert {(one.from_ref, one.to_ref) for one in links(path)} == {
        (f"observation:{at}", "doi:10.1234/abc") for at in range(1, 5)
    }


def test_what_is_no_doi_still_makes_a_source_and_says_so(tmp_path: Path) -> None:
    (source,) = sources(old(tmp_path, "see the appendix"))
    assert source.title == "Source (DOI: see the appendix)"
    assert source.identities == ()
    assert source.warnings


def test_the_source_doi_of_a_migrated_file_adds_nothing(tmp_path: Path) -> None:
    path = database(
        tmp_path / "new.db",
        NEW_KNOWLEDGE,
        observations=[{"id": 1, "body": "words", "source_doi": "10.1234/ABC"}],
        sources=[{"id": 9, "title": "Known", "identifier_type": "doi", "identifier_value": "10.1234/abc"}],
        observation_sources=[{"observation_id": 1, "source_id": 9, "relationship": "retrieved"}],
    )
    assert [one.title for one in sources(path)] == ["Known"]
    assert [(one.to_ref, one.relationship) for one in links(path)] == [("source:9", Relationship.RETRIEVED)]


def test_a_source_doi_recorded_after_the_migration_is_linked_to_the_known_source(tmp_path: Path) -> None:
    path = database(
        tmp_path / "new.db",
        NEW_KNOWLEDGE,
        observations=[{"id": 1, "body": "words", "source_doi": "https://doi.org/10.1234/abc"}],
        sources=[{"id": 9, "title": "Known", "identifier_type": "doi", "identifier_value": "10.1234/abc"}],
    )
    assert [one.title for one in sources(path)] == ["Known"]
    assert [(one.to_ref, one.relationship) for one in links(path)] == [("source:9", Relationship.CITED)]


def test_the_same_file_gives_the_same_records_again(tmp_path: Path) -> None:
    path = old(tmp_path, "10.1234/abc", "10.1234/ABC", "nothing", "10.5678/def")
    before = path.read_bytes()
    assert read(path) == read(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_table_without_a_needed_column_is_one_error_and_the_rest_is_read(tmp_path: Path) -> None:
    schema = "CREATE TABLE projects (id INTEGER, title TEXT); CREATE TABLE concepts (ID INTEGER, Name TEXT);"
    path = database(tmp_path / "odd.db", schema, projects=[{"id": 1}] * 3, concepts=[{"id": 1, "name": "Silt"}])
    error, concept = read(path)
    assert isinstance(error, RowError)
    assert "“projects” has no column “name”" in error.message
    assert isinstance(concept, entries.ConceptRecord)


@pytest.mark.parametrize(
    ("table", "row", "named"),
    [
        ("observations", {"body": b"\xff\xfe"}, "not UTF-8"),
        ("observations", {"body": "a\x00b"}, "NUL"),
        ("observations", {"body": "  "}, "no text"),
        ("projects", {"name": " "}, "“name” is empty"),
        ("projects", {"name": "a", "uuid": "u" * 201}, "201 characters"),
        ("sources", {"title": ""}, "no title"),
        ("observation_sources", {"observation_id": 1}, "One end"),
        ("observation_sources", {"observation_id": 1, "source_id": 1, "relationship": "liked"}, "“liked”"),
    ],
)
def test_a_bad_row_is_an_error_with_its_table_and_row(
    tmp_path: Path, table: str, row: dict[str, object], named: str
) -> None:
    (error,) = errors(database(tmp_path / "bad.db", NEW_KNOWLEDGE, **{table: [row]}))
    assert named in error.message
    assert f"Table “{table}”, row 1:" in error.message


def test_every_row_is_a_record_or_an_error(tmp_path: Path) -> None:
    names = [{"name": name} for name in ("a", " ", "b", "\x00", "c")]
    path = database(tmp_path / "mixed.db", NEW_KNOWLEDGE, projects=names)
    assert len(read(path)) == len(names)
    assert [one.line for one in read(path)] == [1, 2, 3, 4, 5]


def test_an_identifier_that_cannot_be_right_costs_the_identity_only(tmp_path: Path) -> None:
    row = {"title": "Tides", "identifier_type": "isbn", "identifier_value": "978-0-00-000000-1"}
    (source,) = sources(database(tmp_path / "isbn.db", NEW_KNOWLEDGE, sources=[row]))
    assert source.identities == ()
    assert "check digit" in source.warnings[0]
    assert dict(source.details)["identifier_value"] == "978-0-00-000000-1"


@pytest.mark.parametrize(
    ("kind", "value", "normal"),
    [
        ("doi", "https://doi.org/10.1234/AB", "10.1234/ab"),
        ("DOI", "10.1234/AB", "10.1234/ab"),
        ("arxiv", "2604.03173v2", "2604.03173"),
        ("arxiv", "arXiv:2604.03173", "2604.03173"),
        ("issn", "0378-5955", "0378-5955"),
        ("isbn", "0-306-40615-2", "9780306406157"),
        ("pmid", "12345678", "12345678"),
        ("handle", "10037/12345", "10037/12345"),
        ("url", "https://Example.org/a", "https://example.org/a"),
        ("urn", "urn:nbn:de:101", "urn:nbn:de:101"),
        ("", "10.1234/ab", "10.1234/ab"),
        ("other", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_an_identifier_pair_is_an_identity(tmp_path: Path, kind: str, value: str, normal: str) -> None:
    row = {"title": "T", "identifier_type": kind, "identifier_value": value}
    (source,) = sources(database(tmp_path / "pair.db", NEW_KNOWLEDGE, sources=[row]))
    assert [one.value for one in source.identities] == [normal]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("Doe, Jane", ["Doe, Jane"]),
        ("Jane Doe", ["Jane Doe"]),
        ("Jane Doe, John Smith", ["Jane Doe", "John Smith"]),
        ("Doe, J., Smith, K.", ["Doe, J., Smith, K."]),
        ("Doe, Jane; Smith, John", ["Doe, Jane", "Smith, John"]),
        ("World Health Organization", ["World Health Organization"]),
        ("", []),
    ],
)
def test_authors_are_split_only_where_that_is_certain(tmp_path: Path, written: str, read_as: list[str]) -> None:
    (source,) = sources(database(tmp_path / "a.db", NEW_KNOWLEDGE, sources=[{"title": "T", "authors": written}]))
    assert [str(author) for author in source.authors] == read_as


def test_another_sqlite_file_is_refused_with_the_tables_it_has(tmp_path: Path) -> None:
    path = database(tmp_path / "music.db", "CREATE TABLE songs (id INTEGER);")
    with pytest.raises(Unreadable, match="songs"):
        read(path)


def test_a_knowledge_base_is_told_from_a_store_by_its_schema(tmp_path: Path) -> None:
    schema = NEW_KNOWLEDGE + OLD_STORE
    store = database(
        tmp_path / "store.db", OLD_STORE, chunks=[{"content": "CREATE TABLE observations (id)", "source": "x"}]
    )
    assert FORMAT.recognises(_head(database(tmp_path / "kb.db", schema)))
    assert FORMAT.recognises(_head(database(tmp_path / "old.db", OLD_KNOWLEDGE)))
    assert not FORMAT.recognises(_head(store))
    assert not FORMAT.recognises(Head(b"CREATE TABLE observations", "CREATE TABLE observations", True))


def _head(path: Path) -> Head:
    data = path.read_bytes()[:HEAD_BYTES]
    return Head(data, data.decode(errors="replace"), True)
