"""RAG stores: passages with their hashes, vectors by hash and dimension only."""

import hashlib
import json
import struct
from pathlib import Path

import pytest

from sources.core.chunking import hash_of
from sources.core.entries import ChunkRecord, Item
from sources.core.records import RowError
from sources.formats import harvey_knowledge
from sources.formats.format import Head, Unreadable
from sources.formats.rag_store import FORMAT
from tests.factories.sqlite_files import NEW_KNOWLEDGE, NEW_STORE, OLD_STORE, database


def read(path: Path) -> list[Item]:
    return list(FORMAT.read(path))


def only(path: Path) -> ChunkRecord:
    (record,) = read(path)
    assert isinstance(record, ChunkRecord)
    return record


def test_a_passage_of_a_new_store_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "content": "func Tide() {}",
        "source": "tide.go",
        "start_line": 12,
        "end_line": 30,
        "chunk_type": "function",
        "indexed_at": "2026-06-25 14:23:11",
        "content_hash": hash_of("func Tide() {}"),
        "source_url": "https://example.org/tide",
        "source_doi": "10.1234/ab",
        "source_title": "Tide",
        "source_version": "v2",
        "rights": "MIT",
        "retracted": 1,
        "retraction_note": "Wrong",
    }
    assert only(database(tmp_path / "sparqlset.db", NEW_STORE, chunks=[row])) == ChunkRecord(
        line=1,
        store="sparqlset",
        content="func Tide() {}",
        content_hash=hash_of("func Tide() {}"),
        source="tide.go",
        ref="chunk:7",
        start_line=12,
        end_line=30,
        indexed_at="2026-06-25 14:23:11",
        source_url="https://example.org/tide",
        source_doi="10.1234/ab",
        source_title="Tide",
        source_version="v2",
        rights="MIT",
        retracted=True,
        retraction_note="Wrong",
        details=(("chunk_type", "function"),),
    )


def test_an_old_store_gets_hashes_and_has_no_lines(tmp_path: Path) -> None:
    record = only(database(tmp_path / "old.db", OLD_STORE, chunks=[{"content": "Gezeiten ≈ täglich"}]))
    assert record.content_hash == hashlib.sha256("Gezeiten ≈ täglich".encode()).hexdigest()
    assert (record.source, record.start_line, record.end_line, record.retracted) == ("", None, None, False)


@pytest.mark.parametrize("stored", ["", hash_of("words"), hash_of("words").upper()])
def test_a_hash_that_fits_or_is_missing_is_no_news(tmp_path: Path, stored: str) -> None:
    record = only(database(tmp_path / "s.db", NEW_STORE, chunks=[{"content": "words", "content_hash": stored}]))
    assert record.content_hash == hash_of("words")


def test_a_hash_that_does_not_fit_is_told_and_the_passage_kept(tmp_path: Path) -> None:
    rows = [{"content": "words", "content_hash": hash_of("other words")}]
    record, error = read(database(tmp_path / "s.db", NEW_STORE, chunks=rows))
    assert isinstance(record, ChunkRecord)
    assert record.content_hash == hash_of("words")
    assert isinstance(error, RowError)
    assert "row 1: the stored hash does not fit" in error.message


@pytest.mark.parametrize(
    ("vector", "dimension"),
    [
        (struct.pack("<3f", 1, 2, 3), 3),
        (struct.pack("<i3d", 3, 1, 2, 3), 3),
        (struct.pack("<i3f", 3, 1, 2, 3), 3),
        (struct.pack("<i91d", 91, *range(91)), 91),
        (json.dumps([0.5, -1, 2e-3]), 3),
        (b"[" * 100_000, 25_000),
        (b"abc", None),
        ("[]", None),
    ],
)
def test_a_vector_is_told_by_its_hash_and_dimension(tmp_path: Path, vector: bytes | str, dimension: int | None) -> None:
    record = only(database(tmp_path / "s.db", OLD_STORE, chunks=[{"content": "words", "embedding": vector}]))
    raw = vector.encode() if isinstance(vector, str) else vector
    assert record.embedding_hash == hashlib.sha256(raw).hexdigest()
    assert record.embedding_dimension == dimension


@pytest.mark.parametrize("vector", [None, b"", ""])
def test_no_vector_has_no_hash(tmp_path: Path, vector: bytes | str | None) -> None:
    record = only(database(tmp_path / "s.db", OLD_STORE, chunks=[{"content": "words", "embedding": vector}]))
    assert (record.embedding_hash, record.embedding_dimension) == ("", None)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"content": b"\xff\xfe"}, "“content” holds a byte that is not UTF-8"),
        ({"content": "words", "source": b"\xff"}, "“source” holds a byte that is not UTF-8"),
        ({"content": "a\x00b"}, "NUL"),
        ({"content": " "}, "is empty"),
    ],
)
def test_a_bad_row_is_an_error_and_the_next_is_read(tmp_path: Path, row: dict[str, object], named: str) -> None:
    error, record = read(database(tmp_path / "s.db", OLD_STORE, chunks=[row, {"content": "words"}]))
    assert isinstance(error, RowError)
    assert "Table “chunks”, row 1:" in error.message
    assert named in error.message
    assert isinstance(record, ChunkRecord)
    assert record.ref == "chunk:2"


def test_numbers_and_blobs_in_text_columns_are_read_as_text(tmp_path: Path) -> None:
    record = only(database(tmp_path / "s.db", NEW_STORE, chunks=[{"content": b"words", "source_version": 2}]))
    assert (record.content, record.source_version) == ("words", "2")


def test_a_store_is_told_from_a_knowledge_base(tmp_path: Path) -> None:
    for at, (schema, is_store) in enumerate([(OLD_STORE, True), (NEW_STORE, True), (NEW_KNOWLEDGE + OLD_STORE, False)]):
        data = database(tmp_path / f"{at}.db", schema).read_bytes()
        head = Head(data, data.decode(errors="replace"), True)
        assert FORMAT.recognises(head) is is_store
        assert harvey_knowledge.FORMAT.recognises(head) is not is_store


def test_another_sqlite_file_is_refused_with_the_tables_it_has(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="songs"):
        read(database(tmp_path / "music.db", "CREATE TABLE songs (id INTEGER); CREATE TABLE chunks (id INTEGER);"))
