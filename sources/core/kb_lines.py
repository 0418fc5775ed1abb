"""Records as the JSON Lines that Harvey's `kb import` reads: every field of a type in each line, links by uuid."""

import json
import re
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, Final, assert_never

from sources.core.entries import (
    ChunkRecord,
    ConceptRecord,
    LinkKind,
    LinkRecord,
    ObservationRecord,
    ProjectRecord,
    Record,
    Relationship,
    SourceRecord,
    TurnRecord,
    first_identity,
)
from sources.core.harvey_fields import DATE, authors_from, authors_text, identity_from
from sources.core.identifiers import BadIdentifier, UnusableUrl
from sources.core.kinds import IdentifierType
from sources.core.records import Identity

LONGEST_LINE: Final = 10 * 1024 * 1024
"""Bytes. The limit of Harvey's own `kb import`, which gives up the whole file at a longer line."""
FIELDS: Final = {
    "project": ("uuid", "origin_host", "name", "description", "status", "created_at"),
    "concept": (*("uuid", "origin_host", "name", "description", "identifier_type", "identifier_value", "created_at"),),
    "source": (
        *("uuid", "origin_host", "title", "identifier_type", "identifier_value", "authors", "published_date"),
        *("publisher", "rights", "version", "retracted", "retraction_note", "first_seen_at"),
    ),
    "observation": (*("uuid", "origin_host", "project_uuid", "kind", "body", "source_doi", "created_at"),),
    "observation_concept": ("observation_uuid", "concept_uuid"),
    "project_concept": ("project_uuid", "concept_uuid"),
    "observation_source": ("observation_uuid", "source_uuid", "relationship"),
}
"""The fields of each type, in the order in which Harvey writes them, after `type`."""

_LINKS: Final = {
    LinkKind.OBSERVATION_SOURCE: ("observation_source", "observation", "source"),
    LinkKind.OBSERVATION_CONCEPT: ("observation_concept", "observation", "concept"),
    LinkKind.PROJECT_CONCEPT: ("project_concept", "project", "concept"),
}
_NAMESPACE: Final = uuid.UUID("5d0cf1a6-5a0e-5c52-9d5b-7f0a2e1c9b44")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class NotExportable(ValueError):
    """The caller gave a record that `kb import` cannot take; the message says which and why."""


def lines(records: Iterable[Record]) -> Iterator[str]:
    """One line for each record, with its line end. What an observation or a link names must come before it.

    A record without a uuid gets one from its content, the same every time, so that importing twice changes nothing. A
    ref that no record had before is taken as it is where it ends in a uuid (`project:<uuid>`): an export of a part may
    lean on what is there already. Harvey skips observations without a project: give every one a project. Memory grows
    only with refs that do not hold their uuid. Raises `NotExportable` for passages and turns, which have no place in
    this format, for a link to nothing, and for a line over 10 MB, at which `kb import` gives up the whole file.
    """
    known: dict[str, str] = {}
    for record in records:
        told = _told(record, known)
        line = json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"
        if len(line) * 4 > LONGEST_LINE and len(line.encode()) > LONGEST_LINE:
            raise NotExportable(f"The {told['type']} of line {record.line} is longer than {LONGEST_LINE:,} bytes.")
        yield line


def _told(record: Record, known: dict[str, str]) -> dict[str, Any]:
    match record:
        case ProjectRecord():
            given = {"name": record.name, "description": record.description, "status": record.status}
            return _entry("project", record, known, record.name, {**given, "created_at": record.created_at})
        case ConceptRecord():
            given = {"name": record.name, "description": record.description, "created_at": record.created_at}
            pair = {"identifier_type": record.identifier_type, "identifier_value": record.identifier_value}
            return _entry("concept", record, known, record.name, {**given, **pair})
        case SourceRecord():
            return _entry("source", record, known, first_identity(record).key or record.title, _source(record))
        case ObservationRecord():
            given = {
                "project_uuid": _uuid_of(record.project_ref, known) if record.project_ref else "",
                "kind": str(record.kind),
                "body": record.body,
                "source_doi": record.source_doi,
                "created_at": record.created_at,
            }
            content = "\n".join([record.ref, given["project_uuid"], record.created_at, record.body])
            return _entry("observation", record, known, content, given)
        case LinkRecord():
            kind, begins, ends = _LINKS[record.kind]
            link = {
                "type": kind,
                f"{begins}_uuid": _uuid_of(record.from_ref, known),
                f"{ends}_uuid": _uuid_of(record.to_ref, known),
            }
            if record.kind is LinkKind.OBSERVATION_SOURCE:
                link["relationship"] = str(record.relationship or Relationship.CITED)
            return link
        case ChunkRecord() | TurnRecord():
            raise NotExportable(f"The record of line {record.line} is a passage or a turn: kb import knows neither.")
        case _:
            assert_never(record)


def _entry(
    kind: str,
    record: ProjectRecord | ConceptRecord | SourceRecord | ObservationRecord,
    known: dict[str, str],
    content: str,
    given: dict[str, Any],
) -> dict[str, Any]:
    own = record.uuid or str(uuid.uuid5(_NAMESPACE, f"{record.origin_host}\n{kind}\n{content}"))
    if record.ref and (record.ref != f"{kind}:{own}" or not _UUID.fullmatch(own)):
        known[record.ref] = own
    told = {**given, "uuid": own, "origin_host": record.origin_host}
    return {"type": kind, **{name: told[name] for name in FIELDS[kind]}}


def _source(record: SourceRecord) -> dict[str, Any]:
    written = dict(record.details)
    best = first_identity(record)
    kind, value = ("", "") if best.type is IdentifierType.NONE else (str(best.type), best.value)
    if _still_names(written, best):
        kind, value = written.get("identifier_type", ""), written["identifier_value"]
    people = record.authors or record.editors
    authors = written.get("authors", "")
    return {
        "title": record.title,
        "identifier_type": kind,
        "identifier_value": value,
        "authors": authors if authors and authors_from(authors) == people else authors_text(people),
        "published_date": _date(written.get("published_date", ""), record.published_date),
        "publisher": record.publisher,
        "rights": record.rights,
        "version": record.version,
        "retracted": bool(record.retracted),
        "retraction_note": record.retraction_note,
        "first_seen_at": record.first_seen_at,
    }


def _still_names(written: dict[str, str], best: Identity) -> bool:
    """True where Harvey's own spelling of the identifier, kept from an import, says what the record says now."""
    if not written.get("identifier_value"):
        return False
    try:
        told = identity_from(written.get("identifier_type", ""), written["identifier_value"])
    except (BadIdentifier, UnusableUrl):
        return best.type is IdentifierType.NONE
    return told.key == best.key


def _date(written: str, published: str) -> str:
    found = DATE.match(written)
    return written if written and (found[0] if found else "") == published else published


def _uuid_of(ref: str, known: dict[str, str]) -> str:
    own = known.get(ref) or ref.rpartition(":")[2]
    if ref not in known and not _UUID.fullmatch(own):
        raise NotExportable(f"“{ref[:80]}” is named by a link or an observation before any record had that ref.")
    return own
