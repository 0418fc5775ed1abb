"""Small SQLite files as other programs leave them."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

OLD_KNOWLEDGE = """
CREATE TABLE projects (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'active', created_at DATETIME, updated_at DATETIME);
CREATE TABLE observations (id INTEGER PRIMARY KEY, project_id INTEGER, kind TEXT NOT NULL DEFAULT 'note',
    body TEXT NOT NULL, created_at DATETIME, source_doi TEXT NOT NULL DEFAULT '');
CREATE TABLE concepts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL DEFAULT '');
CREATE TABLE observation_concepts (observation_id INTEGER, concept_id INTEGER);
CREATE TABLE project_concepts (project_id INTEGER, concept_id INTEGER);
CREATE VIEW project_summary AS SELECT id, name FROM projects;
"""
NEW_KNOWLEDGE = (
    OLD_KNOWLEDGE
    + """
ALTER TABLE projects ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN origin_host TEXT NOT NULL DEFAULT '';
ALTER TABLE observations ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE observations ADD COLUMN origin_host TEXT NOT NULL DEFAULT '';
ALTER TABLE concepts ADD COLUMN created_at DATETIME;
ALTER TABLE concepts ADD COLUMN identifier_type TEXT NOT NULL DEFAULT '';
ALTER TABLE concepts ADD COLUMN identifier_value TEXT NOT NULL DEFAULT '';
CREATE TABLE sources (id INTEGER PRIMARY KEY, title TEXT NOT NULL, identifier_type TEXT NOT NULL DEFAULT '',
    identifier_value TEXT NOT NULL DEFAULT '', authors TEXT NOT NULL DEFAULT '',
    published_date TEXT NOT NULL DEFAULT '', publisher TEXT NOT NULL DEFAULT '',
    rights TEXT NOT NULL DEFAULT '', version TEXT NOT NULL DEFAULT '',
    retracted INTEGER NOT NULL DEFAULT 0, retraction_note TEXT NOT NULL DEFAULT '', first_seen_at DATETIME,
    last_checked_at DATETIME, uuid TEXT NOT NULL DEFAULT '', origin_host TEXT NOT NULL DEFAULT '');
CREATE TABLE observation_sources (observation_id INTEGER, source_id INTEGER,
    relationship TEXT NOT NULL DEFAULT 'cited');
"""
)
OLD_STORE = (
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY, content TEXT NOT NULL, embedding BLOB, source TEXT DEFAULT '');"
)
NEW_STORE = (
    OLD_STORE
    + """
ALTER TABLE chunks ADD COLUMN start_line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN end_line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN chunk_type TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN indexed_at DATETIME;
ALTER TABLE chunks ADD COLUMN content_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN source_url TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN source_doi TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN source_title TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN source_version TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN rights TEXT NOT NULL DEFAULT '';
ALTER TABLE chunks ADD COLUMN retracted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN retraction_note TEXT NOT NULL DEFAULT '';
"""
)


def database(path: Path, schema: str, **tables: list[dict[str, Any]]) -> Path:
    """A file with this schema, and of each table the rows given as {column: value}."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(schema)
        for table, rows in tables.items():
            for row in rows:
                columns, marks = ", ".join(row), ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))  # noqa: S608
        connection.commit()
    return path
