"""What the files of other tools hold: works, projects, observations, concepts, chunks, retrievals, and what links them.

A reader of `sources.formats` yields these, whatever the format; staging keeps them as JSON until a person commits.
`line` is where the entry begins, counted from 1: a line, or the number of the row or object where there are no lines.
`ref` names the entry inside its file (a BibTeX key, a row id, a uuid), so that links can find it; '' where nothing
does.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from sources.core.catalog import CitationStatus
from sources.core.kinds import Authority, Classification, IdentifierType, Sensitivity
from sources.core.records import Identity, RowError


class ObservationKind(StrEnum):
    """What an observation is."""

    NOTE = "note"
    FINDING = "finding"
    DECISION = "decision"
    QUESTION = "question"
    HYPOTHESIS = "hypothesis"


class Relationship(StrEnum):
    """How an observation rests on a source."""

    CITED = "cited"
    RETRIEVED = "retrieved"
    INFERRED = "inferred"


class LinkKind(StrEnum):
    """Which two things a link joins; the first named is `from_ref`."""

    OBSERVATION_SOURCE = "observation-source"
    OBSERVATION_CONCEPT = "observation-concept"
    PROJECT_CONCEPT = "project-concept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """One author or editor. An organisation, and a name nobody could split, stands whole in `family`."""

    family: str
    given: str = ""
    orcid: str = ""

    def __str__(self) -> str:
        """`Family, Given`."""
        return f"{self.family}, {self.given}" if self.given else self.family


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """One work as a file describes it.

    `identities` holds every identifier it carries, the one that names the work best first (DOI, arXiv, PMID, handle,
    ISBN, URL; an ISSN names a journal and only stands here where nothing else does); () where only a title is known.
    `spelling` is what names the work in the file, for a person, at most 200 characters, without a password. `kind` is a
    CSL type (`article-journal`, `book`, `webpage`; '' where unknown). `published_date` is YYYY, YYYY-MM or YYYY-MM-DD.
    `editors` count as authors only where there are none. `authority`, `classification`, `sensitivity` and `retracted`
    are None where the file does not say. `rejected_because` is a person's reason in the file itself. `warnings`: what
    was repaired or not understood, each a sentence. `details` keeps what has no field here, by its name in the format
    (strings only, for the way back).
    """

    line: int
    spelling: str
    ref: str = ""
    uuid: str = ""
    origin_host: str = ""
    identities: tuple[Identity, ...] = ()
    title: str = ""
    kind: str = ""
    authors: tuple[Author, ...] = ()
    editors: tuple[Author, ...] = ()
    published_date: str = ""
    publisher: str = ""
    container_title: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    issn: str = ""
    isbn: str = ""
    language: str = ""
    abstract: str = ""
    note: str = ""
    rights: str = ""
    version: str = ""
    tags: tuple[str, ...] = ()
    section: str = ""
    project_version: str = ""
    status: CitationStatus = CitationStatus.FOUND_IN_RESEARCH
    context: str = ""
    authority: Authority | None = None
    classification: Classification | None = None
    sensitivity: Sensitivity | None = None
    retracted: bool | None = None
    retraction_note: str = ""
    rejected_because: str = ""
    first_seen_at: str = ""
    last_checked_at: str = ""
    details: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRecord:
    """A project of a knowledge base, or the deal of a memo folder. Times are ISO 8601 as written, '' where unknown."""

    line: int
    name: str
    ref: str = ""
    uuid: str = ""
    origin_host: str = ""
    description: str = ""
    status: str = ""
    firm: str = ""
    created_at: str = ""
    updated_at: str = ""
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationRecord:
    """A note, finding, decision, question or hypothesis. `source_doi` is the old schema's field, as written."""

    line: int
    body: str
    kind: ObservationKind = ObservationKind.NOTE
    ref: str = ""
    project_ref: str = ""
    uuid: str = ""
    origin_host: str = ""
    source_doi: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptRecord:
    """A named idea, person or body; the identifier pair is free text (`orcid`, `ror`, `fundref`, `doi`)."""

    line: int
    name: str
    description: str = ""
    identifier_type: str = ""
    identifier_value: str = ""
    ref: str = ""
    uuid: str = ""
    origin_host: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRecord:
    """Two entries of the same file that belong together, by their refs; `relationship` only for observation-source."""

    line: int
    kind: LinkKind
    from_ref: str
    to_ref: str
    relationship: Relationship | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord:
    """One passage of a RAG store. `source` is a path or URL, '' when unknown.

    `content_hash` is the lower-case hex SHA-256 of the content, computed where the store has none. `embedding_hash` is
    the SHA-256 of the vector's bytes, `embedding_dimension` its length; the vector itself is not carried. Lines are
    None for prose.
    """

    line: int
    store: str
    content: str
    content_hash: str
    source: str = ""
    ref: str = ""
    start_line: int | None = None
    end_line: int | None = None
    indexed_at: str = ""
    source_url: str = ""
    source_doi: str = ""
    source_title: str = ""
    source_version: str = ""
    rights: str = ""
    retracted: bool = False
    retraction_note: str = ""
    embedding_hash: str = ""
    embedding_dimension: int | None = None
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedSource:
    """One `[[rag-source: …]]` note: `locator` is its DOI or URL as written, '' where none."""

    source: str
    lines: str = ""
    title: str = ""
    locator: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One `[[rag: N chunks from STORE, top score S]]` with the sources under it, best first."""

    store: str
    chunk_count: int
    top_score: float | None = None
    sources: tuple[RetrievedSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One turn of a session: when it began (as written, a local time without a zone), who spoke, what was retrieved."""

    line: int
    session: str
    number: int
    user: str
    started_at: str
    retrievals: tuple[Retrieval, ...] = ()


Record = SourceRecord | ProjectRecord | ObservationRecord | ConceptRecord | LinkRecord | ChunkRecord | TurnRecord
Item = Record | RowError

_RECORDS: dict[str, type[Record]] = {
    "source": SourceRecord,
    "project": ProjectRecord,
    "observation": ObservationRecord,
    "concept": ConceptRecord,
    "link": LinkRecord,
    "chunk": ChunkRecord,
    "turn": TurnRecord,
}
_NAMES = {kind: name for name, kind in _RECORDS.items()}


def name_of(record: Record) -> str:
    """`source`, `project`, `observation`, `concept`, `link`, `chunk` or `turn`."""
    return _NAMES[type(record)]


def as_json(record: Record) -> dict[str, Any]:
    """The record as JSON values; fields at their defaults are left out. `from_json` is its inverse."""
    return {"record": name_of(record), **_plain(record)}


def from_json(told: dict[str, Any]) -> Record:
    """The record that `as_json` wrote; raises KeyError or TypeError for anything else."""
    given = dict(told)
    kind: Any = _RECORDS[given.pop("record")]
    record: Record = _maker(kind)(given)
    return record


def _plain(value: Any) -> Any:
    kind: Any = type(value)
    if kind is str:
        return value
    if kind is tuple:
        return [_plain(one) for one in value]
    if hasattr(kind, "__dataclass_fields__"):
        return {name: _plain(told) for name, default in _defaults_of(kind) if (told := getattr(value, name)) != default}
    return str(value) if isinstance(value, StrEnum) else value


@cache
def _defaults_of(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Its fields with their defaults; looked up once, since a file has thousands of entries."""
    return tuple((field.name, field.default) for field in fields(kind))


@cache
def _maker(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of this type of the JSON that `_plain` wrote; put together once for the same reason."""
    origin = get_origin(kind)
    if origin is tuple:
        inner = get_args(kind)
        if inner[-1] is ...:
            one = _maker(inner[0])
            return lambda told: tuple([one(part) for part in told])
        makers = [_maker(each) for each in inner]
        return lambda told: tuple(make(part) for make, part in zip(makers, told, strict=True))
    if origin in (Union, UnionType):
        some = _maker(get_args(kind)[0])
        return lambda told: None if told is None else some(told)
    if hasattr(kind, "__dataclass_fields__"):
        of_field = {name: _maker(type_) for name, type_ in get_type_hints(kind).items()}
        return lambda told: kind(**{name: of_field[name](value) for name, value in told.items()})
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    return lambda told: told


def details_by_name(record: SourceRecord | ChunkRecord) -> dict[str, str | list[str]]:
    """The details as an object of JSON: a name that comes several times (`section`, `variant`, `context`) has a list of
    its values, in their order."""
    gathered: dict[str, list[str]] = {}
    for name, told in record.details:
        gathered.setdefault(name, []).append(told)
    return {name: values[0] if len(values) == 1 else values for name, values in gathered.items()}


def first_identity(record: SourceRecord) -> Identity:
    """What the record is registered under: its best identifier, or the type `none` where only a title is known."""
    return record.identities[0] if record.identities else Identity(IdentifierType.NONE, "", "")
