"""Records as JSON and back: what staging keeps is what the file held."""

import json
from dataclasses import fields, replace

import pytest

from sources.core import entries
from sources.core.catalog import CitationStatus
from sources.core.entries import Author, LinkKind, Record, Relationship, Retrieval, RetrievedSource
from sources.core.identifiers import identify
from sources.core.kinds import Sensitivity

RECORDS: tuple[Record, ...] = (
    entries.SourceRecord(
        line=3,
        spelling="key2024",
        identities=(identify("10.1234/ab.c"), identify("https://example.org/paper")),
        authors=(Author(family="World Health Organization"), Author(family="Núñez", given="Ana", orcid="0000-0001")),
        status=CitationStatus.INCLUDED,
        sensitivity=Sensitivity.INTERNAL_ONLY,
        retracted=False,
        tags=("a", "b"),
        details=(("keywords", "x; y"),),
        warnings=("The year was repaired.",),
    ),
    entries.ProjectRecord(line=1, name="Deal", versions=("v1", "v2")),
    entries.ObservationRecord(line=1, body="words", kind=entries.ObservationKind.FINDING),
    entries.ConceptRecord(line=9, name="idea"),
    entries.LinkRecord(
        line=1, kind=LinkKind.OBSERVATION_SOURCE, from_ref="1", to_ref="2", relationship=Relationship.CITED
    ),
    entries.ChunkRecord(line=1, store="s", content="text", content_hash="00", start_line=4, embedding_dimension=768),
    entries.TurnRecord(
        line=5,
        session="s",
        number=1,
        user="ANA",
        started_at="2026-06-25 14:23:11",
        retrievals=(Retrieval(store="a.db", chunk_count=3, top_score=0.87, sources=(RetrievedSource(source="x.md"),)),),
    ),
)


@pytest.mark.parametrize("record", RECORDS, ids=entries.name_of)
def test_a_record_survives_json(record: Record) -> None:
    assert entries.from_json(json.loads(json.dumps(entries.as_json(record)))) == record


@pytest.mark.parametrize("record", RECORDS, ids=entries.name_of)
def test_what_is_at_its_default_is_not_stored(record: Record) -> None:
    defaults = {field.name: field.default for field in fields(record)}
    told = entries.as_json(record)
    assert all(getattr(record, name) != default for name, default in defaults.items() if name in told)


def test_every_kind_of_record_has_a_name() -> None:
    assert {entries.name_of(record) for record in RECORDS} == set(entries._RECORDS)


def test_a_changed_record_is_stored_otherwise() -> None:
    record = RECORDS[0]
    assert entries.as_json(replace(record, line=4)) != entries.as_json(record)


def test_a_detail_that_comes_several_times_keeps_all_its_values() -> None:
    details = (("section", "market"), ("rank", "1"), ("section", "team"))
    record = entries.SourceRecord(line=1, spelling="", details=details)
    assert entries.details_by_name(record) == {"section": ["market", "team"], "rank": "1"}
