"""Harvey's knowledge.db, of any age: projects, observations, concepts, sources, and what links them.

A table or column that an older release did not have is simply missing. In such a file the only trace of a source is the
field `source_doi` of an observation: each distinct DOI makes one source, linked `cited`. In a newer file that field is
still there and mostly repeats what `sources` and `observation_sources` say; it then adds nothing.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sources.core.entries import Item, LinkKind, LinkRecord, Record, Relationship, SourceRecord
from sources.core.records import RowError
from sources.formats.format import Format, Head, Unreadable
from sources.formats.harvey_rows import (
    BadRow,
    Fields,
    concept_from,
    observation_from,
    project_from,
    ref_of,
    relationship_from,
    source_from,
    source_of_doi,
)
from sources.formats.sqlite_tables import MAGIC, Damage, Row, Tables, may_have_table, opened

_COLUMNS: Final = {
    "projects": (
        ("id", "name"),
        ("description", "status", "created_at", "updated_at", "uuid", "origin_host"),
    ),
    "concepts": (
        ("id", "name"),
        ("description", "identifier_type", "identifier_value", "created_at", "uuid", "origin_host"),
    ),
    "sources": (
        ("id", "title"),
        (
            *("identifier_type", "identifier_value", "authors", "published_date", "publisher", "rights", "version"),
            *("retracted", "retraction_note", "first_seen_at", "last_checked_at", "uuid", "origin_host"),
        ),
    ),
    "observations": (
        ("id", "body"),
        ("project_id", "kind", "created_at", "source_doi", "uuid", "origin_host"),
    ),
    "observation_concepts": (("observation_id", "concept_id"), ()),
    "project_concepts": (("project_id", "concept_id"), ()),
    "observation_sources": (("observation_id", "source_id"), ("relationship",)),
}
_KNOWN = frozenset(_COLUMNS)


def _recognises(head: Head) -> bool:
    """Any SQLite file but a RAG store. The schema of a file that was upgraded late need not lie in its beginning;
    `read` says what tables there are where these are not among them."""
    if not head.data.startswith(MAGIC):
        return False
    return may_have_table(head, "observations") or not may_have_table(head, "chunks")


def read(path: Path) -> Iterator[Item]:
    """Projects, concepts, sources, observations, then links; `line` is the running number of the row in the file.

    Refs are `project:<id>`, `concept:<id>`, `source:<id>`, `observation:<id>`, and `doi:<doi>` for a source that only
    an observation's `source_doi` names. The same file gives the same refs every time. Links may name an entry that the
    file does not have, or that could not be read. Raises `Unreadable`.
    """
    with opened(path, _KNOWN) as tables:
        if not _KNOWN & set(tables.columns):
            found = ", ".join(f"“{name}”" for name in tables.others[:10]) or "none"
            raise Unreadable(
                "This SQLite file is no knowledge base of Harvey: it has no table of projects, observations or "
                f"sources. Its tables: {found}. Give the file knowledge.db, or a RAG store with a table “chunks”."
            )
        yield from _Reading(tables).items()


class _Reading:
    """One pass over the tables; keeps the DOIs of sources and the observations that name one."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._line = 0
        self._source_of: dict[str, str] = {}
        self._cites: dict[str, tuple[int, str]] = {}

    def items(self) -> Iterator[Item]:
        yield from self._entries("projects", self._project)
        yield from self._entries("concepts", self._concept)
        yield from self._entries("sources", self._source)
        yield from self._entries("observations", self._observation)
        yield from self._entries("observation_concepts", self._observation_concept)
        yield from self._entries("project_concepts", self._project_concept)
        yield from self._entries("observation_sources", self._observation_source)
        for ref, (line, source) in self._cites.items():
            yield LinkRecord(
                line=line,
                kind=LinkKind.OBSERVATION_SOURCE,
                from_ref=ref,
                to_ref=source,
                relationship=Relationship.CITED,
            )

    def _entries(self, table: str, made: Callable[[Fields], list[Record]]) -> Iterator[Item]:
        if table not in self._tables.columns:
            return
        needed, optional = _COLUMNS[table]
        missing = [name for name in needed if name not in {one.lower() for one in self._tables.columns[table]}]
        if missing:
            self._line += 1
            yield RowError(
                self._line,
                table,
                f"Table “{table}” has no column “{missing[0]}”, so none of its rows can be read. Open the file once "
                "with the current release of Harvey, which completes it, and import it again.",
            )
            return
        for row in self._tables.rows(table, needed + optional):
            self._line += 1
            if isinstance(row, Damage):
                yield RowError(self._line, f"{table}, row {row.row}", row.reason)
                continue
            try:
                yield from made(_fields(row, needed + optional))
            except BadRow as error:
                yield RowError(self._line, f"{table}, row {row.number}", f"Table “{table}”, row {row.number}: {error}")

    def _project(self, row: Fields) -> list[Record]:
        return [project_from(row, line=self._line, ref=ref_of("project", row["id"]))]

    def _concept(self, row: Fields) -> list[Record]:
        return [concept_from(row, line=self._line, ref=ref_of("concept", row["id"]))]

    def _source(self, row: Fields) -> list[Record]:
        record = source_from(row, line=self._line, ref=ref_of("source", row["id"]))
        for identity in record.identities:
            self._source_of.setdefault(identity.key, record.ref)
        return [record]

    def _observation(self, row: Fields) -> list[Record]:
        record = observation_from(
            row,
            line=self._line,
            ref=ref_of("observation", row["id"]),
            project_ref=ref_of("project", row["project_id"]),
        )
        if not record.source_doi:
            return [record]
        named = source_of_doi(record.source_doi, line=self._line)
        key = _key(named)
        is_new = key not in self._source_of
        self._cites[record.ref] = (self._line, self._source_of.setdefault(key, named.ref))
        return [named, record] if is_new else [record]

    def _observation_concept(self, row: Fields) -> list[Record]:
        return [self._link(LinkKind.OBSERVATION_CONCEPT, "observation", row["observation_id"], row["concept_id"])]

    def _project_concept(self, row: Fields) -> list[Record]:
        return [self._link(LinkKind.PROJECT_CONCEPT, "project", row["project_id"], row["concept_id"])]

    def _observation_source(self, row: Fields) -> list[Record]:
        relationship = relationship_from(row["relationship"])
        link = self._link(
            LinkKind.OBSERVATION_SOURCE, "observation", row["observation_id"], row["source_id"], relationship
        )
        _, cited = self._cites.get(link.from_ref, (0, ""))
        if cited == link.to_ref:
            del self._cites[link.from_ref]
        return [link]

    def _link(
        self, kind: LinkKind, begins: str, from_id: str, to_id: str, relationship: Relationship | None = None
    ) -> LinkRecord:
        if not from_id or not to_id:
            raise BadRow("One end of this link is empty. Link both, or delete the row.")
        ends = "source" if kind is LinkKind.OBSERVATION_SOURCE else "concept"
        return LinkRecord(
            line=self._line,
            kind=kind,
            from_ref=ref_of(begins, from_id),
            to_ref=ref_of(ends, to_id),
            relationship=relationship,
        )


def _key(record: SourceRecord) -> str:
    return record.identities[0].key if record.identities else record.ref


def _fields(row: Row, names: tuple[str, ...]) -> Fields:
    fields = {}
    for name in names:
        try:
            fields[name] = (row.values.get(name) or b"").decode()
        except UnicodeDecodeError as error:
            raise BadRow(
                f"Column “{name}” holds a byte that is not UTF-8 (byte {error.start + 1}). Correct it in the file."
            ) from None
        if "\x00" in fields[name]:
            raise BadRow(f"Column “{name}” holds a NUL character, so it is no text. Correct it in the file.")
    return fields


FORMAT = Format(name="harvey-knowledge", label="Harvey knowledge base", recognises=_recognises, read=read)
