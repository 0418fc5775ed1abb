"""Records from the fields of Harvey's knowledge base, whether they stand in a table or in a line of JSON.

A field is its text, '' where it is missing or NULL. What the registry writes differently (an identifier in normal form,
authors one by one) is kept as it was written in `details`, so that the way back gives Harvey its own spelling: its
import compares identifiers letter by letter.
"""

import re
from collections.abc import Mapping

from sources.core.credentials import without_credentials
from sources.core.entries import (
    ConceptRecord,
    ObservationKind,
    ObservationRecord,
    ProjectRecord,
    Relationship,
    SourceRecord,
)
from sources.core.harvey_fields import DATE, authors_from, authors_text, identity_from
from sources.core.identifiers import BadIdentifier, UnusableUrl
from sources.core.kinds import IdentifierType
from sources.core.lines import one_line
from sources.core.retraction import read_label, told_by

Fields = Mapping[str, str]

_SHOWN = 200
_LONGEST_NAME = 200


class BadRow(ValueError):
    """A row or object that makes no record; the message names the field and the way out."""


def ref_of(kind: str, value: str) -> str:
    """How an entry is named inside its file: `project:12` in a table, `project:<uuid>` in an export; '' for no value.

    The kind stands in front because row ids begin at 1 in each table. Raises `BadRow` for a name over 200 characters.
    """
    told = uuid_of(value)
    return f"{kind}:{told}" if told else ""


def uuid_of(text: str) -> str:
    """A uuid in lower case; any other text as it is, on one line. Raises `BadRow` for one over 200 characters."""
    told = one_line(text)
    if len(told) > _LONGEST_NAME:
        raise BadRow(f"An id or uuid here has {len(told):,} characters. Give it one of at most {_LONGEST_NAME}.")
    return told.lower() if re.fullmatch(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", told) else told


def project_from(row: Fields, *, line: int, ref: str) -> ProjectRecord:
    """One project; raises `BadRow` where it has no name."""
    return ProjectRecord(
        line=line,
        name=_named(row, "name"),
        ref=ref,
        uuid=uuid_of(row["uuid"]),
        origin_host=one_line(row["origin_host"]),
        description=row["description"],
        status=one_line(row["status"]),
        created_at=one_line(row["created_at"]),
        updated_at=one_line(row.get("updated_at", "")),
    )


def concept_from(row: Fields, *, line: int, ref: str) -> ConceptRecord:
    """One concept; raises `BadRow` where it has no name."""
    return ConceptRecord(
        line=line,
        name=_named(row, "name"),
        description=row["description"],
        identifier_type=one_line(row["identifier_type"]),
        identifier_value=one_line(row["identifier_value"]),
        ref=ref,
        uuid=uuid_of(row["uuid"]),
        origin_host=one_line(row["origin_host"]),
        created_at=one_line(row["created_at"]),
    )


def observation_from(row: Fields, *, line: int, ref: str, project_ref: str) -> ObservationRecord:
    """One observation; raises `BadRow` where it says nothing. An unknown kind is a note: that is Harvey's own rule."""
    if not row["body"].strip():
        raise BadRow("The observation has no text (field “body”). Write it, or delete the observation.")
    kind = row["kind"].strip().lower()
    return ObservationRecord(
        line=line,
        body=row["body"],
        kind=ObservationKind(kind) if kind in list(ObservationKind) else ObservationKind.NOTE,
        ref=ref,
        project_ref=project_ref,
        uuid=uuid_of(row["uuid"]),
        origin_host=one_line(row["origin_host"]),
        source_doi=one_line(row["source_doi"]),
        created_at=one_line(row["created_at"]),
    )


def source_from(row: Fields, *, line: int, ref: str) -> SourceRecord:
    """One source; raises `BadRow` where it has neither a title nor an identifier.

    An identifier that cannot be right costs the identity, not the source: the record says so in `warnings` and keeps
    the spelling in `details`. Authors are split only at semicolons, or at commas between full names.
    """
    title, kind, value = one_line(row["title"]), one_line(row["identifier_type"]), one_line(row["identifier_value"])
    if not title and not value:
        raise BadRow("The source has no title and no identifier. Give it one of the two, or delete it.")
    warnings, details = [], []
    identity = None
    try:
        identity = identity_from(kind, value) if value else None
    except (BadIdentifier, UnusableUrl) as error:
        warnings.append(f"The identifier is not used: {error}")
    if value and (identity is None or (identity.type, identity.value) != (kind, value)):
        details += [("identifier_type", kind), ("identifier_value", without_credentials(value))]
    authors = authors_from(row["authors"])
    if authors_text(authors) != row["authors"]:
        details.append(("authors", one_line(row["authors"])))
    published = one_line(row["published_date"])
    date = DATE.match(published)
    if published and (not date or date[0] != published):
        details.append(("published_date", published))
    if published and not date:
        warnings.append(f"The date “{published[:40]}” is not read: write a year, or a date like 2024-05-17.")
    retracted = row["retracted"].strip().lower() not in ("", "0", "false")
    retraction_note = one_line(row["retraction_note"])
    if not retracted:
        status, retraction_note = read_label(retraction_note)
        details += told_by(status)[1]
    return SourceRecord(
        line=line,
        spelling=without_credentials(value or title)[:_SHOWN],
        ref=ref,
        uuid=uuid_of(row["uuid"]),
        origin_host=one_line(row["origin_host"]),
        identities=(identity,) if identity else (),
        title=title,
        authors=authors,
        published_date=date[0] if date else "",
        publisher=one_line(row["publisher"]),
        rights=one_line(row["rights"]),
        version=one_line(row["version"]),
        retracted=retracted,
        retraction_note=retraction_note,
        first_seen_at=one_line(row["first_seen_at"]),
        last_checked_at=one_line(row.get("last_checked_at", "")),
        details=tuple((name, told) for name, told in details if told),
        warnings=tuple(warnings),
    )


def source_of_doi(written: str, *, line: int) -> SourceRecord:
    """The source that an old observation's `source_doi` stands for: `Source (DOI: <doi>)`, cited.

    Its ref is `doi:<normal form>`, so that two spellings of one DOI are one source. What is no DOI still makes a
    source, under its own spelling and with a warning.
    """
    try:
        identity = identity_from("doi", written)
    except (BadIdentifier, UnusableUrl) as error:
        shown = without_credentials(one_line(written))[:_SHOWN]
        return SourceRecord(
            line=line,
            spelling=shown,
            ref=f"doi:{shown}",
            title=f"Source (DOI: {shown})",
            warnings=(f"The field source_doi holds no DOI: {error}",),
        )
    doi = identity.value if identity.type is not IdentifierType.ARXIV else f"10.48550/arxiv.{identity.value}"
    return SourceRecord(
        line=line,
        spelling=without_credentials(one_line(written))[:_SHOWN],
        ref=f"doi:{doi}",
        identities=(identity,),
        title=f"Source (DOI: {doi})",
    )


def relationship_from(told: str) -> Relationship:
    """The relationship of a link, `cited` where none is said (the column's default). Raises `BadRow` for others."""
    word = told.strip().lower() or Relationship.CITED
    if word not in list(Relationship):
        raise BadRow(f"“{one_line(told)[:40]}” is no relationship. Write cited, retrieved or inferred.")
    return Relationship(word)


def _named(row: Fields, field: str) -> str:
    name = one_line(row[field])
    if not name:
        raise BadRow(f"The field “{field}” is empty. Fill it in, or delete the entry.")
    return name
