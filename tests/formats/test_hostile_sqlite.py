"""SQLite files that are broken, or made to harm: a message with table and row, and nothing of the file is run."""

import contextlib
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from sources.core import entries
from sources.core.entries import Item
from sources.core.records import RowError
from sources.formats import harvey_knowledge, rag_store
from sources.formats.format import Unreadable
from sources.formats.sqlite_tables import LONGEST_VALUE
from tests.factories.sqlite_files import NEW_KNOWLEDGE, OLD_KNOWLEDGE, OLD_STORE, database

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 'x' AS name FROM n"


def read(path: Path) -> list[Item]:
    return list(harvey_knowledge.FORMAT.read(path))


def chunks(path: Path) -> list[Item]:
    return list(rag_store.FORMAT.read(path))


def store_of(path: Path, rows: int) -> Path:
    return database(path, OLD_STORE, chunks=[{"content": f"passage {at} " + "x" * 200} for at in range(rows)])


def test_a_view_with_the_name_of_a_table_is_not_run(tmp_path: Path) -> None:
    path = database(
        tmp_path / "view.db",
        f"CREATE VIEW projects AS {ENDLESS}; CREATE TABLE concepts (id INTEGER, name TEXT);",
        concepts=[{"id": 1, "name": "Silt"}],
    )
    begun = time.monotonic()
    assert [type(one) for one in read(path)] == [entries.ConceptRecord]
    assert time.monotonic() - begun < 3


def test_a_virtual_table_with_the_name_of_a_table_is_not_read(tmp_path: Path) -> None:
    schema = "CREATE VIRTUAL TABLE projects USING fts5(id, name); CREATE TABLE concepts (id INTEGER, name TEXT);"
    path = database(tmp_path / "virtual.db", schema, projects=[{"id": 1, "name": "Silt"}])
    assert read(path) == []


def test_triggers_and_generated_columns_are_left_alone(tmp_path: Path) -> None:
    schema = (
        "CREATE TABLE projects (id INTEGER PRIMARY KEY, name TEXT, "
        "description TEXT GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL);"
        "CREATE TRIGGER gone AFTER DELETE ON projects BEGIN DELETE FROM projects; END;"
    )
    path = database(tmp_path / "made.db", schema, projects=[{"name": "old"}])
    before = path.read_bytes()
    (project,) = read(path)
    assert isinstance(project, entries.ProjectRecord)
    assert (project.name, project.description) == ("old", "")
    assert path.read_bytes() == before


def test_names_that_look_like_sql_are_names(tmp_path: Path) -> None:
    schema = (
        'CREATE TABLE "x""; DROP TABLE projects; --" (id INTEGER);'
        'CREATE TABLE Projects (id INTEGER); CREATE TABLE concepts (id INTEGER, name TEXT, "uuid""; --" TEXT);'
    )
    path = database(tmp_path / "names.db", schema, concepts=[{"id": 1, "name": "Silt"}])
    assert [type(one) for one in read(path)] == [entries.ConceptRecord]


def test_a_table_that_hides_its_row_numbers_is_one_error(tmp_path: Path) -> None:
    for at, schema in enumerate(
        [
            "(id INTEGER, name TEXT, rowid TEXT, _rowid_ TEXT, oid TEXT)",
            "(id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID",
        ]
    ):
        path = database(tmp_path / f"{at}.db", f"CREATE TABLE projects {schema};", projects=[{"id": "1", "name": "a"}])
        (error,) = read(path)
        assert isinstance(error, RowError)
        assert "“projects”" in error.message


def test_a_column_called_rowid_does_not_stand_for_the_row_number(tmp_path: Path) -> None:
    schema = "CREATE TABLE projects (id INTEGER, name TEXT, rowid TEXT);"
    rows = [{"id": 1, "name": "a", "rowid": "z"}, {"id": 2, "name": "b", "rowid": "a"}]
    assert len(read(database(tmp_path / "rowid.db", schema, projects=rows))) == 2


def test_a_huge_value_costs_its_row_only(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"content": "a"},
        {"content": "b" * (LONGEST_VALUE + 1)},
        {"content": "c", "embedding": b"\x00" * 9_000_000},
    ]
    path = database(tmp_path / "huge.db", OLD_STORE, chunks=[*rows, {"content": "d"}])
    first, second, third, fourth = chunks(path)
    assert isinstance(first, entries.ChunkRecord)
    assert isinstance(fourth, entries.ChunkRecord)
    assert [one.spelling for one in (second, third) if isinstance(one, RowError)] == ["chunks, row 2", "chunks, row 3"]
    assert fourth.content == "d"


def test_a_damaged_page_ends_its_table_with_the_row_before_it(tmp_path: Path) -> None:
    path = store_of(tmp_path / "damaged.db", 400)
    data = bytearray(path.read_bytes())
    at = data.index(b"passage 200 ") // 4096 * 4096
    data[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    *records, error = chunks(path)
    assert 0 < len(records) < 200
    assert all(isinstance(one, entries.ChunkRecord) for one in records)
    assert isinstance(error, RowError)
    assert f"cannot be read after row {len(records)}" in error.message
    assert ".recover" in error.message


def test_pages_that_repeat_rows_end_the_table(tmp_path: Path) -> None:
    path = store_of(tmp_path / "loop.db", 400)
    data = bytearray(path.read_bytes())
    root = 4096
    assert data[root] == 5
    first_cell = root + int.from_bytes(data[root + 12 : root + 14], "big")
    data[root + 8 : root + 12] = data[first_cell : first_cell + 4]
    path.write_bytes(data)
    *records, error = chunks(path)
    assert all(isinstance(one, entries.ChunkRecord) for one in records)
    assert len(records) <= 400
    assert isinstance(error, RowError)
    assert "repeats itself" in error.message


def test_a_damaged_schema_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path / "schema.db", OLD_KNOWLEDGE)
    data = path.read_bytes().replace(b"CREATE TABLE concepts", b"CREATE TABEL concepts")
    path.write_bytes(data)
    with pytest.raises(Unreadable, match="list of tables"):
        read(path)


@pytest.mark.parametrize("kept", [16, 99, 100, 4096, 20_000])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, kept: int) -> None:
    path = store_of(tmp_path / "cut.db", 400)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(Unreadable):
        chunks(path)


def test_any_page_may_be_damaged_without_a_crash(tmp_path: Path) -> None:
    whole = database(
        tmp_path / "whole.db",
        NEW_KNOWLEDGE,
        projects=[{"name": f"project {at}", "description": "x" * 300} for at in range(60)],
        observations=[{"body": "words " * 40, "source_doi": f"10.1234/{at}"} for at in range(60)],
    ).read_bytes()
    path = tmp_path / "one.db"
    for at in range(100, len(whole), 1_999):
        path.write_bytes(whole[:at] + bytes(byte ^ 0xA5 for byte in whole[at : at + 16]) + whole[at + 16 :])
        with contextlib.suppress(Unreadable):
            assert all(isinstance(one, RowError) or one.line for one in read(path))


def test_an_encrypted_file_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "secret.db"
    path.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(Unreadable, match="password"):
        read(path)


def test_changes_that_lie_beside_the_file_are_not_overlooked(tmp_path: Path) -> None:
    path = tmp_path / "open.db"
    with closing(sqlite3.connect(path)) as writer:
        writer.executescript("PRAGMA journal_mode = WAL;" + OLD_STORE)
        writer.execute("INSERT INTO chunks (content) VALUES ('new')")
        writer.commit()
        with pytest.raises(Unreadable, match=r"open\.db-wal"):
            chunks(path)
    assert len(chunks(path)) == 1


def test_a_lock_of_another_program_does_not_matter_to_a_reader(tmp_path: Path) -> None:
    path = store_of(tmp_path / "locked.db", 3)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert len(chunks(path)) == 3


def test_an_unfinished_change_beside_the_file_is_refused(tmp_path: Path) -> None:
    path = store_of(tmp_path / "half.db", 3)
    path.with_name("half.db-journal").write_bytes(b"\xd9\xd5\x05\xf9 \xa1c\xd7")
    with pytest.raises(Unreadable, match=r"half\.db-journal"):
        chunks(path)
