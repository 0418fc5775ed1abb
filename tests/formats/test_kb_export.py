"""Harvey's JSON Lines, in and out."""

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core import entries
from sources.core.entries import (
    Author,
    ConceptRecord,
    Item,
    LinkKind,
    LinkRecord,
    ObservationKind,
    ObservationRecord,
    ProjectRecord,
    Record,
    Relationship,
    SourceRecord,
)
from sources.core.identifiers import identify
from sources.core.kb_lines import FIELDS, NotExportable, lines
from sources.core.records import RowError
from sources.formats import harvey_knowledge
from sources.formats.format import Head
from sources.formats.kb_export import FORMAT
from tests.factories.sqlite_files import OLD_KNOWLEDGE, database
from tests.growth import assert_linear

ONE, TWO, THREE, FOUR = (f"0190f3c2-7b1a-7c3d-8e4f-00000000000{at}" for at in range(1, 5))
LINES = (
    {"type": "project", "uuid": ONE, "origin_host": "pi", "name": "Harbour", "description": "", "status": "active"},
    {"type": "concept", "uuid": TWO, "name": "Silt", "identifier_type": "ror", "identifier_value": "https://ror.org/x"},
    {"type": "source", "uuid": THREE, "title": "Tides", "identifier_type": "doi", "identifier_value": "10.1234/AB"},
    {"type": "observation", "uuid": FOUR, "project_uuid": ONE, "kind": "finding", "body": "Silt moves."},
    {"type": "observation_concept", "observation_uuid": FOUR, "concept_uuid": TWO},
    {"type": "project_concept", "project_uuid": ONE, "concept_uuid": TWO},
    {"type": "observation_source", "observation_uuid": FOUR, "source_uuid": THREE, "relationship": "inferred"},
)


def file(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "export.jsonl"
    path.write_bytes(b"".join(_line(line) for line in lines))
    return path


def _line(line: object) -> bytes:
    return (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n"


def read(path: Path) -> list[Item]:
    return list(FORMAT.read(path))


def problem(tmp_path: Path, line: object) -> RowError:
    (error,) = read(file(tmp_path, line))
    assert isinstance(error, RowError)
    assert error.line == 1
    return error


def test_each_type_is_read(tmp_path: Path) -> None:
    project, concept, source, observation, *links = read(file(tmp_path, *LINES))
    assert isinstance(project, ProjectRecord)
    assert (project.ref, project.uuid, project.origin_host) == (f"project:{ONE}", ONE, "pi")
    assert isinstance(concept, ConceptRecord)
    assert concept.identifier_type == "ror"
    assert isinstance(source, SourceRecord)
    assert source.identities[0].value == "10.1234/ab"
    assert isinstance(observation, ObservationRecord)
    assert (observation.kind, observation.project_ref) == (ObservationKind.FINDING, f"project:{ONE}")
    assert [(one.kind, one.from_ref, one.to_ref, one.relationship) for one in links if isinstance(one, LinkRecord)] == [
        (LinkKind.OBSERVATION_CONCEPT, f"observation:{FOUR}", f"concept:{TWO}", None),
        (LinkKind.PROJECT_CONCEPT, f"project:{ONE}", f"concept:{TWO}", None),
        (LinkKind.OBSERVATION_SOURCE, f"observation:{FOUR}", f"source:{THREE}", Relationship.INFERRED),
    ]


def test_lines_may_come_in_any_order(tmp_path: Path) -> None:
    forward, backward = read(file(tmp_path, *LINES)), read(file(tmp_path, *reversed(LINES)))
    told = [{**entries.as_json(one), "line": 0} for one in forward if not isinstance(one, RowError)]
    again = [{**entries.as_json(one), "line": 0} for one in backward if not isinstance(one, RowError)]
    assert told == again[::-1]


def test_concatenated_files_are_read_even_without_a_line_end_between(tmp_path: Path) -> None:
    bom, first, second = b"\xef\xbb\xbf", _line(LINES[0]), _line(LINES[1])
    path = tmp_path / "two.jsonl"
    for whole in (bom + first.rstrip() + second, bom + first + bom + second, first.rstrip() + bom + second):
        path.write_bytes(whole.replace(b"\n", b"\r\n"))
        assert [type(one) for one in read(path)] == [ProjectRecord, ConceptRecord]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b'{"type": "project", "uuid": "y", "name": "bro', "no JSON"),
        (b"[1, 2]", "no JSON object"),
        (b'"project"', "no JSON object"),
        ({"type": "future_kind"}, "“future_kind”"),
        ({"name": "Harbour"}, "“nothing”"),
        ({"type": ["project"]}, "“nothing”"),
        ({"type": "project", "name": ["a"]}, "“name” is no text"),
        ({"type": "project", "name": "a\x00"}, "NUL"),
        (b'{"type": "project", "name": "a\\ud800"}', "surrogate"),
        ({"type": "observation", "uuid": ONE, "body": " "}, "no text"),
        ({"type": "source", "uuid": ONE}, "no title"),
        ({"type": "source", "uuid": "u" * 201, "title": "T"}, "201 characters"),
        ({"type": "observation_source", "observation_uuid": ONE}, "“source_uuid” is empty"),
        ({"type": "observation_source", "observation_uuid": ONE, "source_uuid": TWO, "relationship": "x"}, "“x”"),
        (b"{\xff\xfe}", "not UTF-8"),
        (b'{"type":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested"),
        (b'{"type": "project", "name": ' + b"9" * 5_000 + b"}", "too long"),
        (b"{" + b" " * (10 * 2**20) + b"}", "longer than"),
    ],
)
def test_a_bad_line_is_an_error_with_its_number(tmp_path: Path, line: object, named: str) -> None:
    assert named in problem(tmp_path, line).message


def test_a_bad_line_does_not_stop_the_next(tmp_path: Path) -> None:
    told = read(file(tmp_path, LINES[0], b"{", b"", b"\xff", LINES[1]))
    assert [(type(one), one.line) for one in told] == [
        (ProjectRecord, 1),
        (RowError, 2),
        (RowError, 4),
        (ConceptRecord, 5),
    ]


def test_a_line_of_several_objects_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    assert "character" in problem(tmp_path, json.dumps(LINES[0]).encode() + b"{").message


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for count in (2_000, 8_000):
        path = file(tmp_path, *[{**LINES[3], "uuid": f"{at:036}", "body": "words " * 100} for at in range(count)])
        tracemalloc.start()
        assert sum(1 for _ in FORMAT.read(path)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5


def test_long_lines_take_their_share_of_time(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"

    def work(text: str) -> None:
        path.write_text(text)
        list(FORMAT.read(path))
        FORMAT.recognises(Head(text.encode(), text, True))

    for piece in ('{"type":', '{"type" ', " ", "\n", '{}"type"', '"type":"project"'):
        assert_linear(work, piece, 60_000, before="{")


def test_an_export_is_recognised_and_other_json_is_not() -> None:
    def told(text: str) -> bool:
        return FORMAT.recognises(Head(text.encode(), text, True))

    assert told(json.dumps(LINES[0]))
    assert told("\ufeff" + json.dumps({"uuid": ONE, "type": "source"}) + "\n{")
    assert not told(json.dumps([LINES[0]]))
    assert not told('{"type": "article-journal", "title": "source"}')


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=30)
NAMES = WORDS.map(lambda text: "n" + " ".join(text.split()))
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60).map("t".__add__)
UUIDS = st.uuids().map(str)


@st.composite
def knowledge(draw: st.DrawFn) -> list[Record]:
    """Entries with uuids, and links between them."""
    projects = [
        ProjectRecord(line=0, name=name, uuid=own, ref=f"project:{own}", description=draw(TEXTS), status="active")
        for name, own in draw(st.dictionaries(NAMES, UUIDS, min_size=1, max_size=3)).items()
    ]
    concepts = [
        ConceptRecord(line=0, name=name, uuid=own, ref=f"concept:{own}", identifier_value=" ".join(draw(WORDS).split()))
        for name, own in draw(st.dictionaries(NAMES, UUIDS, min_size=1, max_size=3)).items()
    ]
    sources = [
        SourceRecord(
            line=0,
            spelling=identity.value,
            title=draw(NAMES),
            uuid=own,
            ref=f"source:{own}",
            identities=(identity,),
            authors=tuple(draw(st.lists(st.sampled_from(AUTHORS), max_size=3, unique=True))),
            published_date=draw(st.sampled_from(["", "2024", "2024-05", "2024-05-17"])),
            retracted=draw(st.booleans()),
        )
        for own, identity in zip(draw(st.lists(UUIDS, max_size=4, unique=True)), IDENTITIES, strict=False)
    ]
    observations = [
        ObservationRecord(
            line=0,
            body=draw(TEXTS),
            kind=draw(st.sampled_from(list(ObservationKind))),
            uuid=own,
            ref=f"observation:{own}",
            project_ref=draw(st.sampled_from(projects)).ref,
            source_doi="10.1234/ab",
            created_at="2026-06-25 14:23:11",
        )
        for own in draw(st.lists(UUIDS, max_size=4, unique=True))
    ]
    links = [
        LinkRecord(
            line=0,
            kind=LinkKind.OBSERVATION_SOURCE,
            from_ref=one.ref,
            to_ref=source.ref,
            relationship=draw(st.sampled_from(list(Relationship))),
        )
        for one in observations
        for source in sources
    ]
    return [*projects, *concepts, *sources, *observations, *links]


AUTHORS = (Author(family="Núñez", given="Ana"), Author(family="World Health Organization"), Author(family="Lee"))
IDENTITIES = tuple(map(identify, ("10.1234/ab", "https://example.org/a?b=c", "arXiv:2604.03173", "ISBN 9780306406157")))


@settings(max_examples=40, deadline=None)
@given(records=knowledge())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, records: list[Record]) -> None:
    path = tmp_path_factory.mktemp("round") / "export.jsonl"
    path.write_text("".join(lines(records)), newline="")
    assert [_comparable(one) for one in read(path)] == [_comparable(one) for one in records]


def _comparable(one: Item) -> dict[str, object]:
    assert not isinstance(one, RowError), one
    told = entries.as_json(one)
    # The line is a new one, and authors joined by semicolons may be kept in `details` once more.
    return {key: value for key, value in told.items() if key not in ("line", "details")}


def test_each_line_has_the_fields_that_kb_import_knows_in_its_order() -> None:
    records = [entries.from_json(entries.as_json(one)) for one in _records(LINES)]
    for line, told in zip(lines(records), LINES, strict=True):
        assert line.endswith("}\n")
        assert tuple(json.loads(line)) == ("type", *FIELDS[str(told["type"])])
    assert json.loads(next(lines([SourceRecord(line=1, spelling="x", title="x")])))["retracted"] is False


def test_harveys_own_spelling_of_an_identifier_comes_back(tmp_path: Path) -> None:
    path = file(tmp_path, LINES[2], {**LINES[2], "uuid": ONE, "identifier_type": "", "authors": "A B, C D"})
    told = [json.loads(line) for line in lines(one for one in read(path) if not isinstance(one, RowError))]
    assert [(one["identifier_type"], one["identifier_value"]) for one in told] == [
        ("doi", "10.1234/AB"),
        ("", "10.1234/AB"),
    ]
    assert told[1]["authors"] == "A B, C D"


def test_entries_without_a_uuid_get_the_same_one_every_time() -> None:
    records: list[Record] = [
        ProjectRecord(line=1, name="Harbour", ref="project:1"),
        ObservationRecord(line=2, body="Silt moves.", ref="observation:1", project_ref="project:1"),
        SourceRecord(line=3, spelling="10.1234/ab", identities=(identify("10.1234/ab"),), ref="source:1"),
        LinkRecord(line=4, kind=LinkKind.OBSERVATION_SOURCE, from_ref="observation:1", to_ref="source:1"),
    ]
    project, observation, source, link = (json.loads(line) for line in lines(records))
    assert list(lines(records)) == list(lines(records))
    assert observation["project_uuid"] == project["uuid"]
    assert (link["observation_uuid"], link["source_uuid"]) == (observation["uuid"], source["uuid"])
    assert link["relationship"] == "cited"
    assert len({project["uuid"], observation["uuid"], source["uuid"]}) == 3


@pytest.mark.parametrize(
    "record",
    [
        entries.ChunkRecord(line=1, store="s", content="c", content_hash="00"),
        entries.TurnRecord(line=1, session="s", number=1, user="ANA", started_at=""),
        LinkRecord(line=1, kind=LinkKind.PROJECT_CONCEPT, from_ref="project:1", to_ref=f"concept:{ONE}"),
        ObservationRecord(line=1, body="x" * (10 * 2**20 + 1), uuid=ONE),
    ],
    ids=["passage", "turn", "link to nothing", "too long"],
)
def test_what_kb_import_cannot_take_is_refused(record: Record) -> None:
    with pytest.raises(NotExportable):
        list(lines([record]))


def _records(lines: tuple[dict[str, str], ...]) -> list[Record]:
    made: list[Record] = [
        ProjectRecord(line=1, name="Harbour", uuid=ONE, ref=f"project:{ONE}"),
        ConceptRecord(line=2, name="Silt", uuid=TWO, ref=f"concept:{TWO}"),
        SourceRecord(line=3, spelling="Tides", title="Tides", uuid=THREE, ref=f"source:{THREE}"),
        ObservationRecord(line=4, body="Silt moves.", uuid=FOUR, ref=f"observation:{FOUR}"),
        LinkRecord(line=5, kind=LinkKind.OBSERVATION_CONCEPT, from_ref=f"observation:{FOUR}", to_ref=f"concept:{TWO}"),
        LinkRecord(line=6, kind=LinkKind.PROJECT_CONCEPT, from_ref=f"project:{ONE}", to_ref=f"concept:{TWO}"),
        LinkRecord(line=7, kind=LinkKind.OBSERVATION_SOURCE, from_ref=f"observation:{FOUR}", to_ref=f"source:{THREE}"),
    ]
    assert len(made) == len(lines)
    return made


def test_an_old_knowledge_base_can_be_written_as_an_export(tmp_path: Path) -> None:
    old = database(
        tmp_path / "old.db",
        OLD_KNOWLEDGE,
        projects=[{"id": 1, "name": "Harbour"}],
        concepts=[{"id": 1, "name": "Silt"}],
        observations=[
            {"id": 1, "project_id": 1, "body": "Silt moves.", "source_doi": "10.1234/AB"},
            {"id": 2, "project_id": 1, "body": "Silt moves.", "source_doi": "https://doi.org/10.1234/ab"},
        ],
        observation_concepts=[{"observation_id": 2, "concept_id": 1}],
    )
    given = [one for one in harvey_knowledge.FORMAT.read(old) if not isinstance(one, RowError)]
    path = tmp_path / "export.jsonl"
    path.write_text("".join(lines(given)))
    told = read(path)
    assert [type(one) for one in told] == [type(one) for one in given]
    refs = {one.ref for one in told if not isinstance(one, RowError | LinkRecord | entries.TurnRecord)}
    assert len(refs) == 5
    for one in told:
        if isinstance(one, LinkRecord):
            assert {one.from_ref, one.to_ref} <= refs
