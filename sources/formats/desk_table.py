"""The table that this desk exports (CSV), read back column by column.

It differs from any other table in that nothing has to be guessed: values are parted by `; ` alone, the identifier says
its type, and the state of a retraction is a word.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord
from sources.core.findings import Disposition
from sources.core.kinds import Authority, Classification, IdentifierType, Sensitivity
from sources.core.records import RowError
from sources.core.retraction import status_named
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.identifying import Identifiers
from sources.formats.tables import Row, count_rows, headings_of, rows_of

W = TypeVar("W", bound=StrEnum)

_OWN = frozenset({"identifier_type", "identifier", "other_identifiers", "retraction_status", "disposition"})
_TEXTS = (
    *("title", "container_title", "publisher", "volume", "issue", "pages", "language", "abstract", "note", "rights"),
    *("version", "retraction_note"),
)
# What a check or a person said there and then; it stands beside the work, and the next check says it anew.
_KEPT = ("id", "verdict", "reason", "access_note", "decision", "decided_by", "decided_at", "decision_reason")
_MANY = (("sections", "section"), ("versions", "version"), ("variants", "variant"))
_PART = re.compile(r"; ")


def is_own(headings: list[str]) -> bool:
    """True for the headings of an export of this desk."""
    return set(headings) >= _OWN


def _recognises(head: Head) -> bool:
    return is_own(headings_of(head))


def _read(path: Path) -> Iterator[SourceRecord | RowError]:
    for row in rows_of(path):
        yield row if isinstance(row, RowError) else _item(row)


def _item(row: Row) -> SourceRecord | RowError:
    cells = row.cells
    told = Description(
        line=row.line,
        ref=cells.get("key", ""),
        kind=cells.get("type", ""),
        warnings=list(row.repaired),
    )
    told.uuid = cells.get("uuid", "")
    for name in _TEXTS:
        setattr(told, name, cells.get(name, ""))
    told.date = cells.get("published", "")
    told.authors = [_author(name) for name in _parts(cells, "authors")]
    told.editors = [_author(name) for name in _parts(cells, "editors")]
    told.last_checked_at = cells.get("checked_at", "")
    told.add_tags(*_parts(cells, "tags"))
    told.section = next(iter(_parts(cells, "sections")), "")
    told.project_version = next(iter(_parts(cells, "versions")[-1:]), "")
    _judged(told, cells)
    _identify(told, cells)
    for column, name in _MANY:
        for value in _parts(cells, column):
            told.keep(name, value)
    for name in _KEPT:
        told.keep(name, cells.get(name, ""))
    if row.beyond:
        told.warnings.append("The row has more cells than there are headings; the others were left out.")
    item = told.item()
    named = _named(cells).identities()
    return replace(item, identities=named) if named and isinstance(item, SourceRecord) else item


def _judged(told: Description, cells: dict[str, str]) -> None:
    told.retracted = {"yes": True, "no": False}.get(cells.get("retracted", ""))
    note = told.retraction_note
    told.tell_retraction(status_named(cells.get("retraction_status", "")), note)
    told.status = _word_of(told, "status", CitationStatus, cells) or CitationStatus.FOUND_IN_RESEARCH
    told.authority = _word_of(told, "authority", Authority, cells)
    told.classification = _word_of(told, "classification", Classification, cells)
    told.sensitivity = _word_of(told, "sensitivity", Sensitivity, cells)
    if cells.get("disposition") == Disposition.DROP.value:
        told.rejected_because = cells.get("decision_reason") or cells.get("reason") or cells.get("verdict", "")


def _word_of(told: Description, column: str, words: type[W], cells: dict[str, str]) -> W | None:
    """The word of a closed list in the column; None where it is empty, and with a warning where it is another."""
    value = cells.get(column, "").strip()
    try:
        return words(value) if value else None
    except ValueError:
        known = ", ".join(words)
        told.warnings.append(f"The column “{column}” says “{value[:40]}”, which is left out. Known words: {known}.")
        return None


def _identify(told: Description, cells: dict[str, str]) -> None:
    told.ids = _named(cells)
    told.ids.add_isbn(cells.get("isbn", ""))
    told.ids.add_issn(cells.get("issn", ""))
    if cells.get("recovered_from"):
        # The work is that of its first address; where it was found again is another way to it.
        told.ids.add_url(cells["recovered_from"])
        told.keep("variant", cells.get("url", ""))
    elif not told.ids.identities():
        told.ids.add_url(cells.get("url", ""))


def _named(cells: dict[str, str]) -> Identifiers:
    """What the table itself calls identifiers of the work: the ISBN of a chapter's book is none unless it says so."""
    ids = Identifiers()
    adders = {
        IdentifierType.DOI.value: ids.add_doi,
        IdentifierType.ARXIV.value: ids.add_arxiv,
        IdentifierType.PMID.value: ids.add_pmid,
        IdentifierType.ISBN.value: ids.add_isbn,
        IdentifierType.ISSN.value: ids.add_issn,
        IdentifierType.HANDLE.value: ids.add_handle,
        IdentifierType.URN.value: ids.add_urn,
        IdentifierType.URL.value: ids.add_url,
    }
    pairs = [(cells.get("identifier_type", ""), cells.get("identifier", ""))]
    pairs += [(kind, cells.get(kind, "")) for kind in ("doi", "arxiv", "pmid")]
    pairs += [(kind, value) for kind, _, value in (one.partition(":") for one in _parts(cells, "other_identifiers"))]
    for kind, value in pairs:
        if value and kind in adders:
            adders[kind](value)
    return ids


def _parts(cells: dict[str, str], column: str) -> list[str]:
    return [part for part in _PART.split(cells.get(column, "")) if part.strip()]


def _author(name: str) -> Author:
    family, _, given = name.partition(", ")
    return Author(family=family, given=given)


FORMAT = Format(
    name="desk-table", label="Table of this desk (CSV)", recognises=_recognises, read=_read, count=count_rows
)
