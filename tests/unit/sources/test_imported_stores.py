"""Stores of other tools through both steps: documents are taken in whole, by what their passages are."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lineage.core.relations import EntityState
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources.core.kinds import RowAction
from sources.models import Chunk, ChunkStore, ImportBatch, Project
from sources.services import importing, staging
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.lists import project_at

pytestmark = pytest.mark.django_db


def store_of(folder: Path, passages: list[tuple[str, str, str]]) -> bytes:
    """A store as a file: (path, content, DOI) a passage."""
    path = folder / "harbour.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(
            "CREATE TABLE chunks (id INTEGER PRIMARY KEY, content TEXT, embedding BLOB, source TEXT, indexed_at TEXT, "
            "content_hash TEXT, source_url TEXT, source_doi TEXT, source_title TEXT)"
        )
        file.executemany(
            "INSERT INTO chunks (source, content, source_doi, embedding, content_hash, source_url, source_title,"
            " indexed_at) VALUES (?, ?, ?, x'0000803f', '', '', '', '2026-06-25 10:00:00')",
            passages,
        )
    return path.read_bytes()


def taken_in(desk: Desk, project: Project, data: bytes) -> ImportBatch:
    by = desk.person(Role.CURATOR)
    batch = staging.stage(project=project, data=data, label="harbour.db", by=by, at=NOW)
    return importing.commit(batch=batch, by=by, channel=Channel.PAGE, at=NOW).batch


def test_a_store_brings_its_passages_and_the_sources_they_rest_on(desk: Desk, tmp_path: Path) -> None:
    project = project_at(desk)
    first = [
        ("tides.md", "High water.", "10.5555/harbour.7"),
        ("tides.md", "Low water.", ""),
        ("notes.md", "Wind.", ""),
    ]
    batch = taken_in(desk, project, store_of(tmp_path, first))
    assert batch.format == "rag-store"
    chunks = Chunk.objects.order_by("path", "pk")
    assert set(chunks.values_list("store__name", "path", "content", "source__identifier_value")) == {
        ("harbour", "notes.md", "Wind.", None),
        ("harbour", "tides.md", "High water.", "10.5555/harbour.7"),
        ("harbour", "tides.md", "Low water.", "10.5555/harbour.7"),
    }
    assert set(chunks.values_list("embedding_dimension", flat=True)) == {1}
    assert all(chunk.embedding_hash and chunk.entity_id for chunk in chunks)


def test_the_same_store_twice_changes_nothing_and_a_changed_one_only_its_documents(desk: Desk, tmp_path: Path) -> None:
    project = project_at(desk)
    first = [("tides.md", "High water.", ""), ("tides.md", "Low water.", ""), ("notes.md", "Wind.", "")]
    taken_in(desk, project, store_of(tmp_path, first))
    before = set(Chunk.objects.values_list("pk", "content", "indexed_at"))
    batch = taken_in(desk, project, store_of(tmp_path, first))
    assert set(batch.rows.values_list("action", flat=True)) == {RowAction.KNOWN}
    assert set(Chunk.objects.values_list("pk", "content", "indexed_at")) == before
    taken_in(desk, project, store_of(tmp_path, [("tides.md", "High water.", ""), ("tides.md", "Spring tide.", "")]))
    assert set(Chunk.objects.values_list("path", "content")) == {
        ("notes.md", "Wind."),
        ("tides.md", "High water."),
        ("tides.md", "Spring tide."),
    }


def test_an_undone_store_leaves_no_passage_and_a_tombstone_for_each(desk: Desk, tmp_path: Path) -> None:
    batch = taken_in(desk, project_at(desk), store_of(tmp_path, [("tides.md", "High water.", "")]))
    entity = Chunk.objects.get().entity
    assert batch.change_set is not None
    assert entity is not None
    changes.undo(change_set=batch.change_set, by=desk.person(Role.CURATOR), at=NOW)
    entity.refresh_from_db()
    assert (Chunk.objects.count(), ChunkStore.objects.count(), entity.state) == (0, 0, EntityState.TOMBSTONED)
