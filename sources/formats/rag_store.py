"""A RAG store of Harvey (one SQLite file a store): its passages, with a hash each, and what is known of their sources.

Vectors are not carried: of each, the SHA-256 of its bytes as they lie in the file, and its dimension. Three ways of
writing one are met: the count as a 32-bit number before the values (64 or 32 bits each), bare 32-bit values, and a JSON
list.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sources.core.chunking import hash_of, store_name
from sources.core.entries import ChunkRecord, Item
from sources.core.lines import one_line
from sources.core.records import RowError
from sources.formats.format import Format, Head, Unreadable
from sources.formats.sqlite_tables import MAGIC, Damage, Row, may_have_table, opened

_TEXTS: Final = (
    *("source", "indexed_at", "content_hash", "source_url", "source_doi", "source_title", "source_version"),
    *("rights", "retracted", "retraction_note", "start_line", "end_line"),
)
_DETAILS: Final = ("start_col", "end_col", "chunk_type", "symbols", "docs", "identifiers", "citations")
_NOTHING: Final = frozenset({"", "0", "{}", "[]"})


def _recognises(head: Head) -> bool:
    """An SQLite file whose schema begins with a table `chunks`; a knowledge base is none, whatever else it holds."""
    is_store = head.data.startswith(MAGIC) and may_have_table(head, "chunks")
    return is_store and not may_have_table(head, "observations")


def read(path: Path) -> Iterator[Item]:
    """One record a row, in the order of its ids; the store is named as the file is, without its ending.

    A stored hash that does not fit the content gives an error after the record: the passage was changed after it was
    indexed, and is kept under the hash of what it holds now. Raises `Unreadable`.
    """
    store = store_name(path.name)
    with opened(path, frozenset({"chunks"})) as tables:
        if "content" not in {column.lower() for column in tables.columns.get("chunks", ())}:
            found = ", ".join(f"“{name}”" for name in tables.others[:10]) or "none"
            raise Unreadable(
                "This SQLite file is no RAG store: it has no table “chunks” with a column “content”. "
                f"Its other tables: {found}. Give the store's *.db file."
            )
        rows = tables.rows("chunks", ("content", "embedding", *_TEXTS, *_DETAILS))
        for line, row in enumerate(rows, start=1):
            if isinstance(row, Damage):
                yield RowError(line, f"chunks, row {row.row}", row.reason)
            else:
                yield from _chunk(row, line, store)


def _chunk(row: Row, line: int, store: str) -> Iterator[Item]:
    where = f"chunks, row {row.number}"
    told = {}
    for name in ("content", *_TEXTS, *_DETAILS):
        try:
            told[name] = (row.values.get(name) or b"").decode()
        except UnicodeDecodeError as error:
            yield RowError(
                line,
                where,
                f"Table “chunks”, row {row.number}: column “{name}” holds a byte that is not UTF-8 "
                f"(byte {error.start + 1}). Ingest its source again.",
            )
            return
    if "\x00" in told["content"] or not told["content"].strip():
        what = "holds a NUL character, so it is no text" if told["content"].strip() else "is empty"
        yield RowError(
            line, where, f"Table “chunks”, row {row.number}: column “content” {what}. Ingest its source again."
        )
        return
    content, stored = told.pop("content"), told["content_hash"].strip().lower()
    details = tuple((name, text) for name in _DETAILS if (text := told.pop(name).replace("\x00", " ")) not in _NOTHING)
    told = {name: one_line(text) for name, text in told.items()}
    vector = row.values.get("embedding") or b""
    yield ChunkRecord(
        line=line,
        store=store,
        content=content,
        content_hash=hash_of(content),
        source=told["source"],
        ref=f"chunk:{row.number}",
        start_line=_line_number(told["start_line"]),
        end_line=_line_number(told["end_line"]),
        indexed_at=told["indexed_at"],
        source_url=told["source_url"],
        source_doi=told["source_doi"],
        source_title=told["source_title"],
        source_version=told["source_version"],
        rights=told["rights"],
        retracted=told["retracted"].lower() not in ("", "0", "false"),
        retraction_note=told["retraction_note"],
        embedding_hash=hashlib.sha256(vector).hexdigest() if vector else "",
        embedding_dimension=dimension(vector),
        details=details,
    )
    if stored and stored != hash_of(content):
        yield RowError(
            line,
            where,
            f"Table “chunks”, row {row.number}: the stored hash does not fit the content, so the passage was changed "
            "after it was indexed. It is kept under the hash of what it holds now. Ingest its source again.",
        )


def dimension(vector: bytes) -> int | None:
    """How many numbers a stored vector has; None where there is none, or where its length fits no known form."""
    count = int.from_bytes(vector[:4], "little")
    if len(vector) > 4 and len(vector) in (4 + 8 * count, 4 + 4 * count):
        return count
    if vector.lstrip()[:1] == b"[":
        try:
            told = json.loads(vector)
        except (ValueError, RecursionError):
            told = None
        if isinstance(told, list) and all(isinstance(one, int | float) for one in told):
            return len(told) or None
    return len(vector) // 4 if vector and len(vector) % 4 == 0 else None


def _line_number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"0*[1-9][0-9]{0,8}", text, re.ASCII) else None


FORMAT = Format(name="rag-store", label="RAG store (SQLite)", recognises=_recognises, read=read)
